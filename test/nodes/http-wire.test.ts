import type { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { NodeFailure, Outcome } from '../../src/contract/node-type.ts';
import type { Json, JsonObject } from '../../src/lib/json/json.ts';
import { startRawServer, type RawServer } from '../support/servers/raw-http-server.ts';
import { createAttempt, closeRunners, makeRunner, settleAttempt } from '../support/node-runner.ts';
import { httpRequest } from '../../src/nodes/http/http-request.node.ts';

// Servers as they are: each writes its bytes by hand.

let made: ReturnType<typeof makeRunner>;
const servers: RawServer[] = [];
beforeEach(() => {
  made = makeRunner();
});
afterEach(async () => {
  await closeRunners();
  await Promise.all(servers.splice(0).map((one) => one.close()));
});

async function raw(respond: (socket: Socket, head: string, rest: Buffer) => void): Promise<RawServer> {
  const one = await startRawServer(respond);
  servers.push(one);
  return one;
}

const run = (config: JsonObject, input: Json = {}): Promise<Outcome> =>
  settleAttempt(made.runner.run(createAttempt(httpRequest, config, { input })));

async function result(config: JsonObject): Promise<{ status: number; headers: JsonObject; body: Json }> {
  const outcome = await run(config);
  if (outcome.kind !== 'done') throw new Error(JSON.stringify(outcome));
  return outcome.outputs['out'] as { status: number; headers: JsonObject; body: Json };
}

async function failure(config: JsonObject): Promise<NodeFailure> {
  const outcome = await run(config);
  if (outcome.kind !== 'failed') throw new Error(JSON.stringify(outcome));
  return outcome.error;
}

const OK = 'HTTP/1.1 200 OK\r\n';
const TEXT = 'Content-Type: text/plain\r\n';

describe('unusual but valid responses', () => {
  const odd: [string, string, number, Json][] = [
    [
      'with 102 and 103 before them',
      `HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${OK}${TEXT}Content-Length: 2\r\n\r\nok`,
      200,
      'ok',
    ],
    [
      'of HTTP/1.0, ended by the connection',
      `HTTP/1.0 200 OK\r\n${TEXT}\r\nuntil the end`,
      200,
      'until the end',
    ],
    ['of HTTP/1.0 with a length', `HTTP/1.0 200 OK\r\n${TEXT}Content-Length: 3\r\n\r\nabc`, 200, 'abc'],
    ['without a reason', `HTTP/1.1 200\r\n${TEXT}Content-Length: 1\r\n\r\na`, 200, 'a'],
    [
      'in chunks with extensions and trailers',
      `${OK}${TEXT}Transfer-Encoding: chunked\r\n\r\n3;a=b\r\nabc\r\n02\r\nde\r\n0\r\nX-Sum: 1\r\n\r\n`,
      200,
      'abcde',
    ],
    ['without a body where none may be (204)', 'HTTP/1.1 204 No Content\r\n\r\n', 204, null],
    [
      'without a body for its length (200)',
      `${OK}Content-Type: application/json\r\nContent-Length: 0\r\n\r\n`,
      200,
      null,
    ],
    [
      'that say JSON and hold none',
      `${OK}Content-Type: application/json\r\nContent-Length: 3\r\n\r\n{a}`,
      200,
      '{a}',
    ],
    [
      'with a byte order mark',
      `${OK}Content-Type: application/json\r\nContent-Length: 5\r\n\r\n\xef\xbb\xbf[]`,
      200,
      [],
    ],
    ['of an unknown status', `HTTP/1.1 299 Hm\r\n${TEXT}Content-Length: 1\r\n\r\na`, 299, 'a'],
    [
      'in another charset',
      `${OK}Content-Type: text/plain; charset=iso-8859-1\r\nContent-Length: 1\r\n\r\n\xe9`,
      200,
      'é',
    ],
  ];
  test.each(odd)('%s', async (_title, bytes, status, body) => {
    const { url } = await raw((socket) => socket.end(bytes, 'latin1'));
    expect(await result({ url })).toMatchObject({ status, body });
  });

  test('several cookies are one header; no cookie is sent back automatically', async () => {
    const { url, heads } = await raw((socket) =>
      socket.write(`${OK}Set-Cookie: a=1; Path=/\r\nSet-Cookie: b=2\r\nContent-Length: 0\r\n\r\n`),
    );
    expect((await result({ url })).headers['set-cookie']).toBe('a=1; Path=/, b=2');
    await result({ url });
    expect(heads.join('\n')).not.toMatch(/^cookie:/im);
  });

  test('bytes after a response are not the next one', async () => {
    const { url, heads } = await raw((socket) => {
      const smuggled = `${OK}${TEXT}Content-Length: 6\r\n\r\nforged`;
      socket.write(`${OK}${TEXT}Content-Length: 4\r\n\r\ntrue${heads.length === 1 ? smuggled : ''}`);
    });
    for (let i = 0; i < 3; i++) expect((await result({ url })).body).toBe('true');
    expect(heads).toHaveLength(3);
  });

  test('a response before the end of the request stops the upload', async () => {
    const { url } = await raw((socket) =>
      socket.end(`HTTP/1.1 413 Too Large\r\n${TEXT}Content-Length: 2\r\nConnection: close\r\n\r\nno`),
    );
    const response = await result({
      url,
      method: 'POST',
      body: 'x'.repeat(100),
      responses: { '4xx': 'return' },
    });
    expect(response).toMatchObject({ status: 413, body: 'no' });
  });
});

describe('a failure names the host and the stage', () => {
  const at = '127\\.0\\.0\\.1:\\d+';
  const breaking: [string, (socket: Socket) => void, string][] = [
    ['closed before it answers', (s) => s.destroy(), `^${at} closed the connection before responding$`],
    [
      'reset before it answers',
      (s) => s.resetAndDestroy(),
      `^${at} closed the connection before responding$`,
    ],
    ['closed in the head', (s) => s.end(`${OK}X: y`), `^${at} closed the connection before responding$`],
    [
      'only 1xx',
      (s) => s.end('HTTP/1.1 102 Processing\r\n\r\n'),
      `^${at} closed the connection before responding$`,
    ],
    [
      'an unrequested 100',
      (s) => s.write('HTTP/1.1 100 Continue\r\n\r\n'),
      `^${at} did not respond with valid HTTP$`,
    ],
    [
      'closed in the body',
      (s) => s.end(`${OK}Content-Length: 10\r\n\r\nabc`),
      `^${at} closed the connection during the response, after 3 of 10 bytes$`,
    ],
    [
      'reset in the body',
      (s) => s.write(`${OK}Content-Length: 10\r\n\r\nabc`, () => setTimeout(() => s.resetAndDestroy(), 30)),
      `^${at} closed the connection during the response, after 3 of 10 bytes$`,
    ],
    [
      'closed between chunks',
      (s) => s.end(`${OK}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n`),
      `^${at} closed the connection during the response, after 3 bytes$`,
    ],
    ['no HTTP', (s) => s.end('SSH-2.0-OpenSSH_9\r\n'), `^${at} did not respond with valid HTTP`],
    [
      'a chunk size that is none',
      (s) => s.end(`${OK}Transfer-Encoding: chunked\r\n\r\nxyz\r\n`),
      `^${at} did not respond with valid HTTP`,
    ],
    [
      'a length that is none',
      (s) => s.end(`${OK}Content-Length: 1x\r\n\r\na`),
      `^${at} did not respond with valid HTTP`,
    ],
    [
      'two lengths',
      (s) => s.end(`${OK}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`),
      `^${at} did not respond with valid HTTP`,
    ],
    [
      'a length and chunks',
      (s) => s.end(`${OK}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`),
      `^${at} did not respond with valid HTTP`,
    ],
    [
      'a control character in a header',
      (s) => s.end(`${OK}X: a\x00b\r\n\r\n`),
      `^${at} did not respond with valid HTTP`,
    ],
    [
      'headers without end',
      (s) => s.write(`${OK}X: ${'y'.repeat(200_000)}\r\n\r\n`),
      `^${at} sent too many headers$`,
    ],
    [
      'another encoding',
      (s) => s.end(`${OK}Content-Encoding: gzip, br\r\nContent-Length: 1\r\n\r\na`),
      `^${at} responded with the encoding gzip, br; only one of `,
    ],
  ];
  test.each(breaking)('%s', async (_title, response, message) => {
    const { url } = await raw((socket) => response(socket));
    const error = await failure({ url });
    expect(error.message).toMatch(new RegExp(message));
    // By its type: a retry policy tries it again unless it says otherwise.
    expect([error.type, error.retryable]).toEqual(['network', undefined]);
  });

  const slow: [string, (socket: Socket) => void, RegExp][] = [
    ['says nothing', () => {}, /^127\.0\.0\.1:\d+ did not respond within 200 ms$/],
    [
      'trickles its head',
      (s) => {
        s.write(OK);
        sendSlowly(s, 'X: y\r\n');
      },
      /^127\.0\.0\.1:\d+ did not respond within 200 ms$/,
    ],
    [
      'sends 1xx without end',
      (s) => sendSlowly(s, 'HTTP/1.1 102 Processing\r\n\r\n'),
      /^127\.0\.0\.1:\d+ did not respond within 200 ms$/,
    ],
    [
      'trickles its body',
      (s) => {
        s.write(`${OK}Transfer-Encoding: chunked\r\n\r\n`);
        sendSlowly(s, '1\r\na\r\n');
      },
      /^127\.0\.0\.1:\d+ did not finish its response within 200 ms$/,
    ],
  ];
  test.each(slow)('a server that %s', async (_title, response, message) => {
    const { url, sockets } = await raw((socket) => response(socket));
    // The engine's own clock for the attempt is left out: what the request says for itself.
    const outcome = await made.runner.run(
      createAttempt(httpRequest, { url, timeout: '200ms' }, { timeout: null }),
    );
    expect(outcome).toMatchObject({ kind: 'failed', error: { type: 'timeout' } });
    expect((outcome as { error: NodeFailure }).error.message).toMatch(message);
    await expect.poll(() => sockets.size).toBe(0);
  });

  test('a server that sends no data for the idle time', async () => {
    const { url, sockets } = await raw((socket) => socket.write(`${OK}Content-Length: 10\r\n\r\nabc`));
    const error = await failure({ url, idleTimeout: '100ms' });
    expect(error.type).toBe('timeout');
    expect(error.message).toMatch(
      /sent and received nothing for 100 ms during the response, after 3 of 10 bytes$/,
    );
    await expect.poll(() => sockets.size).toBe(0);
  });
});

function sendSlowly(socket: Socket, bytes: string): void {
  const timer = setInterval(() => socket.write(bytes), 20);
  socket.once('close', () => clearInterval(timer));
}

describe('Retry-After', () => {
  test.each([
    ['7', 7_000],
    ['0', 0],
    [new Date(Date.now() + 3_600_000).toUTCString(), 3_600_000],
    ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
    ['soon', null],
    ['-5', null],
  ])('%s', async (text, ms) => {
    for (const status of ['429 Slow Down', '503 Later']) {
      const { url } = await raw((socket) =>
        socket.write(`HTTP/1.1 ${status}\r\nRetry-After: ${text}\r\nContent-Length: 0\r\n\r\n`),
      );
      const { type, retryAfter } = await failure({ url });
      expect(type).toBe(status.startsWith('429') ? 'rate_limited' : 'server_error');
      if (ms === null) expect(retryAfter).toBeUndefined();
      else expect(Math.abs((retryAfter ?? -1e9) - ms)).toBeLessThan(5_000);
    }
  });
});
