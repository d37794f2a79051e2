import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createConnection } from 'mysql2/promise';
import { freePort } from './free-port.ts';
import { getUnprivilegedUser } from './postgres-wire-server.ts';
import { testCertificate, testKey } from './tls-certificates.ts';

const START_MS = 30_000;
/** Creates the files of a new server. */
const INSTALLER = 'mariadb-install-db';
export const mysqlPassword = 'p@ss/word';

/** The MariaDB server program. Null when it is missing: tests that need it report it and are skipped. */
export const mysqlProgram: string | null =
  ['/usr/sbin', '/usr/local/sbin', '/usr/bin', ...(process.env['PATH'] ?? '').split(':')]
    .map((folder) => path.join(folder, 'mariadbd'))
    .find((file) => existsSync(file)) ?? null;

export type MysqlServer = {
  readonly port: number;
  /** For the user `weft` with the password `mysqlPassword` and the database `shop`. */
  readonly url: string;
  /** Runs one statement directly, as another user. */
  sql(text: string): Promise<Record<string, unknown>[]>;
  /** Ends it immediately without a checkpoint, like a crash. */
  crash(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
};

/** A MariaDB server on 127.0.0.1 with TLS. It runs as another user when this process is root. */
export async function startMysql(
  program: string,
  { certificate = testCertificate, key = testKey }: { certificate?: string; key?: string } = {},
): Promise<MysqlServer> {
  const folder = mkdtempSync(path.join(tmpdir(), 'weft-mysql-'));
  const user = getUnprivilegedUser();
  const own = (file: string, mode: number): void => {
    chmodSync(file, mode);
    if (user !== null) chownSync(file, user.uid, user.gid);
  };
  own(folder, 0o700);
  const write = (name: string, text: string): string => {
    const file = path.join(folder, name);
    writeFileSync(file, text);
    own(file, 0o600);
    return file;
  };
  const as = { ...user, cwd: folder, env: { PATH: process.env['PATH'], LC_ALL: 'C' } };
  const data = path.join(folder, 'data');
  execFileSync(
    INSTALLER,
    [
      '--no-defaults',
      `--datadir=${data}`,
      '--auth-root-authentication-method=normal',
      '--skip-test-db',
      '--skip-name-resolve',
    ],
    { ...as, stdio: 'pipe' },
  );
  const port = await freePort();
  const certificates = [
    `--ssl-cert=${write('server.crt', certificate)}`,
    `--ssl-key=${write('server.key', key)}`,
  ];
  let child: ReturnType<typeof spawn> | null = null;
  let printed = '';
  const onExit = (): void => void child?.kill('SIGKILL');
  process.once('exit', onExit);

  async function run(account: { user: string; password?: string }, texts: readonly string[]) {
    const connection = await createConnection({
      host: '127.0.0.1',
      port,
      ...account,
      connectTimeout: START_MS,
    });
    try {
      let rows: unknown = [];
      for (const text of texts) [rows] = await connection.query(text);
      return rows as Record<string, unknown>[];
    } finally {
      connection.destroy();
    }
  }

  async function start(): Promise<void> {
    const started = spawn(
      program,
      [
        '--no-defaults',
        `--datadir=${data}`,
        `--port=${port}`,
        '--bind-address=127.0.0.1',
        `--socket=${path.join(folder, 'server.sock')}`,
        `--pid-file=${path.join(folder, 'server.pid')}`,
        '--skip-name-resolve',
        '--innodb-flush-log-at-trx-commit=0',
        '--innodb-buffer-pool-size=32M',
        '--max-allowed-packet=256M',
        // A setting that a session must not depend on.
        '--default-time-zone=+09:00',
        ...certificates,
      ],
      { ...as, stdio: ['ignore', 'ignore', 'pipe'] },
    );
    child = started;
    started.stderr?.on('data', (chunk: Buffer) => (printed = (printed + chunk.toString()).slice(-20_000)));
    for (const since = performance.now(); ; await new Promise((resolve) => setTimeout(resolve, 50))) {
      const isUp = await run({ user: 'root' }, ['SELECT 1']).then(
        () => true,
        () => false,
      );
      if (isUp) return;
      if (started.exitCode !== null || performance.now() - since > START_MS) {
        await crash();
        throw new Error(`MariaDB did not start:\n${printed}`);
      }
    }
  }

  async function crash(): Promise<void> {
    if (child === null) return;
    const ended = child;
    child = null;
    const exited = new Promise((resolve) => ended.once('exit', resolve));
    ended.kill('SIGKILL');
    await exited;
  }

  async function close(): Promise<void> {
    await crash();
    process.off('exit', onExit);
    rmSync(folder, { recursive: true, force: true });
  }

  try {
    await start();
    await run({ user: 'root' }, [
      'CREATE DATABASE shop CHARACTER SET utf8mb4',
      `CREATE USER weft IDENTIFIED BY '${mysqlPassword}'`,
      'GRANT ALL ON shop.* TO weft',
    ]);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    port,
    url: `mysql://weft:${encodeURIComponent(mysqlPassword)}@127.0.0.1:${port}/shop`,
    sql: (text) => run({ user: 'root' }, ['USE shop', text]),
    crash,
    start,
    close,
  };
}
