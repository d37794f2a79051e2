import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from './free-port.ts';

/** ms after which a server that does not respond counts as failed. */
const START_TIMEOUT_MS = 10_000;

/** A Redis server on a free port, with its files in a temporary folder. */
export type RedisServer = {
  readonly url: string;
  /** The TLS address, when it was started with a certificate. */
  readonly tlsUrl: string | null;
  readonly port: number;
  /** Ends it without saving. `start` starts it again on the same port. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Runs one command, like `redis-cli`. */
  command(...args: string[]): Promise<unknown>;
  remove(): Promise<void>;
};

/**
 * Null when the program is missing: tests that need it are skipped, and test/support/services-needed.ts
 * reports it.
 */
export const redisProgram: string | null =
  spawnSync('redis-server', ['--version'], { stdio: 'ignore' }).status === 0 ? 'redis-server' : null;

export async function startRedis(tls?: { certificate: string; key: string }): Promise<RedisServer> {
  const folder = mkdtempSync(path.join(tmpdir(), 'weft-redis-'));
  const port = await freePort();
  const tlsPort = tls === undefined ? null : await freePort();
  const tlsArgs: string[] = [];
  if (tls !== undefined) {
    const [cert, key] = [path.join(folder, 'server.crt'), path.join(folder, 'server.key')];
    writeFileSync(cert, tls.certificate);
    writeFileSync(key, tls.key);
    tlsArgs.push('--tls-port', String(tlsPort), '--tls-auth-clients', 'no');
    tlsArgs.push('--tls-cert-file', cert, '--tls-key-file', key, '--tls-ca-cert-file', cert);
  }
  let child: ChildProcess | null = null;

  async function command(...args: string[]): Promise<unknown> {
    const client = new Redis(port, '127.0.0.1', { retryStrategy: () => null, lazyConnect: true });
    client.on('error', () => {});
    try {
      await client.connect();
      const [name, ...rest] = args;
      return await client.call(name ?? 'PING', ...rest);
    } finally {
      client.disconnect();
    }
  }

  async function start(): Promise<void> {
    child = spawn(
      'redis-server',
      [
        '--port',
        String(port),
        '--bind',
        '127.0.0.1',
        '--dir',
        folder,
        '--save',
        '',
        '--appendonly',
        'no',
        ...tlsArgs,
      ],
      { stdio: 'ignore' },
    );
    const end = performance.now() + START_TIMEOUT_MS;
    for (;;) {
      try {
        await command('PING');
        return;
      } catch (error) {
        if (performance.now() > end) throw error;
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    }
  }

  async function stop(): Promise<void> {
    const running = child;
    child = null;
    if (running === null) return;
    const exited = new Promise((resolve) => running.once('exit', resolve));
    running.kill('SIGKILL');
    await exited;
  }

  await start();
  return {
    url: `redis://127.0.0.1:${port}`,
    tlsUrl: tlsPort === null ? null : `rediss://127.0.0.1:${tlsPort}`,
    port,
    start,
    stop,
    command,
    async remove() {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
