import { afterEach, expect, test } from 'vitest';
import { ConnectionError, NotFoundError, createClient } from '../index.ts';
import { createErrorBody, json, startFailingServer, type FailingServer } from '../testing/failing-server.ts';

let server: FailingServer;
afterEach(() => server.close());

const entry = (message: string) => ({
  timestamp: '2026-01-01T00:00:00.000Z',
  level: 'info',
  node_id: null,
  message,
  data: null,
});

test('a log stream cut anywhere resumes after the last entry', async () => {
  const all = Array.from({ length: 12 }, (_, i) => entry(`line ${i} — “ü”`));
  server = await startFailingServer(({ headers }, response, nth) => {
    if (nth === 2) {
      json(response, 500, createErrorBody('INTERNAL_ERROR'));
      return;
    }
    const from = headers['last-event-id'] === undefined ? 0 : Number(headers['last-event-id']) + 1;
    const text = all
      .map((one, i) => `: beat\r\nid: ${i}\r\ndata: ${JSON.stringify(one)}\r\n\r\n`)
      .slice(from)
      .join('');
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    // The chunks have odd sizes and are cut in the middle of an event, a line, or a character.
    const bytes = Buffer.from(nth > 4 ? `${text}event: end\ndata: {"status":"completed"}\n\n` : text);
    const end = nth > 4 ? bytes.length : 350 + nth * 37;
    let at = 0;
    const step = (): void => {
      if (at >= end) {
        if (nth > 4) response.end();
        else response.destroy();
        return;
      }
      response.write(bytes.subarray(at, Math.min(end, at + 11)));
      at += 11;
      setImmediate(step);
    };
    step();
  });
  const client = createClient({ baseUrl: server.url, apiKey: 'k' });
  const seen: string[] = [];
  const entries = client.executions.logs.follow('ex_1', { level: 'info' });
  let next = await entries.next();
  for (; next.done !== true; next = await entries.next()) seen.push(next.value.message);
  expect(seen).toEqual(all.map((one) => one.message));
  expect(next.value).toBe('completed');
  expect(server.seen.length).toBeGreaterThan(3);
  expect(server.seen[0]!.path).toBe('/v1/executions/ex_1/logs?level=info');
});

test('a log stream ends on a service error, an abort, or a timeout', async () => {
  server = await startFailingServer(({ path }, response) => {
    if (path.includes('gone')) json(response, 404, createErrorBody('NOT_FOUND'));
    else response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': beat\n\n');
  });
  const client = createClient({ baseUrl: server.url, apiKey: 'k' });
  await expect(client.executions.logs.follow('gone').next()).rejects.toBeInstanceOf(NotFoundError);
  const controller = new AbortController();
  const reason = new Error('enough');
  setTimeout(() => controller.abort(reason), 50);
  await expect(client.executions.logs.follow('ex_1', { signal: controller.signal }).next()).rejects.toBe(
    reason,
  );
  const down = createClient({ baseUrl: 'http://127.0.0.1:9', apiKey: 'k' });
  await expect(down.executions.logs.follow('ex_1', { giveUpAfter: 100 }).next()).rejects.toBeInstanceOf(
    ConnectionError,
  );
});
