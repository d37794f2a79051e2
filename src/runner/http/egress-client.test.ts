import { createServer as createTcpServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { Readable } from 'node:stream';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import {
  closeAll,
  expectFailure,
  createTestEgressClient,
  get,
  neverAborted,
  open,
  startServer,
  decodeText,
} from '../../../test/support/egress-client.ts';
import { serve } from '../../../test/support/servers/http-server.ts';
import type { TestServer } from '../../../test/support/servers/http-server.ts';

afterEach(closeAll);

describe('redirects', () => {
  it('follows them, with the method as browsers do', async () => {
    for (const [status, method, expected] of [
      [301, 'POST', 'GET'],
      [302, 'POST', 'GET'],
      [303, 'POST', 'GET'],
      [303, 'PUT', 'GET'],
      [301, 'PUT', 'PUT'],
      [302, 'DELETE', 'DELETE'],
      [307, 'POST', 'POST'],
      [308, 'PATCH', 'PATCH'],
    ] as const) {
      const target = await startServer((q, r) => {
        if (q.url === '/') r.writeHead(status, { location: '/next?x=1' }).end();
        else r.end('there');
      });
      const egress = createTestEgressClient('127.0.0.1');
      const response = await egress.send(
        {
          method,
          url: target.url,
          body: 'data',
          headers: { 'Content-Type': 'text/plain', 'X-Mine': 'yes', Authorization: 'a' },
        },
        neverAborted,
      );
      expect(decodeText(response.body)).toBe('there');
      expect(response.url).toBe(`${target.url}/next?x=1`);
      const second = target.received[1];
      expect([status, method, second?.method]).toEqual([status, method, expected]);
      expect(second?.body).toBe(expected === 'GET' ? '' : 'data');
      expect(second?.headers['content-type']).toBe(expected === 'GET' ? undefined : 'text/plain');
      expect(second?.headers['x-mine']).toBe('yes');
      expect(second?.headers.authorization).toBe('a');
    }
  });

  it('drops credentials and headers of its own when the origin changes', async () => {
    const other = await startServer((_q, r) => r.end('other'));
    const first = await startServer((_q, r) => r.writeHead(307, { location: `${other.url}/x` }).end());
    await createTestEgressClient('127.0.0.1').send(
      {
        method: 'POST',
        url: first.url,
        body: '{}',
        headers: {
          Authorization: 'Bearer t',
          Cookie: 'a=b',
          'X-API-Key': 'k',
          'My-Token': 'k',
          Accept: 'application/json',
          'Content-Type': 'application/json',
          'Idempotency-Key': 'i',
        },
      },
      neverAborted,
    );
    expect(Object.keys(other.received[0]?.headers ?? {}).sort()).toEqual([
      'accept',
      'accept-encoding',
      'connection',
      'content-length',
      'content-type',
      'host',
      'idempotency-key',
      'user-agent',
    ]);
  });

  it.each([
    ['http://169.254.169.254/', 'forbidden'],
    ['http://2130706433:PORT/', 'forbidden'],
    ['http://[::ffff:127.0.0.1]:PORT/', 'forbidden'],
    ['file:///etc/passwd', 'forbidden'],
    ['http://user:pass@127.0.0.1:ALLOWED/', 'forbidden'],
    ['http://[', 'network'],
  ])('refuses one to %s', async (location, type) => {
    const hidden = await startServer((_q, r) => r.end('hidden'));
    const first: TestServer = await startServer((_q, r) =>
      r
        .writeHead(302, {
          location: location.replace('PORT', String(hidden.port)).replace('ALLOWED', String(first.port)),
        })
        .end(),
    );
    const egress = createTestEgressClient(`127.0.0.1:${first.port}`);
    expect((await expectFailure(egress.send(get(first.url), neverAborted))).type).toBe(type);
    expect(hidden.connections()).toBe(0);
    expect(first.received).toHaveLength(1);
  });

  it('follows ten and no more', async () => {
    const target = await startServer((q, r) => {
      const n = Number((q.url ?? '/0').slice(1));
      if (n === 0) r.end('end');
      else r.writeHead(302, { location: `/${n - 1}` }).end();
    });
    const egress = createTestEgressClient('127.0.0.1');
    expect(decodeText((await egress.send(get(`${target.url}/10`), neverAborted)).body)).toBe('end');
    const failure = await expectFailure(egress.send(get(`${target.url}/11`), neverAborted));
    expect([failure.type, failure.retryable]).toEqual(['limit', false]);
  });

  it('returns a redirect when configured, or when it has no location', async () => {
    const target = await startServer((q, r) => {
      r.writeHead(302, q.url === '/nowhere' ? {} : { location: '/x' }).end();
    });
    const egress = createTestEgressClient('127.0.0.1');
    expect(
      (await egress.send(get(target.url, { redirect: 'return' }), neverAborted)).headers['location'],
    ).toBe('/x');
    expect((await egress.send(get(`${target.url}/nowhere`), neverAborted)).status).toBe(302);
  });

  it('checks the host at every redirect', async () => {
    const second = await startServer((_q, r) => r.end('x'), '127.0.0.2');
    const first = await startServer((_q, r) => r.writeHead(302, { location: second.url }).end());
    const hosts: string[] = [];
    const egress = createTestEgressClient('127.0.0.0/8');
    await egress.send(get(first.url), neverAborted, (host) => hosts.push(host));
    expect(hosts).toEqual(['127.0.0.1', '127.0.0.2']);
  });
});

describe('bodies', () => {
  const text = 'a'.repeat(1000);
  it.each([
    ['gzip', gzipSync(text)],
    ['x-gzip', gzipSync(text)],
    ['GZIP', gzipSync(text)],
    ['br', brotliCompressSync(text)],
    ['deflate', deflateSync(text)],
    ['deflate', deflateRawSync(text)],
    ['identity', Buffer.from(text)],
  ])('reads %s', async (encoding, bytes) => {
    const target = await startServer((_q, r) =>
      r.writeHead(200, { 'content-encoding': encoding }).end(bytes),
    );
    expect(
      decodeText((await createTestEgressClient('127.0.0.1').send(get(target.url), neverAborted)).body),
    ).toBe(text);
  });

  it.each([
    ['two encodings', 'gzip, gzip', gzipSync(gzipSync(text))],
    ['an unknown one', 'zstd', Buffer.from('x')],
    ['a broken one', 'gzip', gzipSync(text).subarray(0, 20)],
    ['a wrong one', 'br', gzipSync(text)],
  ])('refuses %s', async (_title, encoding, bytes) => {
    const target = await startServer((_q, r) =>
      r.writeHead(200, { 'content-encoding': encoding }).end(bytes),
    );
    expect(
      (await expectFailure(createTestEgressClient('127.0.0.1').send(get(target.url), neverAborted))).type,
    ).toBe('network');
  });

  it('stops at the limit: as announced, in chunks, or decoded', async () => {
    const target = await startServer((q, r) => {
      if (q.url === '/announced') r.writeHead(200, { 'content-length': '1001' }).end(`${text}b`);
      else if (q.url === '/bomb')
        r.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('0'.repeat(50_000_000)));
      else {
        r.write(text);
        r.end(q.url === '/exact' ? '' : 'b');
      }
    });
    const egress = createTestEgressClient('127.0.0.1');
    const limited = (path: string, maxBytes = 1000) =>
      egress.send(get(`${target.url}${path}`, { maxBytes }), neverAborted);
    expect((await limited('/exact')).body.byteLength).toBe(1000);
    for (const failure of [
      await expectFailure(limited('/announced')),
      await expectFailure(limited('/chunks')),
      await expectFailure(limited('/bomb', 100_000)),
    ])
      expect([failure.type, failure.retryable]).toEqual(['limit', false]);
  });

  it('ends a download without end at the limit', async () => {
    let closed = false;
    const target = await startServer((_q, r) => {
      const chunk = Buffer.alloc(65_536);
      const more = (): void => {
        while (!r.destroyed && r.write(chunk));
      };
      r.on('drain', more).on('close', () => {
        closed = true;
      });
      more();
    });
    const failure = await expectFailure(
      createTestEgressClient('127.0.0.1').send(get(target.url, { maxBytes: 5_000_000 }), neverAborted),
    );
    expect(failure.type).toBe('limit');
    await expect.poll(() => closed).toBe(true);
  });

  it('sends texts, bytes and forms', async () => {
    const target = await startServer((_q, r) => r.end());
    const egress = createTestEgressClient('127.0.0.1');
    await egress.send({ method: 'POST', url: target.url, body: 'tëxt' }, neverAborted);
    await egress.send({ method: 'POST', url: target.url, body: new Uint8Array([0, 255]) }, neverAborted);
    const content = { size: 7, read: () => Readable.from([Buffer.from('con'), Buffer.from('tent')]) };
    const form = [
      { name: 'a', content: 'b' },
      { name: 'doc', filename: 'x.txt', contentType: 'text/plain', content },
      {
        name: 'a"\r\nX: y',
        filename: '"\r\n.txt',
        contentType: 'text/x\r\nX: y',
        content: new Uint8Array([0]),
      },
    ];
    await egress.send({ method: 'POST', url: target.url, body: form }, neverAborted);
    expect(Buffer.from(target.received[0]?.body ?? '', 'latin1').toString()).toBe('tëxt');
    expect(target.received[1]?.body).toBe('\0\xff');
    const third = target.received[2];
    expect(third?.headers['content-type']).toMatch(/^multipart\/form-data; boundary=/);
    expect(third?.body).toMatch(
      /name="doc"; filename="x.txt"\r\nContent-Type: text\/plain\r\n\r\ncontent\r\n/,
    );
    expect(third?.body).toContain(
      'name="a%22%0D%0AX: y"; filename="%22%0D%0A.txt"\r\nContent-Type: text/x  X: y\r\n\r\n\0\r\n',
    );
    expect(Number(third?.headers['content-length'])).toBe(third?.body.length);
  });
});

describe('time and broken servers', () => {
  async function tcp(onSocket: (socket: Socket) => void): Promise<string> {
    const listening = createTcpServer(onSocket.bind(null));
    await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
    const sockets = new Set<Socket>();
    listening.on('connection', (socket) => sockets.add(socket.on('error', () => {})));
    open.push({
      close: () =>
        new Promise((resolve) => {
          for (const socket of sockets) socket.destroy();
          listening.close(() => resolve());
        }),
    });
    return `http://127.0.0.1:${(listening.address() as AddressInfo).port}/`;
  }

  it.each([
    ['says nothing', () => {}],
    ['stops in its headers', (socket: Socket) => void socket.write('HTTP/1.1 200 OK\r\nX: y\r\n')],
    [
      'stops in its body',
      (socket: Socket) => void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc'),
    ],
    [
      'drips for ever',
      (socket: Socket) => {
        socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
        const timer = setInterval(() => socket.write('1\r\na\r\n'), 10);
        socket.on('close', () => clearInterval(timer));
      },
    ],
  ])('gives up on a server that %s', async (_title, behave) => {
    let closed = false;
    const url = await tcp((socket) => {
      socket.on('close', () => {
        closed = true;
      });
      socket.once('data', () => behave(socket));
    });
    const failure = await expectFailure(
      createTestEgressClient('127.0.0.1').send(get(url, { timeout: 120 }), neverAborted),
    );
    expect(failure.type).toBe('timeout');
    await expect.poll(() => closed).toBe(true);
  });

  it.each([
    ['closes at once', (socket: Socket) => void socket.destroy()],
    ['resets', (socket: Socket) => void socket.resetAndDestroy()],
    ['does not speak HTTP', (socket: Socket) => void socket.end('SSH-2.0-OpenSSH\r\n\r\n')],
    [
      'breaks off its body',
      (socket: Socket) => void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc'),
    ],
    [
      'breaks off its chunks',
      (socket: Socket) => void socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab'),
    ],
    [
      'sends headers without end',
      (socket: Socket) => void socket.write(`HTTP/1.1 200 OK\r\nX: ${'y'.repeat(200_000)}\r\n\r\n`),
    ],
  ])('fails as network when a server %s', async (_title, behave) => {
    const url = await tcp((socket) => socket.once('data', () => behave(socket)));
    const failure = await expectFailure(
      createTestEgressClient('127.0.0.1').send(get(url, { timeout: 3000 }), neverAborted),
    );
    expect(failure.type).toBe('network');
  });

  it('fails as network when no server listens or a name is unknown', async () => {
    const gone = await serve((_q, r) => r.end());
    await gone.close();
    const refused = await expectFailure(
      createTestEgressClient('127.0.0.1').send(get(gone.url), neverAborted),
    );
    expect([refused.type, refused.message]).toEqual([
      'network',
      `127.0.0.1:${gone.port} refused the connection`,
    ]);
    const unknown = createTestEgressClient('', () =>
      Promise.reject(Object.assign(new Error('x'), { code: 'ENOTFOUND' })),
    );
    expect((await expectFailure(unknown.send(get('http://nobody.example/'), neverAborted))).message).toMatch(
      /could not be resolved/,
    );
  });

  it('closes the socket when it is aborted', async () => {
    let closed = false;
    const url = await tcp((socket) => {
      socket.resume().on('close', () => {
        closed = true;
      });
    });
    const controller = new AbortController();
    const work = expectFailure(createTestEgressClient('127.0.0.1').send(get(url), controller.signal));
    setTimeout(() => controller.abort(), 50);
    expect((await work).type).toBe('timeout');
    await expect.poll(() => closed).toBe(true);
  });

  it('sends nothing when it is aborted before', async () => {
    const target = await startServer((_q, r) => r.end());
    const controller = new AbortController();
    controller.abort();
    await expectFailure(createTestEgressClient('127.0.0.1').send(get(target.url), controller.signal));
    expect(target.connections()).toBe(0);
  });

  it('checks a certificate against the name', async () => {
    // A plain server where TLS is expected.
    const target = await startServer((_q, r) => r.end());
    const failure = await expectFailure(
      createTestEgressClient('127.0.0.1').send(get(target.url.replace('http:', 'https:')), neverAborted),
    );
    expect(failure.type).toBe('network');
  });
});

describe('headers', () => {
  it.each([['Host'], ['Content-Length'], ['Transfer-Encoding'], ['Connection'], ['a b'], ['a:b'], ['']])(
    'refuses to set %j',
    async (name) => {
      const target = await startServer((_q, r) => r.end());
      const failure = await expectFailure(
        createTestEgressClient('127.0.0.1').send(get(target.url, { headers: { [name]: '1' } }), neverAborted),
      );
      expect(failure.type).toBe('validation');
      expect(target.connections()).toBe(0);
    },
  );

  it('refuses line breaks in values', async () => {
    const target = await startServer((_q, r) => r.end());
    const failure = await expectFailure(
      createTestEgressClient('127.0.0.1').send(
        get(target.url, { headers: { a: 'x\r\nB: y' } }),
        neverAborted,
      ),
    );
    expect(failure.type).toBe('validation');
  });

  it('joins several values and lower-cases names', async () => {
    const target = await startServer((_q, r) =>
      r.writeHead(200, { 'X-A': ['1', '2'], 'Set-Cookie': ['a=1', 'b=2'] }).end(),
    );
    const { headers } = await createTestEgressClient('127.0.0.1').send(get(target.url), neverAborted);
    expect(headers).toMatchObject({ 'x-a': '1, 2', 'set-cookie': 'a=1, b=2' });
  });
});

it('reuses connections and resolves a name once for many requests', async () => {
  const target = await startServer((_q, r) => r.end('x'));
  let asked = 0;
  const egress = createTestEgressClient('many.example', () => {
    asked++;
    return Promise.resolve([{ address: '127.0.0.1', family: 4 }]);
  });
  await Promise.all(
    Array.from({ length: 20 }, async () => {
      for (let i = 0; i < 20; i++)
        await egress.send(get(`http://many.example:${target.port}/`), neverAborted);
    }),
  );
  expect(target.received).toHaveLength(400);
  // A connection is free one event loop turn after its response, so there may be more than callers.
  expect(target.connections()).toBeLessThan(60);
  expect(asked).toBe(1);
});
