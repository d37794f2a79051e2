import { afterEach, expect, test } from 'vitest';
import { ConnectionError, GraphqlError, createClient } from '../index.ts';
import { createErrorBody, json, startFailingServer, type FailingServer } from '../testing/failing-server.ts';

let server: FailingServer;
afterEach(() => server.close());

const next = (value: object): string => `event: next\ndata: ${JSON.stringify(value)}\n\n`;
const QUERY = 'subscription { systemHealth { uptime } }';
type Data = { systemHealth: { uptime: number } };

test('a stream that breaks off is reopened, and ends when the service completes it', async () => {
  server = await startFailingServer((_request, response, nth) => {
    if (nth === 2) {
      json(response, 500, createErrorBody('INTERNAL_ERROR'));
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(`: beat\n\n${next({ data: { systemHealth: { uptime: nth } } })}`);
    if (nth >= 3) response.end('event: complete\ndata:\n\n');
    else setTimeout(() => response.destroy(), 20);
  });
  const received: number[] = [];
  for await (const { systemHealth } of createClient({ baseUrl: server.url }).subscribe<Data>(QUERY))
    received.push(systemHealth.uptime);
  expect(received).toEqual([1, 3]);
});

test('errors of the operation and a permanent outage end the stream', async () => {
  server = await startFailingServer((_request, response, nth) => {
    if (nth > 1) {
      response.destroy();
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(next({ errors: [{ message: 'no', extensions: { code: 'FORBIDDEN' } }] }));
  });
  const client = createClient({ baseUrl: server.url });
  await expect(client.subscribe(QUERY).next()).rejects.toThrow(GraphqlError);
  await expect(client.subscribe(QUERY, {}, { giveUpAfter: 200 }).next()).rejects.toThrow(ConnectionError);
});

test('an abort ends the stream with the reason of the signal', async () => {
  server = await startFailingServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(next({ data: { systemHealth: { uptime: 1 } } }));
  });
  const leaving = new AbortController();
  const all = createClient({ baseUrl: server.url }).subscribe<Data>(QUERY, {}, { signal: leaving.signal });
  await all.next();
  const more = all.next();
  leaving.abort(new Error('enough'));
  await expect(more).rejects.toThrow('enough');
});
