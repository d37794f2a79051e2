import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from '../support/servers/free-port.ts';
import { getUnprivilegedUser } from '../support/servers/postgres-wire-server.ts';
import type { TestServer } from '../support/servers/postgres-server.ts';
import { waitUntil } from '../support/service.ts';

/** Settings of `startServer` for a primary with a standby. */
export const PRIMARY_SETTINGS = { wal_level: 'replica', max_wal_senders: '5', hot_standby: 'on' };

export type Standby = {
  readonly port: number;
  /** Makes it the primary; resolves when it accepts writes. */
  promote(): Promise<void>;
  close(): Promise<void>;
};

/** Starts a standby with streaming replication, and makes each commit of the primary wait for it. */
export async function startStandby(programs: string, primary: TestServer): Promise<Standby> {
  const folder = mkdtempSync(path.join(tmpdir(), 'weft-standby-'));
  const user = getUnprivilegedUser();
  chmodSync(folder, 0o700);
  if (user !== null) chownSync(folder, user.uid, user.gid);
  const as = { ...user, cwd: folder, env: { PATH: process.env['PATH'], LC_ALL: 'C' } };
  const data = path.join(folder, 'data');
  const source = `host=127.0.0.1 port=${primary.port} user=weft application_name=standby`;
  const copy = ['-D', data, '-d', source, '-R', '-X', 'stream', '--checkpoint=fast', '--no-sync'];
  execFileSync(path.join(programs, 'pg_basebackup'), copy, { ...as, stdio: 'pipe' });
  const port = await freePort();
  const settings = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: folder,
    max_connections: '200',
    max_wal_senders: '5',
    synchronous_commit: 'off',
    datestyle: 'German',
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const child = spawn(path.join(programs, 'postgres'), ['-D', data, ...flags], { ...as, stdio: 'ignore' });
  const onExit = (): void => void child.kill('SIGQUIT');
  process.once('exit', onExit);
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const primaryUrl = `postgres://weft@127.0.0.1:${primary.port}/postgres`;
  const ownUrl = `postgres://weft@127.0.0.1:${port}/postgres`;
  const replication = async (): Promise<unknown> =>
    (await primary.sql(primaryUrl, 'SELECT sync_state, state FROM pg_stat_replication'))[0];
  await waitUntil(replication, (row) => (row as { state?: string } | undefined)?.state === 'streaming');
  await primary.sql(primaryUrl, `ALTER SYSTEM SET synchronous_standby_names = 'standby'`);
  await primary.sql(primaryUrl, 'SELECT pg_reload_conf()');
  await waitUntil(replication, (row) => (row as { sync_state?: string }).sync_state === 'sync');
  return {
    port,
    async promote() {
      await primary.sql(ownUrl, 'SELECT pg_promote(true, 60)');
    },
    async close() {
      child.kill('SIGQUIT');
      await exited;
      process.off('exit', onExit);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
