import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectSocket, endSocketClients, type SocketClient } from '../support/websocket/websocket-client.ts';
import { adminEmail, adminPassword, caller, type Call } from '../support/service.ts';
import { greeting, longWait, manual } from '../api/definitions.ts';
import { startArtifactService } from './artifact.ts';
import { DocumentedMessages } from './documented-messages.ts';

/* Every message of the AsyncAPI document, both ways, against the built program without its sources. */
const service = startArtifactService();
let messages: DocumentedMessages;
let token: string;
let api: Call;

beforeAll(async () => {
  messages = await DocumentedMessages.open(service.weft.url);
  const body = { email: adminEmail, password: adminPassword };
  ({ token } = (await service.weft.call('POST', '/auth/login', { body })).body as { token: string });
  api = caller(service.weft.url, { authorization: `Bearer ${token}` });
});
afterAll(endSocketClients);

async function workflow(definition: object, more: object = {}): Promise<string> {
  const reply = await api('POST', '/workflows', { body: { name: 'W', definition, ...more } });
  return (reply.body as { id: string }).id;
}
async function execute(id: string, body: object): Promise<string> {
  return ((await api('POST', `/workflows/${id}/execute`, { body })).body as { id: string }).id;
}

/** Sends a documented message. */
function send(socket: SocketClient, message: { type: string }): void {
  messages.check('socket', message.type, message);
  socket.send(message);
}

test('the WebSocket', async () => {
  const greet = await workflow(greeting, { status: 'active' });
  const socket = await connectSocket(service.weft.url);
  send(socket, { type: 'auth', token } as { type: string });
  await socket.next('auth_success');
  send(socket, { type: 'ping' });
  await socket.next('pong');
  const filter = { data: { workflow_id: greet } };
  send(socket, { type: 'subscribe', ...filter });
  await socket.next('subscribed');
  const id = await execute(greet, { input: { name: 'Ada' } });
  await socket.next(({ data }) => data?.['execution_id'] === id && data['status'] === 'completed');
  // Without a name it fails, which is a notification.
  await execute(greet, { input: {} });
  await socket.next('notification');
  const ask = await workflow({
    nodes: [manual, { id: 'ask', type: 'approval', config: { title: 'Expense' } }],
    connections: [{ from: 'start', to: 'ask' }],
  });
  await execute(ask, {});
  await socket.next('decision');
  send(socket, { type: 'unsubscribe', ...filter });
  await socket.next('unsubscribed');
  send(socket, { type: 'subscribe', data: { execution_id: 'ex_none' } } as { type: string });
  await socket.next('error');
  for (const message of socket.messages) messages.check('socket', message.type, message);
});

/** The events of a log until its end. `opened` is called as soon as the first one has come. */
async function follow(id: string, headers: Record<string, string>, opened = async () => {}): Promise<void> {
  const response = await fetch(`${service.weft.url}/executions/${id}/logs`, {
    headers: { accept: 'text/event-stream', ...headers },
  });
  expect(response.status).toBe(200);
  let text = '';
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    if (text === '') await opened();
    text += chunk;
  }
  for (const event of text.split('\n\n')) {
    const data = /^data: (.*)$/m.exec(event)?.[1];
    if (data === undefined) continue;
    const name = /^event: (.*)$/m.exec(event)?.[1] ?? 'entry';
    messages.check('log', `log_${name}`, JSON.parse(data));
  }
}

test('the live log', async () => {
  const authorization = `Bearer ${token}`;
  const done = await execute(await workflow(greeting), { input: { name: 'Ada' }, wait: '30s' });
  await follow(done, { authorization });
  const long = await execute(await workflow(longWait), {});
  const made = await api('POST', '/api-keys', { body: { name: 'reader' } });
  const key = made.body as { id: string; key: string };
  await follow(long, { 'x-api-key': key.key }, async () => {
    await api('DELETE', `/api-keys/${key.id}`);
  });
});

test('every documented message was exchanged', () => {
  expect(messages.unseen()).toEqual([]);
});
