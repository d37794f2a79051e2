import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { spawnService, createTempFolder } from '../support/service.ts';

/*
 * redo-log-data.* are the database and the redo log of a data folder of the last version that had a redo log.
 * That version had answered four webhooks when it was killed; the database contains only the first. The key
 * has never protected anything else.
 */
const KEY = 'msKlmpnRztrBZAgk9J8snVuNGPsRRNKgSCPvdq7dWos=';
const MADE = Date.parse('2026-11-24T20:18:30.000Z');
const LAST_CALLS = 16;
const ACKNOWLEDGED = [
  'ex_01m87kbcp01p6ny2tq521pdd',
  'ex_01m87kbd0f1j54jnvjr24zgb',
  'ex_01m87kbd0qe1a57h6r92z5z5',
  'ex_01m87kbd0z9wjpcpvjhjbxz8',
];

let folder: { path: string; remove(): void };
let dataDir: string;
beforeEach(() => {
  folder = createTempFolder();
  dataDir = path.join(folder.path, 'data');
  unpackInto(dataDir);
});
afterEach(() => folder.remove());

function unpackInto(target: string): void {
  mkdirSync(path.join(target, 'files', 'new'), { recursive: true });
  for (const name of ['db', 'db-redo']) {
    const packed = readFileSync(path.join(import.meta.dirname, `redo-log-data.${name}.gz`));
    writeFileSync(path.join(target, `weft.${name}`), gunzipSync(packed), { mode: 0o600 });
  }
  writeFileSync(path.join(target, 'secret.key'), `${KEY}\n`, { mode: 0o600 });
}

/** How many of the system calls the busiest thread of a command makes: strace counts them per thread. */
function countCalls(calls: string, command: string[], output: string): number {
  expect(spawnSync('strace', ['-f', '-e', `trace=${calls}`, '-o', output, ...command]).status).toBe(0);
  const threads = new Map<string, number>();
  for (const [, thread = ''] of readFileSync(output, 'utf8').matchAll(/^(\d+) +(?:f|unlink)/gm))
    threads.set(thread, (threads.get(thread) ?? 0) + 1);
  return Math.max(...threads.values());
}

function inDatabase(): string[] {
  const db = new Database(path.join(dataDir, 'weft.db'), { readonly: true });
  try {
    return db.prepare<[], string>('SELECT id FROM executions ORDER BY number').pluck().all();
  } finally {
    db.close();
  }
}

test('executions that an earlier version left in its redo log are in the database after the start', async () => {
  expect(inDatabase()).toEqual(ACKNOWLEDGED.slice(0, 1));
  // Retention deletes old executions, but not within the first minute of a process.
  const weft = await spawnService({ dataDir });
  try {
    const call = await weft.login();
    for (const [i, name] of ['Ada', 'Grace', 'Lin', 'Zoë'].entries()) {
      const { body } = await call('GET', `/executions/${ACKNOWLEDGED[i]}`);
      expect(body).toMatchObject({ status: 'completed', output: { body: { name } } });
    }
    const { body } = await call('GET', '/executions');
    expect((body as { executions: unknown[] }).executions).toHaveLength(4);
  } finally {
    await weft.stop();
  }
  expect(existsSync(path.join(dataDir, 'weft.db-redo'))).toBe(false);
  expect(inDatabase()).toEqual(ACKNOWLEDGED);
});

test('the log reports once how many executions were migrated', async () => {
  const moved = 'Moved 3 executions from the redo log of an earlier version';
  const env = { WEFT_LOG_LEVEL: 'info' };
  const first = await spawnService({ dataDir, env });
  expect(await first.stop()).toBe(0);
  expect(first.logs()).toContain(moved);
  const second = await spawnService({ dataDir, env });
  expect(await second.stop()).toBe(0);
  expect(second.logs()).not.toContain('redo log');
});

test(
  'a start that is killed while it moves them is repeated by the next start',
  { timeout: 400_000 },
  ({ skip }) => {
    skip(spawnSync('strace', ['-V']).status !== 0, 'strace is not installed');
    const openStore = (): string => {
      const module = new URL('../../src/store/sqlite/open-store.ts', import.meta.url).href;
      return `
      const { openSqliteStore } = await import(${JSON.stringify(module)});
      await (await openSqliteStore({ dataDir: ${JSON.stringify(dataDir)}, now: () => ${MADE} })).close();`;
    };
    const node = [process.execPath, '--input-type=module', '-e', openStore()];
    const calls = 'fdatasync,fsync,unlink,unlinkat';
    const kept = path.join(folder.path, 'kept');
    cpSync(dataDir, kept, { recursive: true });
    let killed = 0;
    let killedBeforeMove = 0;
    let killedBeforeRemoval = 0;
    // The migrations come first, the move is among the last calls.
    const total = countCalls(calls, node, path.join(folder.path, 'calls'));
    for (const n of [1, 2, ...Array.from({ length: LAST_CALLS }, (_, i) => total - LAST_CALLS + 1 + i)]) {
      rmSync(dataDir, { recursive: true });
      cpSync(kept, dataDir, { recursive: true });
      const inject = ['-f', '-e', `trace=${calls}`, '-e', `inject=${calls}:signal=KILL:when=${n}`];
      const { status, signal } = spawnSync('strace', [...inject, '-o', '/dev/null', ...node]);
      if (signal === 'SIGKILL' || status === 137) {
        killed++;
        if (inDatabase().length === 1) killedBeforeMove++;
        else if (existsSync(path.join(dataDir, 'weft.db-redo'))) killedBeforeRemoval++;
      }
      expect(spawnSync(node[0]!, node.slice(1)).status).toBe(0);
      expect(inDatabase(), `killed at call ${n}`).toEqual(ACKNOWLEDGED);
      expect(existsSync(path.join(dataDir, 'weft.db-redo'))).toBe(false);
    }
    console.log(
      `killed ${killed} times, ${killedBeforeMove} before the move, ${killedBeforeRemoval} before the removal`,
    );
    expect(killedBeforeMove).toBeGreaterThan(0);
    expect(killedBeforeRemoval).toBeGreaterThan(0);
  },
);
