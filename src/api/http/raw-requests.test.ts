import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { createEchoServers, listen, sendRaw } from '../../../test/support/servers/echo-server.ts';

const { server, lines } = createEchoServers();

describe('requests over a raw socket', () => {
  test.each([
    ['not HTTP', 'HELLO\r\n\r\n', 'is not valid HTTP'],
    ['no host', 'GET /v1/things/1 HTTP/1.1\r\nConnection: close\r\n\r\n', 'is required in HTTP/1.1'],
    [
      'both a length and chunks',
      'POST /v1/echo HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n',
      'is not valid HTTP',
    ],
    [
      'a header that is too long',
      `GET / HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`,
      'headers are larger',
    ],
  ])('%s: 400 in our form', async (_name, text, issue) => {
    const response = await sendRaw(await listen(server()), text);
    expect(response).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(response).toMatch(/x-request-id: req_/i);
    expect(response).toMatch(/weft-version: 9\.8\.7/i);
    expect(response).toContain('{"error":{"code":"');
    expect(response).toContain(issue);
  });
  test('an unknown Expect header is ignored', async () => {
    const port = await listen(server());
    const response = await sendRaw(
      port,
      'GET /v1/things/1 HTTP/1.1\r\nHost: x\r\nExpect: magic\r\nConnection: close\r\n\r\n',
    );
    expect(response).toMatch(/^HTTP\/1\.1 200 /);
  });
  test('a method that Node does not know is NOT_FOUND', async () => {
    const port = await listen(server());
    for (const line of ['BREW /v1/things/1', 'CONNECT example.com:443']) {
      const response = await sendRaw(port, `${line} HTTP/1.1\r\nHost: x\r\n\r\n`);
      expect(response).toMatch(/^HTTP\/1\.1 404 Not Found\r\n/);
      expect(response).toContain('"code":"NOT_FOUND"');
    }
  });
  test('a complete request before invalid bytes gets its own response', async () => {
    const port = await listen(server());
    for (const [rest, status, issue] of [
      ['{"a":1}', 400, 'is not valid HTTP'],
      ['BREW / HTTP/1.1\r\n\r\n', 404, 'does not support BREW'],
    ] as const) {
      const response = await sendRaw(port, `GET /v1/things/1 HTTP/1.1\r\nHost: x\r\n\r\n${rest}`);
      const statuses = [...response.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, one]) => Number(one));
      expect(statuses, response).toEqual([200, status]);
      expect(response).toContain('"id":"1"');
      expect(response).toContain(issue);
    }
  });
  test('headers that do not arrive time out', async () => {
    const app = server();
    const port = await listen(app);
    expect([app.server.headersTimeout, app.server.requestTimeout]).toEqual([10_000, 60_000]);
    app.server.headersTimeout = 100;
    const response = await sendRaw(port, 'GET /v1/things/1 HTTP/1.1\r\nHost: x\r\n');
    expect(response).toMatch(/^HTTP\/1\.1 400 /);
    expect(response).toContain('did not arrive in time');
  });
  test('a connection without a request is closed without a response', async () => {
    const app = server();
    const port = await listen(app);
    app.server.headersTimeout = 100;
    expect(await sendRaw(port, '')).toBe('');
  });
  test('a body that does not arrive times out', async () => {
    const app = server();
    const port = await listen(app);
    app.server.headersTimeout = 50;
    app.server.requestTimeout = 100;
    const head =
      'POST /v1/echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 5000000\r\n\r\n{';
    const response = await sendRaw(port, head);
    expect(response).toMatch(/^HTTP\/1\.1 400 /);
    expect(response).toContain('did not arrive in time');
    expect(lines.filter((line) => line.includes('"level":"error"'))).toEqual([]);
  });
  test('a client that disconnects while sending its body is not logged as an error', async () => {
    const port = await listen(server());
    const socket = connect(port, '127.0.0.1');
    socket.write(
      'POST /v1/echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
    );
    await new Promise((resolve) => setTimeout(resolve, 50));
    socket.destroy();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(lines.filter((line) => !line.includes('Server listening'))).toEqual([]);
  });
  test('X-Forwarded-For counts only from a trusted proxy', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.9' };
    expect((await server().inject({ url: '/v1/things/1', headers })).json().ip).toBe('127.0.0.1');
    const trusting = server({}, { trustProxy: ['loopback'] });
    expect((await trusting.inject({ url: '/v1/things/1', headers })).json().ip).toBe('203.0.113.9');
  });
});
