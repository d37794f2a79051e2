import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { AwsClient } from 'aws4fetch';
import { freePort } from '../free-port.ts';
import { s3Keys } from './s3-signature.ts';

const START_MS = 60_000;
const MEMORY_BYTES = 512 * 1024 ** 2;

const PROGRAMS = ['radosgw', 'radosgw-admin', 'ceph', 'ceph-mon', 'ceph-osd'].map(
  (name) => `/usr/bin/${name}`,
);
/** Ceph's S3 server and what it needs are installed. */
export const hasRadosgw = PROGRAMS.every((file) => existsSync(file));

/** Ceph's S3 server on 127.0.0.1, with the keys `s3Keys` and the buckets `reports` and `weft`. */
export type Radosgw = {
  readonly url: string;
  /** Sends a signed request, such as `GET weft?list-type=2`. */
  request(method: string, target: string): Promise<Response>;
  /** Ends the server immediately. The objects stay. */
  kill(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
};

/** A monitor, a store of at most 512 MiB in memory, and the S3 server that uses them. */
export async function startRadosgw(): Promise<Radosgw> {
  const folder = mkdtempSync(path.join(tmpdir(), 'weft-ceph-'));
  const file = (...names: string[]): string => path.join(folder, ...names);
  const conf = file('ceph.conf');
  const [monitorPort, port] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${port}`;
  const id = randomUUID();
  const running = new Set<ChildProcess>();
  const killAll = (): void => running.forEach((child) => child.kill('SIGKILL'));
  process.once('exit', killAll);
  for (const name of ['mon', 'osd', 'run']) mkdirSync(file(name));
  writeFileSync(conf, toConfiguration({ folder, id, monitorPort, port }));

  const run = (program: string, ...args: string[]) =>
    promisify(execFile)(`/usr/bin/${program}`, [...args, '--conf', conf], { timeout: START_MS });
  function spawnServer(program: string, ...args: string[]): ChildProcess {
    const child = spawn(`/usr/bin/${program}`, ['-f', ...args, '--conf', conf], { stdio: 'ignore' });
    running.add(child);
    child.once('exit', () => running.delete(child));
    return child;
  }
  async function end(child: ChildProcess): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await exited;
  }

  const client = new AwsClient({
    accessKeyId: s3Keys.access_key_id,
    secretAccessKey: s3Keys.secret_access_key,
    service: 's3',
    region: 'us-east-1',
    retries: 0,
  });
  const request = (method: string, target: string): Promise<Response> =>
    client.fetch(`${url}/${target}`, { method, signal: AbortSignal.timeout(START_MS) });

  let gateway: ChildProcess | null = null;
  async function start(): Promise<void> {
    const started = spawnServer('radosgw', '-n', 'client.rgw');
    gateway = started;
    for (const since = performance.now(); ; await new Promise((resolve) => setTimeout(resolve, 50))) {
      const isUp = await fetch(url, { signal: AbortSignal.timeout(1_000) }).then(
        ({ ok }) => ok,
        () => false,
      );
      if (isUp) return;
      if (started.exitCode !== null || performance.now() - since > START_MS)
        throw new Error(
          `radosgw did not start:\n${readFileSync(file('run', 'client.rgw.log'), 'utf8').slice(-4_000)}`,
        );
    }
  }
  async function kill(): Promise<void> {
    if (gateway !== null) await end(gateway);
    gateway = null;
  }
  async function close(): Promise<void> {
    await Promise.all([...running].map(end));
    process.off('exit', killAll);
    rmSync(folder, { recursive: true, force: true });
  }

  try {
    const map = file('monmap');
    await run('monmaptool', '--create', '--addv', 'a', `[v2:127.0.0.1:${monitorPort}]`, '--fsid', id, map);
    await run('ceph-mon', '--mkfs', '-i', 'a', '--monmap', map);
    spawnServer('ceph-mon', '-i', 'a');
    const store = randomUUID();
    await run('ceph', 'osd', 'new', store);
    await run('ceph-osd', '-i', '0', '--mkfs', '--osd-uuid', store);
    spawnServer('ceph-osd', '-i', '0');
    const { access_key_id: key, secret_access_key: secret } = s3Keys;
    const keys = ['--access-key', key, '--secret-key', secret];
    await run(
      'radosgw-admin',
      '-n',
      'client.rgw',
      'user',
      'create',
      '--uid=weft',
      '--display-name=weft',
      ...keys,
    );
    await start();
    for (const bucket of ['reports', 'weft']) {
      const { status } = await request('PUT', bucket);
      if (status !== 200) throw new Error(`radosgw did not create the bucket ${bucket}: ${status}`);
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { url, request, kill, start, close };
}

function toConfiguration(of: { folder: string; id: string; monitorPort: number; port: number }): string {
  const settings = {
    fsid: of.id,
    'mon host': `[v2:127.0.0.1:${of.monitorPort}/0]`,
    'public addr': '127.0.0.1',
    'cluster addr': '127.0.0.1',
    // Without authentication among the three processes, and thus without encryption.
    'auth cluster required': 'none',
    'auth service required': 'none',
    'auth client required': 'none',
    'ms mon client mode': 'crc',
    // One copy of everything.
    'osd pool default size': '1',
    'osd pool default min size': '1',
    'mon allow pool size one': 'true',
    'osd pool default pg num': '1',
    'osd pool default pgp num': '1',
    'osd pool default pg autoscale mode': 'off',
    'rgw rados pool pg num min': '1',
    'osd crush chooseleaf type': '0',
    'paxos propose interval': '0.05',
    'osd objectstore': 'memstore',
    'memstore device bytes': String(MEMORY_BYTES),
    'osd memory target': String(2 * MEMORY_BYTES),
    'rgw frontends': `beast endpoint=127.0.0.1:${of.port}`,
    'rgw thread pool size': '16',
    'mon data': path.join(of.folder, 'mon'),
    'osd data': path.join(of.folder, 'osd'),
    'rgw data': path.join(of.folder, 'rgw'),
    'run dir': path.join(of.folder, 'run'),
    'admin socket': path.join(of.folder, 'run', '$name.$pid.asok'),
    'log file': path.join(of.folder, 'run', '$name.log'),
  };
  return `[global]\n${Object.entries(settings)
    .map(([name, value]) => `${name} = ${value}\n`)
    .join('')}`;
}
