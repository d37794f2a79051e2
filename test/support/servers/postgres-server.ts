import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { freePort } from './free-port.ts';
import { findPostgresPrograms, getUnprivilegedUser } from './postgres-wire-server.ts';

const START_MS = 30_000;

/** A PostgreSQL server of one test file, with its own folder, user and port on 127.0.0.1. */
export type TestServer = {
  readonly port: number;
  /** The address of a new, empty database, or of a copy of `template`. */
  database(template?: string): Promise<string>;
  /** Deletes all rows of a store's database. `database` would take half a second for this. */
  empty(url: string): Promise<void>;
  /** Runs SQL in a database of this server, as the superuser. */
  sql(url: string, text: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
  /** Ends it immediately without a checkpoint, like a crash. Only `start` starts it again. */
  crash(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
};

/**
 * The folder of PostgreSQL's programs. Null when it is missing: tests that need it are skipped, and
 * services-needed.ts reports it.
 */
export const needPostgres = findPostgresPrograms;

/** `isDurable` enables synchronous writes. Without them, everything is faster. */
export async function startServer(
  programs: string,
  { isDurable = false, settings = {} }: { isDurable?: boolean; settings?: Record<string, string> } = {},
): Promise<TestServer> {
  const folder = mkdtempSync(path.join(tmpdir(), 'weft-pg-'));
  const user = getUnprivilegedUser();
  chmodSync(folder, 0o700);
  if (user !== null) chownSync(folder, user.uid, user.gid);
  const as = { ...user, cwd: folder, env: { PATH: process.env['PATH'], LC_ALL: 'C' } };
  const data = path.join(folder, 'data');
  execFileSync(
    path.join(programs, 'initdb'),
    ['-D', data, '-U', 'weft', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'],
    { ...as, stdio: 'pipe' },
  );
  const port = await freePort();
  const all: Record<string, string> = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: folder,
    max_connections: '200',
    shared_buffers: '64MB',
    fsync: isDurable ? 'on' : 'off',
    full_page_writes: isDurable ? 'on' : 'off',
    // Settings that a session must not depend on.
    datestyle: 'German',
    timezone: 'Asia/Tokyo',
    bytea_output: 'escape',
    synchronous_commit: 'off',
    ...settings,
  };
  const address = (database: string): string => `postgres://weft@127.0.0.1:${port}/${database}`;
  let child: ChildProcess | null = null;
  let printed = '';
  const onExit = (): void => void child?.kill('SIGQUIT');
  process.once('exit', onExit);
  let databases = 0;

  async function sql(url: string, text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => {});
    await client.connect();
    try {
      return (await client.query(values.length === 0 ? { text } : { text, values })).rows as Record<
        string,
        unknown
      >[];
    } finally {
      await client.end();
    }
  }

  /** One connection for each database that is emptied, because this happens before every test. */
  const emptiers = new Map<string, { client: pg.Client; run(): Promise<void> }>();
  async function openEmptier(url: string): Promise<{ client: pg.Client; run(): Promise<void> }> {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => emptiers.delete(url));
    client.on('end', () => emptiers.delete(url));
    await client.connect();
    const { rows } = await client.query<{ tablename: string }>(
      `SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'migrations'`,
    );
    const text = rows.map(({ tablename }) => `DELETE FROM ${tablename}`).join(';');
    return { client, run: async () => void (await client.query(text)) };
  }

  async function start(): Promise<void> {
    const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const started = spawn(path.join(programs, 'postgres'), ['-D', data, ...flags], {
      ...as,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    child = started;
    started.stderr.on('data', (chunk: Buffer) => (printed = (printed + chunk.toString()).slice(-20_000)));
    for (const since = performance.now(); ; await new Promise((resolve) => setTimeout(resolve, 25))) {
      const isUp = await sql(address('postgres'), 'SELECT 1').then(
        () => true,
        () => false,
      );
      if (isUp) return;
      if (started.exitCode !== null || performance.now() - since > START_MS)
        throw new Error(`PostgreSQL did not start:\n${printed}`);
    }
  }

  async function crash(): Promise<void> {
    if (child === null) return;
    const ended = child;
    child = null;
    const exited = new Promise((resolve) => ended.once('exit', resolve));
    ended.kill('SIGQUIT');
    await exited;
  }

  try {
    await start();
  } catch (error) {
    await crash();
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
  return {
    port,
    sql,
    start,
    crash,
    database: async (template) => {
      const name = `test_${++databases}`;
      const from =
        template === undefined ? '' : ` TEMPLATE ${new URL(template).pathname.slice(1)} STRATEGY file_copy`;
      await sql(address('postgres'), `CREATE DATABASE ${name}${from}`);
      return address(name);
    },
    empty: async (url) => {
      const emptying = emptiers.get(url) ?? (await openEmptier(url));
      emptiers.set(url, emptying);
      await emptying.run();
    },
    close: async () => {
      for (const { client } of emptiers.values()) client.end().catch(() => {});
      await crash();
      process.off('exit', onExit);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
