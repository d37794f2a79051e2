import fc from 'fast-check';
import { connect, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openAccountsServer, type AccountsServer } from '../support/servers/accounts-server.ts';

const seed = Math.floor(Math.random() * 2 ** 31);
console.log(`bad-input.test.ts: seed ${seed}`);

let server: AccountsServer;
let token: string;
let port: number;
beforeAll(async () => {
  server = await openAccountsServer();
  await server.app.listen({ host: '127.0.0.1', port: 0 });
  port = (server.app.server.address() as AddressInfo).port;
  token = await server.login();
});
afterAll(() => server.close());

const paths = [
  '/auth/refresh',
  '/users/me',
  '/users/me/password',
  '/users',
  '/users/{}',
  '/api-keys',
  '/api-keys/{}',
  '/secrets',
  '/secrets/{}',
];
const segment = fc.oneof(
  fc.constantFrom(
    '..',
    '%2e%2e',
    '__proto__',
    'constructor',
    '%00',
    '%ff',
    '%',
    '%E4',
    "' OR 1=1 --",
    'usr_',
    '*',
    'null',
    '0',
    'x'.repeat(3000),
    '%F0%9F%92%A9',
  ),
  fc.string({ maxLength: 20 }).map((text) => encodeURIComponent(text.toWellFormed())),
);
const query = fc.oneof(
  fc.constant(''),
  fc.constantFrom(
    '?',
    '?&',
    '?=',
    '?page',
    '?page=%',
    '?page[]=1',
    '?page=1&page=1',
    '?limit=1e9',
    '?__proto__[x]=1',
    '?a.b=c',
    `?${'x'.repeat(5000)}`,
    '?page=%00',
    '?page=١',
  ),
  fc.string({ maxLength: 30 }).map((text) => `?${encodeURIComponent(text.toWellFormed())}`),
);
const name = fc.constantFrom(
  'email',
  'password',
  'name',
  'role',
  'plan',
  'token',
  'value',
  'hosts',
  'scopes',
  'expires_at',
  'new_password',
  'current_password',
  'constructor',
  'toString',
  '',
);
const leaf = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
  fc.constantFrom('admin', 'a@b.example', 'long enough', '\u0000', '\ud800', -0, 1e308),
);
const value = fc.oneof(
  { depthSize: 'small' },
  leaf,
  fc.array(leaf, { maxLength: 4 }),
  fc.dictionary(name, leaf, { maxKeys: 4 }),
);
const body = fc.oneof(
  fc.dictionary(name, value, { maxKeys: 6 }).map((object) => JSON.stringify(object)),
  value.map((one) => JSON.stringify(one)),
  fc.string({ unit: 'binary', maxLength: 60 }),
);

test('no request gets anything but the statuses and the error body of the interface', async () => {
  const seen = new Map<number, number>();
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS'),
      fc.constantFrom(...paths),
      segment,
      query,
      fc.option(body),
      fc.constantFrom(
        'application/json',
        'application/json; charset=latin1',
        'text/plain',
        'application/vnd.x+json',
        ';',
      ),
      async (method, path, part, search, payload, type) => {
        const response = await server.app.inject({
          method: method as 'GET',
          url: `/v1${path.replace('{}', part)}${search}`,
          headers: {
            authorization: `Bearer ${token}`,
            ...(payload === null ? {} : { 'content-type': type }),
          },
          ...(payload === null ? {} : { payload }),
        });
        const { statusCode } = response;
        seen.set(statusCode, (seen.get(statusCode) ?? 0) + 1);
        expect([200, 201, 400, 401, 403, 404, 429]).toContain(statusCode);
        expect(response.headers['x-request-id']).toMatch(/^req_/);
        expect(response.headers['weft-version']).toBe('1.2.3');
        if (statusCode >= 400 && method !== 'HEAD') {
          const { error } = response.json();
          expect(error.code).toMatch(/^[A-Z_]+$/);
          expect(error.message).not.toBe('');
          expect(error.details).toBeTypeOf('object');
          expect(error.details).not.toBeNull();
        }
        // A refresh that hits, or a new password of the own user, would end what the other runs need.
        if ((await server.call('GET', '/users/me', { token })).status === 401) token = await server.login();
      },
    ),
    { seed, numRuns: 1_500 },
  );
  expect(seen.get(400) ?? 0).toBeGreaterThan(100);
  expect(seen.get(404) ?? 0).toBeGreaterThan(100);
});

test('bytes that are no HTTP do no harm', async () => {
  const piece = fc.oneof(
    fc.constantFrom(
      'GET ',
      'POST ',
      '/v1/users',
      ' HTTP/1.1',
      '\r\n',
      '\r\n\r\n',
      'Host: x\r\n',
      'Content-Length: 5\r\n',
      'Content-Length: -1\r\n',
      'Transfer-Encoding: chunked\r\n',
      '0\r\n\r\n',
      'ffffffffffffffff\r\n',
      ':',
      '\n',
      'Upgrade: websocket\r\nConnection: Upgrade\r\n',
      'HTTP/2.0',
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    ),
    fc.string({ unit: 'binary', maxLength: 20 }),
  );
  let refused = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 12 }), async (pieces) => {
      const socket = connect(port, '127.0.0.1');
      let response = '';
      socket.on('data', (data) => (response += data.toString('latin1')));
      socket.on('error', () => {});
      socket.end(Buffer.from(pieces.join('')));
      await once(socket, 'close');
      for (const [, status] of response.matchAll(/^HTTP\/1\.1 (\d{3})/gm)) {
        expect(['100', '200', '400', '401', '404']).toContain(status);
        if (status === '400') refused++;
      }
    }),
    { seed, numRuns: 300 },
  );
  expect(
    (await fetch(`http://127.0.0.1:${port}/v1/users/me`, { headers: { authorization: `Bearer ${token}` } }))
      .status,
  ).toBe(200);
  expect(server.lines.filter((line) => line.includes('"level":"error"'))).toEqual([]);
});
