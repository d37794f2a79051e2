import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { afterEach, expect, it } from 'vitest';
import { MemoryBudget } from '../../lib/limits/memory-budget.ts';
import {
  closeAll,
  expectFailure,
  createTestEgressClient,
  get,
  neverAborted,
  startServer,
  decodeText,
} from '../../../test/support/egress-client.ts';
import { realClock } from '../../../test/support/servers/http-server.ts';

afterEach(closeAll);

const MIB = 1024 * 1024;
const large = 'abcdefgh'.repeat(3 * 128 * 1024);

const packed = {
  gzip: gzipSync(large),
  br: brotliCompressSync(large, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  stored: gzipSync(large, { level: 0 }),
};

/** Answers with 3 MiB, in the way that its path names. */
const upstream = () =>
  startServer((q, r) => {
    if (q.url === '/announced') r.writeHead(200, { 'content-length': large.length }).end(large);
    else if (q.url === '/closed') r.writeHead(200, { connection: 'close' }).end(large);
    else if (q.url === '/gzip') r.writeHead(200, { 'content-encoding': 'gzip' }).end(packed.gzip);
    else if (q.url === '/br') r.writeHead(200, { 'content-encoding': 'br' }).end(packed.br);
    else if (q.url === '/stored') r.writeHead(200, { 'content-encoding': 'gzip' }).end(packed.stored);
    else if (q.url === '/broken') r.writeHead(200, { 'content-encoding': 'gzip' }).end(large);
    else if (q.url === '/endless') r.writeHead(200).write(large.repeat(2));
    else if (q.url === '/small') r.end('small');
    else r.writeHead(200).end(large);
  });

/** Nothing of it is taken. */
function isEmpty(memory: MemoryBudget): boolean {
  memory.add(memory.most - 1);
  const isFull = memory.isFull;
  memory.add(1);
  return !isFull && memory.isFull;
}

it('reads many at once within a small memory budget, and releases all of it', async () => {
  const { url } = await upstream();
  const memory = new MemoryBudget(8 * MIB);
  const egress = createTestEgressClient('127.0.0.1', undefined, realClock, memory);
  const ways = ['announced', 'closed', 'gzip', 'br', 'stored', 'chunked', 'broken'];
  const read = await Promise.all(
    Array.from({ length: 42 }, async (_, i) => {
      const way = ways[i % ways.length]!;
      const reservation = memory.place(`exec_${i}`);
      const sent = egress.send(get(`${url}/${way}`), neverAborted, undefined, undefined, reservation);
      const isAsItShould =
        way === 'broken'
          ? (await expectFailure(sent)).message.includes('not gzip')
          : decodeText((await sent).body) === large;
      await new Promise((resolve) => setTimeout(resolve, 20));
      reservation.leave();
      memory.release(`exec_${i}`, 0);
      return isAsItShould;
    }),
  );
  expect(read).toEqual(Array.from({ length: 42 }, () => true));
  expect(isEmpty(memory)).toBe(true);
});

it('leaves what a request without a place took with its end', async () => {
  const { url } = await upstream();
  const memory = new MemoryBudget(8 * MIB);
  const egress = createTestEgressClient('127.0.0.1', undefined, realClock, memory);
  const ways = ['announced', 'closed', 'gzip', 'br', 'stored', 'chunked'];
  for (const way of [...ways, ...ways])
    expect(decodeText((await egress.send(get(`${url}/${way}`), neverAborted)).body) === large).toBe(true);
  await Promise.all([...ways, ...ways].map((way) => egress.send(get(`${url}/${way}`), neverAborted)));
  await expectFailure(egress.send(get(`${url}/broken`), neverAborted));
  await expectFailure(egress.send(get(`${url}/chunked`, { maxBytes: 2 * MIB }), neverAborted));
  expect(isEmpty(memory)).toBe(true);
});

it('waits for memory within its time-out; small responses pass', async () => {
  const { url } = await upstream();
  const memory = new MemoryBudget(8 * MIB);
  const egress = createTestEgressClient('127.0.0.1', undefined, realClock, memory);
  // Two responses that never end: one holds all of the memory, the other may take more.
  const holders = ['exec_a', 'exec_b'].map((id) => memory.place(id));
  for (const holder of holders) holder.ask(8 * MIB, () => {});
  const within = (ms: number) => ({
    type: 'timeout',
    message: `No memory was available for the response of ${new URL(url).host} within ${ms} ms`,
  });
  const [idle, ...failures] = await Promise.all([
    expectFailure(egress.send(get(`${url}/chunked`, { idleTimeout: 2_000 }), neverAborted)),
    ...['announced', 'chunked', 'br', 'stored'].map((way) =>
      expectFailure(egress.send(get(`${url}/${way}`, { timeout: 2_000 }), neverAborted)),
    ),
  ]);
  expect(idle).toMatchObject(within(2_000));
  for (const failure of failures) expect(failure).toMatchObject(within(2_000));
  expect(decodeText((await egress.send(get(`${url}/small`), neverAborted)).body)).toBe('small');

  const given = new AbortController();
  const sent = egress.send(get(`${url}/announced`), given.signal);
  const waits = egress.send(get(`${url}/announced`), neverAborted);
  setTimeout(() => given.abort(), 50);
  await expectFailure(sent);
  for (const holder of holders) holder.leave();
  memory.release('exec_b', 0);
  expect(decodeText((await waits).body) === large).toBe(true);
  expect(isEmpty(memory)).toBe(true);
});

it('slow responses delay others no longer than their own time limit', async () => {
  const { url } = await upstream();
  const memory = new MemoryBudget(8 * MIB);
  const egress = createTestEgressClient('127.0.0.1', undefined, realClock, memory);
  const endless = Array.from({ length: 4 }, () =>
    expectFailure(egress.send(get(`${url}/endless`, { maxBytes: 7 * MIB, timeout: 1_000 }), neverAborted)),
  );
  const after = ['a', 'b', 'c'].map(() => egress.send(get(`${url}/announced`), neverAborted));
  for (const each of after) expect(decodeText((await each).body) === large).toBe(true);
  for (const each of endless) expect(await each).toMatchObject({ type: 'timeout' });
  expect(isEmpty(memory)).toBe(true);
});
