import { spawn } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createBullmqQueue } from './bullmq-queue.ts';
import { testQueue } from '../conformance/queue.ts';
import { redisProgram, startRedis, type RedisServer } from '../../../test/support/servers/redis-server.ts';

describe.skipIf(redisProgram === null)('on Redis', () => {
  let redis: RedisServer;
  let used = 0;
  const errors: unknown[] = [];
  const queue = (prefix: string, lockDurationMs?: number) =>
    createBullmqQueue({
      url: redis.url,
      prefix,
      ...(lockDurationMs !== undefined && { lockDurationMs }),
      now: () => Date.now(),
      after(ms, run) {
        const timer = setTimeout(run, ms);
        return () => clearTimeout(timer);
      },
      report: (_message, error) => errors.push(error),
    });
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(async () => {
    await redis.remove();
  });

  testQueue('on BullMQ', () => {
    const prefix = `weft-${++used}`;
    return Promise.resolve({ join: () => queue(prefix), close: () => Promise.resolve() });
  });

  async function until(what: string, holds: () => boolean | Promise<boolean>, ms = 30_000): Promise<void> {
    const end = performance.now() + ms;
    while (!(await holds())) {
      if (performance.now() > end) throw new Error(`never came: ${what}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  test('removes finished jobs from Redis', async () => {
    const one = queue('clean');
    await until('it is up', () => one.isUp());
    let taken = 0;
    one.startWorker(() => Promise.resolve(void taken++), 10);
    one.announce(Array.from({ length: 500 }, (_, i) => `ex_${i}`));
    await until('all are done', async () => taken === 500 && (await one.depth())?.taken === 0);
    const keys = (await redis.command('KEYS', 'clean:*ex_*')) as string[];
    expect(keys).toEqual([]);
    expect(Number(await redis.command('XLEN', 'clean:executions:events'))).toBeLessThanOrEqual(300);
    await one.close();
  });

  test('a job that Redis cannot read is reported and does not affect other jobs', async () => {
    const one = queue('alone');
    await until('it is up', () => one.isUp());
    const known = errors.length;
    one.announce(Array.from({ length: 20 }, (_, i) => `ex_${i}`));
    await until('all wait', async () => (await one.depth())?.waiting === 20);
    const script = "redis.call('DEL', KEYS[1]); redis.call('SET', KEYS[1], 'x')";
    await redis.command('EVAL', script, '1', 'alone:executions:ex_5');
    const taken = new Set<string>();
    one.startWorker((id) => Promise.resolve(void taken.add(id)), 100);
    await until('all but that one are taken', () => taken.size === 19);
    expect(taken).not.toContain('ex_5');
    await until('all but that one are removed', async () =>
      ((await redis.command('KEYS', 'alone:executions:ex_*')) as string[]).every((key) =>
        key.includes('ex_5'),
      ),
    );
    await one.close();
    expect(errors.splice(known).map(String)).toContainEqual(expect.stringContaining('WRONGTYPE'));
  });

  test('claims announced ids after a flush and after a restart without data', async () => {
    const one = queue('lossy');
    await until('it is up', () => one.isUp());
    const taken: string[] = [];
    one.startWorker((id) => Promise.resolve(void taken.push(id)), 10);
    one.announce(['ex_1']);
    await until('it is taken', () => taken.includes('ex_1'));
    await redis.command('FLUSHALL');
    expect(await redis.command('DBSIZE')).toBeLessThanOrEqual(3);
    one.announce(['ex_2']);
    await until('it is taken', () => taken.includes('ex_2'));
    await redis.stop();
    await until('the loss is seen', () => !one.isUp());
    expect(await one.depth()).toBeNull();
    // Dropped, and nothing throws.
    one.announce(['ex_3']);
    await redis.start();
    await until('it is up again', () => one.isUp());
    one.announce(['ex_4']);
    await until('it is taken', () => taken.includes('ex_4'), 15_000);
    expect(taken).not.toContain('ex_3');
    await one.close();
  });

  test('another worker gets the ids of a killed worker', async () => {
    const program = `
      import { createBullmqQueue } from ${JSON.stringify(new URL('./bullmq-queue.ts', import.meta.url).href)};
      const queue = createBullmqQueue({ url: ${JSON.stringify(redis.url)}, prefix: 'killed', lockDurationMs: 1_500, now: () => Date.now(),
        after: (ms, run) => { const t = setTimeout(run, ms); return () => clearTimeout(t); }, report() {} });
      queue.startWorker((id) => { console.log(id); return new Promise(() => {}); }, 100);
    `;
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let printed = '';
    child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    const api = queue('killed');
    await until('it is up', () => api.isUp());
    api.announce(Array.from({ length: 20 }, (_, i) => `ex_${i}`));
    await until('the child has them', () => printed.split('\n').length === 21);
    const other = queue('killed', 1_500);
    const taken: string[] = [];
    await until('it is up', () => other.isUp());
    other.startWorker((id) => Promise.resolve(void taken.push(id)), 100);
    const exited = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await exited;
    expect(taken).toEqual([]);
    await until('the other one has them', () => taken.length === 20, 15_000);
    await Promise.all([api.close(), other.close()]);
  });

  test('reports no unexpected errors', () => {
    expect(errors).toEqual([]);
  });
});
