import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { testCertificate, testKey } from './tls-certificates.ts';
import { freePort } from './free-port.ts';

const START_MS = 30_000;
export const postgresPassword = 'p@ss/word';

/**
 * The folder of PostgreSQL's programs. Null when it is missing: tests that need a server report it and are
 * skipped.
 */
export function findPostgresPrograms(): string | null {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...versions.map((version) => path.join(debian, version, 'bin')),
    ...(process.env['PATH'] ?? '').split(':'),
  ];
  return (
    folders.find(
      (folder) => existsSync(path.join(folder, 'initdb')) && existsSync(path.join(folder, 'postgres')),
    ) ?? null
  );
}

export type PostgresServer = {
  port: number;
  /** For the superuser `weft` with the password `postgresPassword`. */
  url: string;
  /** Runs statements directly, as the superuser. */
  readonly sql: (text: string, values?: unknown[]) => Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
};

/** A real PostgreSQL server on 127.0.0.1 with TLS. It runs as another user when this process is root. */
export async function startPostgres(
  programs: string,
  {
    certificate = testCertificate,
    key = testKey,
    isDurable = false,
  }: { certificate?: string; key?: string; isDurable?: boolean } = {},
): Promise<PostgresServer> {
  const folder = mkdtempSync(path.join(tmpdir(), 'weft-postgres-'));
  const user = getUnprivilegedUser();
  const own = (file: string, mode: number): void => {
    chmodSync(file, mode);
    if (user !== null) chownSync(file, user.uid, user.gid);
  };
  own(folder, 0o700);
  const file = (name: string, text: string): string => {
    const whole = path.join(folder, name);
    writeFileSync(whole, text);
    own(whole, 0o600);
    return whole;
  };
  const as = { ...user, cwd: folder, env: { PATH: process.env['PATH'], LC_ALL: 'C' } };
  const data = path.join(folder, 'data');
  const passwordFile = file('password', postgresPassword);
  execFileSync(
    path.join(programs, 'initdb'),
    ['-D', data, '-U', 'weft', '-A', 'scram-sha-256', `--pwfile=${passwordFile}`, '-E', 'UTF8', '--no-sync'],
    { ...as, stdio: 'pipe' },
  );
  const port = await freePort();
  const settings = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: folder,
    fsync: isDurable ? 'on' : 'off',
    ssl: 'on',
    ssl_cert_file: file('server.crt', certificate),
    ssl_key_file: file('server.key', key),
    // Settings that a session must not depend on.
    datestyle: 'German',
    timezone: 'Asia/Tokyo',
    bytea_output: 'escape',
  };
  const child = spawn(
    path.join(programs, 'postgres'),
    ['-D', data, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    { ...as, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  // Ends the server when the test program ends with an error.
  const onExit = (): void => void child.kill('SIGQUIT');
  process.once('exit', onExit);
  let printed = '';
  child.stderr.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  const connection = {
    host: '127.0.0.1',
    port,
    user: 'weft',
    password: postgresPassword,
    database: 'postgres',
    ssl: false,
  };

  async function sql(text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
    const client = new Client(connection);
    client.on('error', () => {});
    await client.connect();
    try {
      const { rows } = await client.query(values.length === 0 ? { text } : { text, values });
      return rows as Record<string, unknown>[];
    } finally {
      await client.end();
    }
  }

  for (const since = Date.now(); ; await new Promise((resolve) => setTimeout(resolve, 50))) {
    const isUp = await sql('SELECT 1').then(
      () => true,
      () => false,
    );
    if (isUp) break;
    if (child.exitCode !== null || Date.now() - since > START_MS) {
      child.kill('SIGKILL');
      remove();
      throw new Error(`PostgreSQL did not start:\n${printed}`);
    }
  }
  return {
    port,
    url: `postgres://weft:${encodeURIComponent(postgresPassword)}@127.0.0.1:${port}/postgres`,
    sql,
    async close() {
      // Immediate shutdown, because no data is kept.
      child.kill('SIGQUIT');
      await exited;
      process.off('exit', onExit);
      remove();
    },
  };
}

/** PostgreSQL does not run as root. */
export function getUnprivilegedUser(): { uid: number; gid: number } | null {
  if (process.getuid?.() !== 0) return null;
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n');
  const line = ['postgres', 'nobody']
    .map((name) => lines.find((one) => one.startsWith(`${name}:`)))
    .find(Boolean);
  const [, , uid, gid] = line?.split(':') ?? [];
  return { uid: Number(uid ?? 65_534), gid: Number(gid ?? 65_534) };
}
