import { beforeAll, expect, test } from 'vitest';
import { useService } from '../../support/use-service.ts';
import { adminEmail, adminPassword } from '../../support/service.ts';
import { readEvents, type StreamedEvent } from '../../support/servers/event-stream.ts';
import { greeting, manual, mapNode } from '../definitions.ts';

const service = useService();
const { api } = service;
let token: string;

beforeAll(async () => {
  const login = await service.weft.call('POST', '/auth/login', {
    body: { email: adminEmail, password: adminPassword },
  });
  ({ token } = login.body as { token: string });
});

type Entry = { timestamp: string; level: string; node_id: string | null; message: string; data: unknown };

async function start(definition: object, body: object = {}): Promise<string> {
  const { id } = (await api('POST', '/workflows', { body: { name: 'x', definition } })).body as {
    id: string;
  };
  const run = await api('POST', `/workflows/${id}/execute`, { body });
  expect(run.status, run.text).toBe(201);
  return (run.body as { id: string }).id;
}

/** Reads a log as a stream of events to its end, or until `enough`. */
const follow = (
  id: string,
  headers: Record<string, string> = {},
  query = '',
  enough?: (events: StreamedEvent[]) => boolean,
): Promise<StreamedEvent[]> =>
  readEvents(`${service.weft.url}/executions/${id}/logs${query}`, {
    headers: { authorization: `Bearer ${token}`, ...headers },
    ...(enough === undefined ? {} : { enough }),
  });

test('the log has every node’s start and end, oldest first, by pages', async () => {
  const id = await start(greeting, { input: { name: 'Ada' }, wait: '20s' });
  const all = (await api('GET', `/executions/${id}/logs?limit=100`)).body as {
    logs: Entry[];
    pagination: { total: number };
  };
  expect(all.logs.length).toBe(all.pagination.total);
  for (const entry of all.logs) {
    expect(entry).toEqual({
      timestamp: expect.stringMatching(/Z$/),
      level: 'info',
      node_id: entry.node_id,
      message: expect.any(String),
      data: expect.anything(),
    });
  }
  const of = (node: string): string[] =>
    all.logs.filter(({ node_id }) => node_id === node).map(({ message }) => message);
  expect(of('greet')).toEqual(['Started', 'Completed']);
  const times = all.logs.map(({ timestamp }) => timestamp);
  expect(times).toEqual(times.toSorted());
  const second = (await api('GET', `/executions/${id}/logs?limit=2&page=2`)).body as { logs: Entry[] };
  expect(second.logs).toEqual(all.logs.slice(2, 4));
  const filtered = (await api('GET', `/executions/${id}/logs?node_id=greet&level=info&limit=1`)).body as {
    logs: Entry[];
    pagination: { total: number };
  };
  expect([filtered.logs.length, filtered.pagination.total]).toEqual([1, 2]);
  expect((await api('GET', `/executions/${id}/logs?level=loud`)).status).toBe(400);
  expect((await api('GET', '/executions/ex_nothing/logs')).status).toBe(404);
});

test('a failure is logged as an error', async () => {
  const id = await start(greeting, { input: {}, wait: '20s' });
  const { logs } = (await api('GET', `/executions/${id}/logs?level=error`)).body as { logs: Entry[] };
  expect(logs.find(({ node_id }) => node_id === 'greet')).toBeDefined();
});

test('the live log of an ended execution is the whole log, then the end', async () => {
  const id = await start(greeting, { input: { name: 'Ada' }, wait: '20s' });
  const { logs } = (await api('GET', `/executions/${id}/logs?limit=100`)).body as { logs: Entry[] };
  const events = await follow(id);
  expect(events.map(({ data }) => data)).toEqual([...logs, { status: 'completed' }]);
  expect(events.map(({ id: number }) => number)).toEqual([...logs.map((_, i) => String(i)), null]);
  expect(events.at(-1)?.event).toBe('end');
  const behind = await follow(id, { 'last-event-id': '1' });
  expect(behind.map(({ data }) => data)).toEqual([...logs.slice(2), { status: 'completed' }]);
  const some = await follow(id, {}, '?node_id=greet');
  expect(some.length).toBe(3);
});

test('many readers of a running execution get every entry once, in order, and its end', async () => {
  const steps = 12;
  const nodes: object[] = [manual];
  const connections: object[] = [];
  for (let i = 0; i < steps; i++) {
    nodes.push({ id: `wait${i}`, type: 'delay', config: { duration: '60ms' } }, mapNode(`map${i}`, 'n', 'n'));
    connections.push(
      { from: i === 0 ? 'start' : `map${i - 1}`, to: `wait${i}` },
      { from: `wait${i}`, to: `map${i}` },
    );
  }
  const id = await start({ nodes, connections }, { input: { n: 1 } });
  const readers = Array.from({ length: 10 }, async (_, i) => {
    await new Promise((resolve) => setTimeout(resolve, i * 70));
    return follow(id);
  });
  // A client that disconnects and resumes with the last event id.
  const first = await follow(id, {}, '', (events) => events.length >= 5);
  const rest = await follow(id, { 'last-event-id': first.at(-1)!.id! });
  const streams = await Promise.all(readers);
  const { logs } = (await api('GET', `/executions/${id}/logs?limit=100`)).body as { logs: Entry[] };
  const wanted = [...logs, { status: 'completed' }];
  for (const stream of streams) expect(stream.map(({ data }) => data)).toEqual(wanted);
  expect([...first, ...rest].map(({ data }) => data)).toEqual(wanted);
});

test('stopping ends the stream', async () => {
  const id = await start({
    nodes: [manual, { id: 'wait', type: 'delay', config: { duration: '1h' } }],
    connections: [{ from: 'start', to: 'wait' }],
  });
  const stream = follow(id);
  await new Promise((resolve) => setTimeout(resolve, 100));
  await api('POST', `/executions/${id}/stop`);
  expect((await stream).at(-1)).toEqual({ id: null, event: 'end', data: { status: 'stopped' } });
});

test('what the live log does not take is refused', async () => {
  const id = await start(greeting, { input: { name: 'Ada' }, wait: '20s' });
  const ask = (path: string, headers: Record<string, string> = {}) =>
    api('GET', path, { headers: { accept: 'text/event-stream', ...headers } });
  expect((await ask(`/executions/${id}/logs?page=2`)).status).toBe(400);
  expect((await ask(`/executions/${id}/logs`, { 'last-event-id': 'x' })).status).toBe(400);
  expect((await ask('/executions/ex_nothing/logs')).status).toBe(404);
  expect(
    (await service.weft.call('GET', `/executions/${id}/logs`, { headers: { accept: 'text/event-stream' } }))
      .status,
  ).toBe(401);
});

test('a user can have 500 open streams, and closing one allows another', async () => {
  const id = await start({
    nodes: [manual, { id: 'wait', type: 'delay', config: { duration: '10m' } }],
    connections: [{ from: manual.id, to: 'wait' }],
  });
  const open: AbortController[] = [];
  /** Keeps a reference: an unreferenced response is closed by the garbage collector. */
  const held: Response[] = [];
  const follow = async (): Promise<Response> => {
    const abort = new AbortController();
    open.push(abort);
    const reply = await fetch(`${service.weft.url}/executions/${id}/logs`, {
      headers: { accept: 'text/event-stream', authorization: `Bearer ${token}` },
      signal: abort.signal,
    });
    held.push(reply);
    return reply;
  };
  try {
    for (let i = 0; i < 10; i++) {
      const responses = await Promise.all(Array.from({ length: 50 }, follow));
      expect(responses.map((reply) => reply.status)).toEqual(Array(50).fill(200));
    }
    expect(held).toHaveLength(500);
    const refused = await follow();
    expect(refused.status).toBe(429);
    expect(await refused.json()).toMatchObject({ error: { details: { reason: 'capacity' } } });
    open[0]!.abort();
    await expect.poll(async () => (await follow()).status).toBe(200);
  } finally {
    for (const abort of open) abort.abort();
    await api('POST', `/executions/${id}/stop`);
  }
});

test('a live log ends with the session or the key that opened it', async () => {
  const id = await start({
    nodes: [manual, { id: 'wait', type: 'delay', config: { duration: '10m' } }],
    connections: [{ from: manual.id, to: 'wait' }],
  });
  const login = await service.weft.call('POST', '/auth/login', {
    body: { email: adminEmail, password: adminPassword },
  });
  const session = `Bearer ${(login.body as { token: string }).token}`;
  const made = await api('POST', '/api-keys', { body: { name: 'reader' } });
  const key = made.body as { id: string; key: string };
  const open = (headers: Record<string, string>) =>
    fetch(`${service.weft.url}/executions/${id}/logs`, {
      headers: { accept: 'text/event-stream', ...headers },
    });
  const streams = [await open({ authorization: session }), await open({ 'x-api-key': key.key })];
  expect(streams.map(({ status }) => status)).toEqual([200, 200]);
  expect(
    (await service.weft.call('POST', '/auth/logout', { headers: { authorization: session } })).status,
  ).toBe(200);
  expect((await api('DELETE', `/api-keys/${key.id}`)).status).toBe(200);
  for (const stream of streams)
    expect(await stream.text()).toMatch(/event: error\ndata: .*"code":"UNAUTHORIZED".*\n\n$/);
  await api('POST', `/executions/${id}/stop`);
});

test('a live log is selected by its media type, in any case, and not by a media type with q=0', async () => {
  const id = await start({ nodes: [manual], connections: [] });
  const typeFor = async (accept: string) =>
    (await api('GET', `/executions/${id}/logs`, { headers: { accept } })).headers.get('content-type');
  expect(await typeFor('application/json;q=0.5, TEXT/Event-Stream; q=0.8')).toMatch(/^text\/event-stream/);
  expect(await typeFor('text/event-stream;q=0, */*')).toMatch(/^application\/json/);
});
