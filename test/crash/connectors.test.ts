import { afterEach, expect, test } from 'vitest';
import { spawnService, createTempFolder, waitUntil, type SpawnedService } from '../support/service.ts';
import { startUpstream, type ReceivedRequest, type Upstream } from '../support/upstream.ts';
import { manual } from '../api/definitions.ts';

const folder = createTempFolder();
let upstream: Upstream | null = null;
let service: SpawnedService | null = null;
afterEach(async () => {
  await service?.kill9();
  await upstream?.close();
  folder.remove();
});

const readIdempotencyKey = ({ headers }: ReceivedRequest): unknown => headers['idempotency-key'];

test('killed during each connector in turn: only this one runs again, with the same key; ended nodes do not', async () => {
  /** The number of calls, from the first, that get a response. */
  let answered = 0;
  let seen = 0;
  upstream = await startUpstream(() => ({
    body: { ok: true, id: seen },
    ...(++seen <= answered ? {} : { after: 120_000 }),
  }));
  const { url, received } = upstream;
  const start = async () => {
    service = await spawnService({ dataDir: folder.path });
    return service.login();
  };
  let call = await start();
  for (const [name, value] of [
    ['CRM', { base_url: url, token: 'tok-123456' }],
    ['SLACK', { base_url: `${url}/api`, token: 'xoxb-1234-abcd' }],
  ] as const)
    await call('PUT', `/secrets/${name}`, { body: { value: JSON.stringify(value) } });
  const nodes = [
    manual,
    { id: 'http', type: 'http_request', config: { method: 'POST', url: `${url}/http`, body: { a: 1 } } },
    { id: 'told', type: 'notify', config: { level: 'info', message: 'between' } },
    {
      id: 'crm',
      type: 'customer_records',
      config: {
        service: 'rest',
        operation: 'create',
        credentials: '{{ secrets.CRM }}',
        data: { name: 'Ada' },
      },
    },
    {
      id: 'slack',
      type: 'slack',
      config: { operation: 'post_message', credentials: '{{ secrets.SLACK }}', channel: 'C', text: 'x' },
    },
  ];
  const connections = nodes.slice(1).map(({ id }, i) => ({ from: nodes[i]!.id, to: id }));
  const made = await call('POST', '/workflows', {
    body: { name: 'W', definition: { nodes, connections } },
  });
  expect(made.status, made.text).toBe(201);
  const { id } = made.body as { id: string };
  const began = await call('POST', `/workflows/${id}/execute`, { body: {} });
  const execution = `/executions/${(began.body as { id: string }).id}`;
  // Each of the three is called, killed without a response, called again and answered; the next kill is in
  // the one after it.
  for (let round = 0; round < 3; round++) {
    await waitUntil(
      () => Promise.resolve(received.length),
      (n) => n === 2 * round + 1,
    );
    await service!.kill9();
    answered = 2 * round + 2;
    call = await start();
  }
  const ended = await waitUntil(
    async () => (await call('GET', execution)).body as { status: string; output: unknown },
    ({ status }) => status === 'completed',
    20_000,
  );
  expect(ended.output).toMatchObject({ ok: true });
  expect(received.map(({ path }) => path)).toEqual([
    '/http',
    '/http',
    '/customers',
    '/customers',
    '/api/chat.postMessage',
    '/api/chat.postMessage',
  ]);
  const keys = received.map(readIdempotencyKey);
  expect(keys.every((key) => typeof key === 'string' && key !== '')).toBe(true);
  expect([keys[0] === keys[1], keys[2] === keys[3], keys[4] === keys[5], new Set(keys).size]).toEqual([
    true,
    true,
    true,
    3,
  ]);
  const { logs } = (await call('GET', `${execution}/logs?limit=100&node_id=told`)).body as {
    logs: { message: string }[];
  };
  expect(logs.filter(({ message }) => message === 'between')).toHaveLength(1);
});
