import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { drainServer, waitForLastRequests } from './server.ts';
import { clock, createEchoServers, listen } from '../../../test/support/servers/echo-server.ts';

const { server, sinks, release } = createEchoServers();

describe('event streams and the drain', () => {
  const headers = { authorization: 'Bearer good' };
  test('event streams have the common headers and end when they are closed', async () => {
    const port = await listen(server());
    const response = await fetch(`http://127.0.0.1:${port}/v1/events`, { headers });
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(response.headers.get('x-request-id')).toMatch(/^req_/);
    expect(response.headers.get('x-ratelimit-limit')).toBe('1000');
    sinks.at(-1)!.close();
    expect(await response.text()).toBe('event: first\nid: 0\ndata: {"n":1}\n\ndata: {"n":2}\n\n');
  });
  test('a stream is closed when its client disconnects', async () => {
    const port = await listen(server());
    const stop = new AbortController();
    await fetch(`http://127.0.0.1:${port}/v1/events`, { headers, signal: stop.signal });
    const left = new Promise<void>((resolve) => sinks.at(-1)!.onClose(resolve));
    stop.abort();
    await left;
    expect(sinks.at(-1)!.closed).toBe(true);
  });
  test('a client that does not read is disconnected', async () => {
    const port = await listen(server());
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    socket.write('GET /v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer good\r\n\r\n');
    await once(socket, 'readable');
    const sink = sinks.at(-1)!;
    const chunk = 'x'.repeat(100_000);
    for (let i = 0; i < 1000 && !sink.closed; i++) sink.send(chunk);
    expect(sink.closed).toBe(true);
    socket.destroy();
  });
  test('a drain ends streams and idle connections, and lets requests in flight finish', async () => {
    const app = server();
    const port = await listen(app);
    const base = `http://127.0.0.1:${port}/v1`;
    await (await fetch(`${base}/things/1`)).text();
    const stream = await fetch(`${base}/events`, { headers });
    const slow = fetch(`${base}/slow`);
    await expect.poll(release).not.toBeNull();
    const drained = drainServer(app, clock, 60_000);
    expect(await stream.text()).toContain('data: {"n":2}');
    release()!();
    expect(await (await slow).json()).toEqual({ done: true });
    await drained;
    await expect(fetch(`${base}/things/1`)).rejects.toThrow();
    await drainServer(app, clock, 5_000);
  });
  test('before a drain, an idle connection gets one more response, which closes it', async () => {
    let leaving = false;
    const app = server({ isLeaving: () => leaving });
    const port = await listen(app);
    const socket = connect(port, '127.0.0.1');
    const ended = once(socket, 'end');
    let received = '';
    socket.on('data', (chunk: Buffer) => (received += chunk.toString()));
    const request = 'GET /v1/things/1 HTTP/1.1\r\nHost: x\r\n\r\n';
    socket.write(request);
    await expect.poll(() => received).toContain('"id":"1"');
    expect(received).toMatch(/^connection: keep-alive\r$/im);
    received = '';
    leaving = true;
    let endDelay = (): void => {};
    const last = waitForLastRequests(app, { ...clock, after: (_ms, run) => ((endDelay = run), () => {}) });
    // A request that was in transit when the service was asked to stop.
    socket.write(request);
    await ended;
    expect(received).toMatch(/^HTTP\/1\.1 200 [^]*^connection: close\r$[^]*"id":"1"/im);
    endDelay();
    await last;
  });
  test('without open connections the server does not wait', async () => {
    const app = server();
    await listen(app);
    const never = (): (() => void) => {
      throw new Error('A timer was started.');
    };
    await waitForLastRequests(app, { ...clock, after: never });
  });
  test('requests that exceed the grace period are aborted', async () => {
    const app = server();
    const port = await listen(app);
    const slow = fetch(`http://127.0.0.1:${port}/v1/slow`).catch((error: unknown) => error);
    await new Promise((resolve) => setTimeout(resolve, 50));
    await drainServer(app, clock, 50);
    expect(await slow).toBeInstanceOf(Error);
  });
});
