import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { limits } from '../../ports/limits.ts';
import type { Launch } from '../sandbox/isolation-launcher.ts';
import { createOpenApiReader, listReaderLaunches } from './openapi-reader.ts';

const folder = mkdtempSync(join(tmpdir(), 'openapi-reader-'));
const closers: (() => void)[] = [() => rmSync(folder, { recursive: true })];
afterAll(() => closers.forEach((close) => close()));

const never = new AbortController().signal;
const fixture = readFileSync(`${import.meta.dirname}/fixtures/petstore-3.1.yaml`, 'utf8');

/** A program in the place of the reading process. */
function createLauncher(source: string): () => Launch[] {
  return () => [{ command: process.execPath, args: ['-e', source], lacks: '' }];
}
const say = (text: string): string => `process.stdout.write(${JSON.stringify(text)});`;

async function readToIssue(
  reader: ReturnType<typeof createOpenApiReader>,
  text = fixture,
  signal = never,
): Promise<string> {
  closers.push(() => reader.close());
  const result = await reader.read({ text, url: null }, signal);
  if (result.kind === 'manifest') throw new Error('It was read');
  expect(result.errors.map(({ field }) => field)).toEqual(['document']);
  return result.errors[0]?.issue ?? '';
}

describe('the real process', () => {
  const reader = createOpenApiReader();
  closers.push(() => reader.close());

  test('reads a document', async () => {
    const result = await reader.read({ text: fixture, url: null }, never);
    expect(result).toMatchObject({ kind: 'manifest', manifest: { name: 'pets_store_api' } });
  });

  test('refuses a document with the reason, and reads the next one', async () => {
    expect(await readToIssue(createOpenApiReader(), 'openapi: 4.0.0\npaths: {}')).toContain('not 4.0.0');
    const result = await reader.read({ text: fixture, url: 'https://example.com/a' }, never);
    expect(result.kind).toBe('manifest');
  });

  test('refuses a document that needs more memory or time than it may use', async () => {
    const json = `{"openapi":"3.1.0","paths":[${'[],'.repeat(8_000_000)}[]]}`;
    expect(await readToIssue(createOpenApiReader(), json)).toMatch(/values/);
    // The parser of YAML needs hundreds of bytes for each of these lists before they can be counted.
    const yaml = `openapi: 3.1.0\npaths:\n${'- []\n'.repeat(4_000_000)}`;
    expect(await readToIssue(createOpenApiReader(), yaml)).toMatch(
      /too much memory|could not be read within/,
    );
  });

  test('refuses a document that is too large before it starts', async () => {
    const launches = (): Launch[] => {
      throw new Error('It started');
    };
    const issue = await readToIssue(
      createOpenApiReader({ launches }),
      ' '.repeat(limits.openApiDocumentBytes + 1),
    );
    expect(issue).toBe(
      `must have at most ${limits.openApiDocumentBytes} bytes, not ${limits.openApiDocumentBytes + 1}`,
    );
  });
});

describe('a process that was compromised by parsing', () => {
  test.each<[string, string, string]>([
    ['prints no JSON', say('ready\nx'), 'could not be read'],
    ['prints something else', say('ready\n[1]'), 'could not be read'],
    ['prints an unknown kind', say('ready\n{"kind":"done"}'), 'could not be read'],
    [
      'prints a manifest of another shape',
      say('ready\n{"kind":"manifest","manifest":{}}'),
      'has an invalid form',
    ],
    ['crashes', `${say('ready\n')} process.abort()`, 'could not be read'],
    [
      'floods its output',
      `${say('ready\n')} for (;;) require('fs').writeSync(1, 'x'.repeat(1e6))`,
      'could not be read',
    ],
  ])('%s', async (_title, source, issue) => {
    expect(await readToIssue(createOpenApiReader({ launches: createLauncher(source) }))).toContain(issue);
  });

  test('invents keywords that the validator would compile', async () => {
    const schema = { type: 'string', pattern: '(a+)+$' };
    const manifest = {
      kind: 'openapi',
      name: 'a',
      version: '1.0.0',
      documentVersion: '1',
      title: 'A',
      description: '',
      servers: [],
      securitySchemes: [],
      warnings: [],
      operations: [
        {
          id: 'a',
          method: 'POST',
          path: '/',
          title: '',
          description: '',
          tags: [],
          deprecated: false,
          parameters: [],
          body: { required: false, contentType: 'application/json', schema, encoding: {} },
          response: null,
          security: [],
          servers: null,
        },
      ],
    };
    const respond = (one: object): (() => Launch[]) =>
      createLauncher(say(`ready\n${JSON.stringify({ kind: 'manifest', manifest: one })}`));
    expect(await readToIssue(createOpenApiReader({ launches: respond(manifest) }))).toContain('pattern');
    // Without the keyword it is accepted.
    const { pattern: _pattern, ...plain } = schema;
    const [operation] = manifest.operations;
    const fine = { ...manifest, operations: [{ ...operation, body: { ...operation?.body, schema: plain } }] };
    const reader = createOpenApiReader({ launches: respond(fine) });
    closers.push(() => reader.close());
    expect((await reader.read({ text: fixture, url: null }, never)).kind).toBe('manifest');
  });

  test('is killed at the time limit, on abort and on close', async () => {
    const pidFile = join(folder, 'pid');
    const hanging = createLauncher(
      `require('fs').writeFileSync(${JSON.stringify(pidFile)}, String(process.pid)); ${say('ready\n')} for (;;);`,
    );
    const isRunning = (): boolean => {
      try {
        process.kill(Number(readFileSync(pidFile, 'utf8')), 0);
        return true;
      } catch {
        return false;
      }
    };
    const gone = (): Promise<unknown> => expect.poll(isRunning, { timeout: 10_000 }).toBe(false);

    expect(await readToIssue(createOpenApiReader({ launches: hanging, timeout: 3_000 }))).toBe(
      'could not be read within 3000 ms',
    );
    await gone();
    for (const end of ['abort', 'close'] as const) {
      rmSync(pidFile);
      const aborting = new AbortController();
      const reader = createOpenApiReader({ launches: hanging });
      const issue = readToIssue(reader, fixture, aborting.signal);
      await expect.poll(isRunning, { timeout: 20_000 }).toBe(true);
      if (end === 'abort') aborting.abort();
      else reader.close();
      expect(await issue).toMatch(end === 'abort' ? /was cancelled/ : /could not be read/);
      await gone();
    }
  });

  test('reaches no file, network or program', async () => {
    const server = await new Promise<Server>((resolve) => {
      const made: Server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1', () =>
        resolve(made),
      );
    });
    closers.push(() => server.close());
    const { port } = server.address() as { port: number };
    const file = join(folder, 'hostile.cjs');
    writeFileSync(
      file,
      `const tries = {
        read: () => require('fs').readFileSync('/etc/hostname'),
        write: () => require('fs').writeFileSync(${JSON.stringify(join(folder, 'written'))}, 'x'),
        program: () => require('child_process').execFileSync('/bin/true'),
        worker: () => new (require('worker_threads').Worker)('1', { eval: true }),
        environment: () => { if (Object.keys(process.env).length === 0) throw new Error('empty'); },
      };
      const reached = [];
      for (const [name, attempt] of Object.entries(tries)) try { attempt(); reached.push(name); } catch {}
      const socket = require('net').connect(${port}, '127.0.0.1');
      const end = () => { require('fs').writeSync(1, 'ready\\n' + JSON.stringify({ kind: 'refused', issue: 'reached: ' + reached.join() })); process.exit(); };
      socket.on('connect', () => { reached.push('network'); end(); }).on('error', end);`,
    );
    const launches = listReaderLaunches(file, file);
    const issue = await readToIssue(createOpenApiReader({ launches: () => launches }));
    // Where namespaces cannot be made, only the network is left.
    expect(issue).toMatch(/^reached: (network)?$/);
    if (process.getuid?.() === 0) expect(issue).toBe('reached: ');
  });
});
