import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { WeftError } from '../../contract/errors.ts';
import { noMetrics } from '../../ports/metrics.ts';
import { createLog } from '../log.ts';
import { drainServer, type ServerOptions } from './server.ts';
import { clock, echoServers, listening, raw } from './testing/echo-server.ts';

const { server, lines } = echoServers();

/** `/v1/in/…` is answered with the way that the call came, and its body; `/v1/in/fails` fails straight after 50 ms. */
const webhooks: ServerOptions['webhooks'] = (app, straight) => {
  straight?.open('/v1/in/', async ({ url, body }) => {
    if (url.endsWith('/fails')) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      throw new WeftError('NOT_FOUND', 'There is none.');
    }
    if (url.endsWith('/breaks')) throw new Error('broken inside');
    if (url.endsWith('/odd')) return { status: 200, headers: { 'x-odd': 'two\nlines' }, body: '' };
    return { status: 200, headers: { 'x-way': 'straight' }, body: body.toString() };
  });
  app.addHook('onRequest', (request, _reply, done) => done(straight?.failureOf(request.raw)?.error as Error));
  app.all('/in/*', (request, reply) => {
    void reply.header('x-way', 'framework').send(request.body ?? '');
  });
};

const send = (port: number, text: string) => raw(port, text.replaceAll('\n', '\r\n'));
const post = 'POST /v1/in/a HTTP/1.1\nHost: x\nConnection: close\n';

describe('the way past the framework', () => {
  test('is for plain calls with small bodies; all else goes through the framework', async () => {
    const port = await listening(server({ webhooks }));
    const way = async (text: string): Promise<string | undefined> =>
      /\r\nx-way: (\w+)\r\n[^]*\r\n\r\n/.exec(await send(port, text))?.[1];
    expect(await way(`${post}Content-Length: 2\n\nhi`)).toBe('straight');
    expect(await way(`${post}Content-Length: 0\n\n`)).toBe('straight');
    expect(await way(`${post}Content-Length: 2\nUpgrade: h2c\n\nhi`)).toBe('straight');
    expect(await way(`${post}Content-Length: 16383\n\n${'x'.repeat(16_383)}`)).toBe('straight');
    for (const other of [
      `${post}Content-Length: 16384\n\n${'x'.repeat(16_384)}`,
      `${post}Transfer-Encoding: chunked\n\n2\nhi\n0\n\n`,
      `${post}\n`,
      `${post}Content-Length: 2\nOrigin: https://page.example\n\nhi`,
      `${post.replace('POST', 'PUT')}Content-Length: 2\n\nhi`,
      `${post.replace('POST', 'GET')}\n`,
    ])
      expect(await way(other), other.slice(0, 200)).toBe('framework');
    expect(await send(port, `${post}Host: y\nContent-Length: 2\n\nhi`)).toMatch(
      /^HTTP\/1\.1 400 [^]*given more than once/,
    );
    expect(await send(port, `${post.replace('/in/', '/out/')}Content-Length: 2\n\nhi`)).toMatch(
      /^HTTP\/1\.1 404 /,
    );
  });

  test('gives what it got, whole, with the headers of every answer', async () => {
    const port = await listening(server({ webhooks }, { corsOrigins: ['https://page.example'] }));
    const body = 'é'.repeat(4_000);
    const answer = await fetch(`http://127.0.0.1:${port}/v1/in/a`, { method: 'POST', body });
    expect(await answer.text()).toBe(body);
    expect(answer.headers.get('x-way')).toBe('straight');
    expect(answer.headers.get('x-request-id')).toMatch(/^req_/);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('vary')).toBe('Origin');
    expect(answer.headers.get('weft-version')).not.toBeNull();
  });

  test('what fails there is answered by the framework, and has taken as long as it took', async () => {
    const told: [route: string | null, status: number, ms: number][] = [];
    const metrics = {
      ...noMetrics,
      requestAnswered: (_method: string, route: string | null, status: number, ms: number) =>
        void told.push([route, status, ms]),
      text: () => Promise.resolve(''),
      contentType: 'text/plain',
    };
    const port = await listening(server({ webhooks, metrics: { metrics, token: null } }));
    const ask = (path: string) =>
      fetch(`http://127.0.0.1:${port}/v1/in/${path}`, { method: 'POST', body: 'x' });
    const failed = await ask('fails');
    expect(failed.status).toBe(404);
    expect(await failed.json()).toMatchObject({ error: { code: 'NOT_FOUND', message: 'There is none.' } });
    expect(failed.headers.get('cache-control')).toBe('no-store');
    const broken = await ask('breaks');
    expect(broken.status).toBe(new WeftError('INTERNAL_ERROR').status);
    expect(lines.join('')).toContain('broken inside');
    expect((await ask('odd')).status).toBe(500);
    expect((await ask('a')).status).toBe(200);
    await expect.poll(() => told.length).toBe(4);
    expect(told.map(([route, status]) => [route, status])).toEqual([
      ['/v1/in/*', 404],
      ['/v1/in/*', 500],
      ['/v1/in/*', 500],
      ['/v1/in/*', 200],
    ]);
    expect(told[0]![2]).toBeGreaterThanOrEqual(49);
  });

  test('of a client that leaves, before its body is whole or before the answer, nothing is left, and others are served', async () => {
    const served: string[] = [];
    let go = (): void => {};
    const port = await listening(
      server({
        webhooks: (_app, straight) =>
          straight?.open('/v1/in/', async ({ body }) => {
            served.push(body.toString());
            if (body.toString() === 'slow') await new Promise<void>((resolve) => (go = resolve));
            return { status: 200, headers: {}, body: 'served' };
          }),
      }),
    );
    const call = 'POST /v1/in/a HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n';
    const half = connect(port, '127.0.0.1');
    half.write(`${call}ha`);
    const slow = connect(port, '127.0.0.1');
    slow.write(`${call}slow`);
    await expect.poll(() => served).toEqual(['slow']);
    half.destroy();
    slow.destroy();
    await new Promise((resolve) => setTimeout(resolve, 20));
    go();
    expect(await send(port, `${post}Content-Length: 4\n\nlast`)).toContain('served');
    expect(served).toEqual(['slow', 'last']);
    expect(lines.filter((line) => !line.includes('Server listening'))).toEqual([]);
  });

  test('is closed where each request is logged, and while the server drains', async () => {
    const logged = server({ webhooks, log: createLog('debug', { write: () => {} }) });
    const answer = await fetch(`http://127.0.0.1:${await listening(logged)}/v1/in/a`, {
      method: 'POST',
      body: 'x',
    });
    expect(answer.headers.get('x-way')).toBe('framework');

    const app = server({ webhooks });
    const port = await listening(app);
    const socket = connect(port, '127.0.0.1');
    let got = '';
    socket.on('data', (chunk: Buffer) => (got += chunk.toString()));
    const call = 'POST /v1/in/a HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n';
    // The first half of a call keeps the connection open.
    socket.write(`${call}hi${call.slice(0, 30)}`);
    await expect.poll(() => got).toContain('x-way: straight');
    got = '';
    const drained = drainServer(app, clock, 10_000);
    socket.write(`${call.slice(30)}hi`);
    await expect.poll(() => got).toContain('x-way: framework');
    expect(got).toContain('connection: close');
    await drained;
  });
});
