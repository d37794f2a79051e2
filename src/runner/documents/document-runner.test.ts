import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { DocumentContent } from '../../contract/documents.ts';
import { limits } from '../../ports/limits.ts';
import type { Launch } from '../sandbox/isolation-launcher.ts';
import { createDocumentRunner, listDocumentLaunches, type DocumentRunner } from './document-runner.ts';

const never = new AbortController().signal;
let folder: string;
let runner: DocumentRunner | null = null;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'document-runner-'));
});
afterEach(() => {
  runner?.close();
  rmSync(folder, { recursive: true });
});

/** A program in the place of the real one. */
function createRunner(source: string, timeout?: number): DocumentRunner {
  const launches = (): Launch[] => [{ command: process.execPath, args: ['-e', source], lacks: '' }];
  return (runner = createDocumentRunner({ launches, ...(timeout === undefined ? {} : { timeout }) }));
}
const say = (text: string): string => `process.stdout.write(${JSON.stringify(text)});`;
const createCall = (content: DocumentContent = Buffer.from('x')) =>
  ({ program: 'pdf', task: { from: 1, limit: 1 }, content }) as const;
const runToIssue = async (one: DocumentRunner, content?: DocumentContent): Promise<string> => {
  const result = await one.run(createCall(content), 'owner', never);
  if (result.kind === 'done') throw new Error('It was processed');
  return `${result.type}: ${result.field} ${result.issue}`;
};

describe('a process that was compromised by a document', () => {
  test.each<[string, string, RegExp]>([
    ['prints nothing', say('ready\n'), /^limit: value could not be processed: it needs too much memory/],
    ['prints no JSON', say('ready\nx\n'), /^limit: value could not be processed/],
    ['prints an unknown kind', say('ready\n{"kind":"x"}\n'), /^limit: value could not be processed/],
    [
      'prints another type of error',
      say('ready\n{"kind":"refused","type":"internal","field":"value","issue":"x"}\n'),
      /^limit: value could not be processed/,
    ],
    ['crashes', `${say('ready\n')} process.abort()`, /^limit: value could not be processed/],
    [
      'prints without end',
      `${say('ready\n')} for (;;) require('fs').writeSync(1, 'x'.repeat(65536))`,
      /^limit: value could not be processed/,
    ],
    ['does not start', 'process.exit(1)', /^internal: value cannot be processed on this machine/],
  ])('%s', async (_name, source, issue) => {
    expect(await runToIssue(createRunner(source))).toMatch(issue);
  });

  test('never ends', async () => {
    expect(await runToIssue(createRunner(`${say('ready\n')} setInterval(() => {}, 1000)`, 3_000))).toBe(
      'timeout: value could not be processed within 3000 ms',
    );
  });
});

test('the real program can read no file of the machine and start no program', async () => {
  const [launch] = listDocumentLaunches('pdf').slice(-1);
  const secret = join(folder, 'secret');
  writeFileSync(secret, 'x');
  const probe = `${say('ready\n')}
    const can = (work) => { try { work(); return true } catch { return false } };
    const found = [
      can(() => process.getBuiltinModule('fs').readFileSync(${JSON.stringify(secret)})),
      can(() => process.getBuiltinModule('fs').writeFileSync(${JSON.stringify(join(folder, 'new'))}, '')),
      can(() => process.getBuiltinModule('child_process').spawnSync('true')),
    ];
    process.stdout.write('{"kind":"done"}\\n' + JSON.stringify(found));`;
  const args = [...launch!.args.slice(0, -1), '-e', probe];
  runner = createDocumentRunner({ launches: () => [{ ...launch!, args }] });
  const result = await runner.run(createCall(), 'owner', never);
  expect(result.kind === 'done' && Buffer.from(result.bytes).toString()).toBe('[false,false,false]');
  expect(existsSync(join(folder, 'new'))).toBe(false);
});

test('refuses a document that is too large, and one whose source fails', async () => {
  const one = createRunner(say('ready\n{"kind":"done"}\n'));
  const size = limits.documentBytes + 1;
  expect(await runToIssue(one, { size, read: () => neverRead() })).toBe(
    `limit: value must have at most ${limits.documentBytes} bytes, not ${size}`,
  );
  expect(
    await runToIssue(createRunner(`${say('ready\n')} process.stdin.resume()`), { read: () => neverRead() }),
  ).toMatch(/^limit: value could not be processed/);
});

// oxlint-disable-next-line require-yield
async function* neverRead(): AsyncGenerator<Uint8Array, void> {
  throw new Error('The disk failed');
}

test('cancels a running and a waiting document, and serves owners in turn', async () => {
  // Each program runs until the file with its content exists.
  const one = createRunner(`${say('ready\n')}
    let text = '';
    process.stdin.on('data', (piece) => { text += piece }).on('end', () => {
      const file = ${JSON.stringify(folder)} + '/' + text.split('\\n')[1];
      setInterval(() => {
        if (!require('fs').existsSync(file)) return;
        process.stdout.write('{"kind":"done"}\\n');
        process.exit();
      }, 10);
    });`);
  const ended: string[] = [];
  const start = (name: string, owner: string, signal = never) =>
    one
      .run(createCall(Buffer.from(name)), owner, signal)
      .then((result) => void ended.push(result.kind === 'done' ? name : `${name} ${result.type}`));
  const release = (name: string): void => writeFileSync(join(folder, name), '');
  const stop = new AbortController();
  const first = ['a1', 'a2'].map((name) => start(name, 'a', name === 'a2' ? stop.signal : never));
  const waiting = new AbortController();
  const rest = [start('a3', 'a'), start('a4', 'a', waiting.signal), start('b1', 'b')];
  waiting.abort();
  await rest[1];
  expect(ended).toEqual(['a4 stopped']);
  stop.abort();
  await first[1];
  expect(ended).toEqual(['a4 stopped', 'a2 stopped']);
  // One program is running, and the next one is of the owner who waited longest.
  release('a1');
  await first[0];
  for (const name of ['a3', 'b1']) release(name);
  await Promise.all(rest);
  expect(ended.slice(0, 3)).toEqual(['a4 stopped', 'a2 stopped', 'a1']);
  expect(ended).toHaveLength(5);
});
