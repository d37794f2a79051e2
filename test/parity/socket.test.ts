import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ExecutionUpdateResource } from '../../src/contract/requests/websocket.ts';
import {
  spawnService,
  type SpawnedService,
  createTempFolder,
  waitUntil,
  type Call,
} from '../support/service.ts';
import { manual, mapNode } from '../api/definitions.ts';
import { toContractNames } from './clients.ts';

const folder = createTempFolder();
let weft: SpawnedService;
let token: string;
let api: Call;
beforeAll(async () => {
  weft = await spawnService({ dataDir: folder.path });
  const login = await weft.call('POST', '/auth/login', {
    body: { email: 'admin@example.com', password: 'correct horse battery staple' },
  });
  ({ token } = login.body as { token: string });
  api = await weft.login();
});
afterAll(async () => {
  await weft.stop();
  folder.remove();
});

type Message = { type: string; data: Record<string, unknown> };

/** A socket and its received messages. */
async function open(): Promise<{
  socket: WebSocket;
  messages: Message[];
  readonly say: (message: object) => void;
}> {
  const socket = new WebSocket(`${weft.url.replace('http', 'ws')}/ws`);
  const messages: Message[] = [];
  socket.addEventListener('message', ({ data }) => messages.push(JSON.parse(String(data)) as Message));
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve, { once: true });
    socket.addEventListener('error', reject, { once: true });
  });
  return { socket, messages, say: (message) => socket.send(JSON.stringify(message)) };
}
const next = (messages: Message[], at: number): Promise<Message> =>
  waitUntil(
    () => Promise.resolve(messages[at]),
    (message) => message !== undefined,
  ) as Promise<Message>;

describe('the socket rejects tokens with the same message as REST', () => {
  test.each(['nonsense', 'weft_nonsense', 'a.b.c', 'x'.repeat(60)])('the token %s', async (wrong) => {
    const { messages, say } = await open();
    say({ type: 'auth', token: wrong });
    const { type, data } = await next(messages, 0);
    const rest = await weft.call('GET', '/workflows', { headers: { authorization: `Bearer ${wrong}` } });
    expect(type).toBe('error');
    expect({ error: data }).toEqual(rest.body);
  });

  test.each([
    ['workflow_id', '/workflows/', 'wf_00000000000000000000000000'],
    ['execution_id', '/executions/', 'ex_00000000000000000000000000'],
  ])('a %s that is missing', async (field, path, id) => {
    const { socket, messages, say } = await open();
    say({ type: 'auth', token });
    say({ type: 'subscribe', data: { [field]: id } });
    const { type, data } = await next(messages, 1);
    expect(type).toBe('error');
    expect({ error: data }).toEqual((await api('GET', path + id)).body);
    socket.close();
  });
});

test('the socket, a GraphQL subscription and REST report the same states of an execution', async () => {
  const wait = { id: 'wait', type: 'delay', config: { duration: '30ms' } };
  const made = await api('POST', '/workflows', {
    body: {
      name: 'watched',
      definition: {
        nodes: [manual, wait, mapNode('copy', 'a', 'b')],
        connections: [
          { from: 'start', to: 'wait' },
          { from: 'wait', to: 'copy' },
        ],
      },
    },
  });
  const { id } = made.body as { id: string };
  const { socket, messages, say } = await open();
  say({ type: 'auth', token });
  say({ type: 'subscribe', data: { workflow_id: id } });
  await next(messages, 1);

  const stop = new AbortController();
  const stream = await fetch(`${weft.url}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'text/event-stream',
      authorization: `Bearer ${token}`,
    },
    body: JSON.stringify({
      query:
        'subscription($id: ID!) { workflowExecution(workflowId: $id) { executionId workflowId status progress currentNode timestamp } }',
      variables: { id },
    }),
    signal: stop.signal,
  });
  expect(stream.status).toBe(200);
  const updates: unknown[] = [];
  const reading = (async () => {
    let text = '';
    for await (const chunk of stream.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      const events = text.split('\n\n');
      text = events.pop() ?? '';
      for (const event of events) {
        const data = /^data: ?(.*)$/m.exec(event)?.[1];
        if (data === undefined || data === '') continue;
        const { data: notified } = JSON.parse(data) as { data: { workflowExecution: unknown } };
        updates.push(toContractNames(notified.workflowExecution, ExecutionUpdateResource));
      }
    }
  })().catch(() => undefined);

  await api('POST', `/workflows/${id}/execute`, { body: { input: { a: 1 } } });
  const ofSocket = (): Message['data'][] =>
    messages.filter(({ type }) => type === 'execution_update').map(({ data }) => data);
  await waitUntil(
    () => Promise.resolve([ofSocket().at(-1), updates.at(-1)]),
    ([a, b]) => [a, b].every((update) => (update as { status?: string } | undefined)?.status === 'completed'),
  );
  stop.abort();
  await reading;
  socket.close();
  // Intermediate updates may be merged. The remaining ones are equal, in the same order.
  const [fewer, more] = [updates, ofSocket()]
    .map((all) => all.map((one) => JSON.stringify(one, Object.keys(one as object).sort())))
    .sort((a, b) => a.length - b.length) as [string[], string[]];
  expect(more.filter((one) => fewer.includes(one))).toEqual(fewer);
  const last = ofSocket().at(-1)!;
  expect(updates.at(-1)).toEqual(last);
  const rest = (await api('GET', `/executions/${String(last['execution_id'])}`)).body;
  expect(rest).toMatchObject({ workflow_id: id, status: last['status'], progress: last['progress'] });
});
