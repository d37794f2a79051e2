import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { parseAllowedHosts } from '../allowed-hosts.ts';
import { createEgressClient, type EgressClient } from './egress-client.ts';
import { parseExceptions } from './proxy.ts';
import {
  closeAll,
  expectFailure,
  get,
  neverAborted,
  open,
  startServer,
  decodeText,
} from '../../../test/support/egress-client.ts';
import { startProxy, type ProxyProcess } from '../../../test/support/servers/http-proxy.ts';
import { realClock } from '../../../test/support/servers/http-server.ts';
import { testCertificate, testKey } from '../../../test/support/servers/tls-certificates.ts';

const seen: { url: string; authorization: string; proxy: string }[] = [];
const far = createTlsServer({ cert: testCertificate, key: testKey }, (q, r) => {
  const { authorization = '', 'proxy-authorization': proxy } = q.headers;
  seen.push({ url: q.url ?? '', authorization, proxy: proxy ?? '' });
  if (q.url === '/away') r.writeHead(302, { location: 'https://other.test:1/' });
  r.end('through the tunnel');
});
const usual = getCACertificates('default');
let port = 0;
beforeAll(async () => {
  setDefaultCACertificates([...usual, testCertificate]);
  await new Promise<void>((resolve) => far.listen(0, '127.0.0.1', resolve));
  ({ port } = far.address() as AddressInfo);
});
afterEach(async () => {
  seen.length = 0;
  await closeAll();
});
afterAll(() => {
  setDefaultCACertificates(usual);
  far.closeAllConnections();
  far.close();
});

/** Names are not looked up behind a proxy: this resolver knows none. */
function egressWith(proxy: string | null, allowed = '', except: string[] = []): EgressClient {
  const egress = createEgressClient({
    clock: realClock,
    allowedHosts: parseAllowedHosts(allowed),
    resolve: () => Promise.reject(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })),
    proxy: proxy === null ? null : { url: proxy, except },
  });
  open.push(egress);
  return egress;
}

async function proxy(...args: Parameters<typeof startProxy>): Promise<ProxyProcess> {
  const one = await startProxy(...args);
  open.push(one);
  return one;
}

describe('the service’s proxy', () => {
  test('makes a tunnel for https, in which only the far end is spoken to', async () => {
    const way = await proxy('user:p@ss word');
    const egress = egressWith(`http://user:p%40ss%20word@127.0.0.1:${way.port}`);
    for (const path of ['/one', '/two']) {
      const response = await egress.send(
        get(`https://weft.test:${port}${path}`, { headers: { authorization: 'Bearer mine' } }),
        neverAborted,
      );
      expect(decodeText(response.body)).toBe('through the tunnel');
      // The pool takes a connection again a turn of the loop later.
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const given = `Basic ${Buffer.from('user:p@ss word').toString('base64')}`;
    expect(way.lines).toEqual([{ method: 'CONNECT', target: `weft.test:${port}`, given }]);
    expect(seen).toEqual(['/one', '/two'].map((url) => ({ url, authorization: 'Bearer mine', proxy: '' })));
  });

  test('checks the certificate of the target, not of the proxy', async () => {
    const way = await proxy();
    const failure = await expectFailure(
      egressWith(way.url).send(get(`https://wrong.name.test:${port}/`), neverAborted),
    );
    expect(failure.message).toMatch(/could not be reached securely \(ERR_TLS_CERT_ALTNAME_INVALID\)/);
    expect(seen).toEqual([]);
  });

  test('makes the requests of http, bodies and redirects included', async () => {
    const way = await proxy('u:p');
    const target = await startServer((q, r, body) => {
      if (q.url === '/from') r.writeHead(307, { location: '/to?x=1' }).end();
      else r.end(`${q.method} ${q.headers.host} ${q.headers['proxy-authorization']} ${body}`);
    });
    const egress = egressWith(`http://u:p@127.0.0.1:${way.port}`);
    const url = `http://plain.test:${target.port}`;
    const response = await egress.send({ method: 'POST', url: `${url}/from`, body: 'hello' }, neverAborted);
    expect(decodeText(response.body)).toBe(`POST plain.test:${target.port} undefined hello`);
    expect(way.lines.map((line) => line.target)).toEqual([`${url}/from`, `${url}/to?x=1`]);
    expect(way.lines[0]?.host).toBe(`plain.test:${target.port}`);
  });

  test('does not make a private address public, in any spelling, before or behind a redirect', async () => {
    const way = await proxy();
    const egress = egressWith(way.url);
    const inside = ['127.0.0.1', '2130706433', '0x7f.1', '[::ffff:127.0.0.1]', '169.254.169.254', '10.0.0.1'];
    for (const host of [...inside, 'localhost', 'LOCALHOST.', 'a.localhost']) {
      for (const scheme of ['http', 'https'])
        expect(
          await expectFailure(egress.send(get(`${scheme}://${host}:${port}/`), neverAborted)),
        ).toMatchObject({
          type: 'forbidden',
        });
    }
    expect(way.lines).toEqual([]);
    const target = await startServer((_q, r) => r.writeHead(302, { location: 'http://127.0.0.1/' }).end());
    const redirected = egress.send(get(`http://plain.test:${target.port}/`), neverAborted);
    expect(await expectFailure(redirected)).toMatchObject({ type: 'forbidden' });
    expect(way.lines).toHaveLength(1);
    const permitted = egressWith(way.url, 'localhost').send(get(`https://localhost:${port}/`), neverAborted);
    expect((await expectFailure(permitted)).message).toMatch(/securely/);
    expect(way.lines).toHaveLength(2);
  });

  test('is left out for the hosts that are named', async () => {
    const way = await proxy();
    const target = await startServer((_q, r) => r.end('direct'));
    const egress = egressWith(way.url, '127.0.0.1', ['127.0.0.0/8']);
    expect(decodeText((await egress.send(get(target.url), neverAborted)).body)).toBe('direct');
    expect(way.lines).toEqual([]);
    const isExcepted = parseExceptions(['.corp.example', 'one.example:8080', '10.0.0.0/8', '::1']);
    const hosts: [string, number, boolean][] = [
      ['a.corp.example', 1, true],
      ['corp.example', 1, false],
      ['acorp.example', 1, false],
      ['one.example', 8080, true],
      ['one.example', 80, false],
      ['10.2.3.4', 80, true],
      ['11.2.3.4', 80, false],
      ['::1', 80, true],
    ];
    for (const [host, at, excepted] of hosts) expect([host, isExcepted(host, at)]).toEqual([host, excepted]);
  });

  test('cannot be led past by a node', async () => {
    const way = await proxy();
    const other = await proxy();
    const request = get(`https://weft.test:${port}/`, { proxy: other.url });
    expect(await expectFailure(egressWith(way.url, '127.0.0.1').send(request, neverAborted))).toMatchObject({
      type: 'forbidden',
    });
    expect([...way.lines, ...other.lines]).toEqual([]);
  });
});

describe('a node’s proxy', () => {
  test('is used for its request alone, and is checked like any other host', async () => {
    const way = await proxy('u:p');
    const url = `https://weft.test:${port}/`;
    const with_ = (text: string) => get(url, { proxy: text });
    const response = await egressWith(null, '127.0.0.1').send(
      with_(`http://u:p@127.0.0.1:${way.port}`),
      neverAborted,
    );
    expect(decodeText(response.body)).toBe('through the tunnel');
    const closed = egressWith(null);
    for (const host of ['127.0.0.1', '[::1]', '169.254.169.254'])
      expect(
        await expectFailure(closed.send(with_(`http://${host}:${way.port}`), neverAborted)),
      ).toMatchObject({
        type: 'forbidden',
      });
    for (const text of ['socks5://a.example', 'a.example:3128', 'http://a.example/path', 'http://a?b', ''])
      expect(await expectFailure(closed.send(with_(text), neverAborted))).toMatchObject({
        type: 'validation',
        retryable: false,
      });
    expect((await expectFailure(closed.send(get(url), neverAborted))).message).toMatch(
      /could not be resolved/,
    );
    expect(way.lines).toHaveLength(1);
  });
});

describe('a proxy that fails', () => {
  const url = (): string => `https://weft.test:${port}/`;
  const failing: [string, string, RegExp, string][] = [
    [
      '',
      '403',
      /^The proxy 127\.0\.0\.1:\d+ did not open a tunnel to weft\.test:\d+: it responded with 403$/,
      'network',
    ],
    ['', 'garbage', /^The proxy 127\.0\.0\.1:\d+ did not respond with valid HTTP$/, 'network'],
    ['', 'close', /^The proxy 127\.0\.0\.1:\d+ closed the connection before responding$/, 'network'],
    ['a:b', 'tunnel', /^The proxy 127\.0\.0\.1:\d+ requires credentials \(407\)$/, 'client_error'],
  ];
  test.each(failing)('%s %s', async (credentials, behavior, message, type) => {
    const way = await proxy(credentials, behavior);
    const failure = await expectFailure(egressWith(way.url).send(get(url()), neverAborted));
    expect(failure.message).toMatch(message);
    expect(failure.type).toBe(type);
  });

  test('wrong credentials are reported for http and https, without revealing them', async () => {
    const way = await proxy('user:right');
    const egress = egressWith(`http://user:wr0ng@127.0.0.1:${way.port}`);
    for (const target of [url(), 'http://plain.test/']) {
      const failure = await expectFailure(egress.send(get(target), neverAborted));
      expect(failure).toMatchObject({ type: 'client_error', retryable: false });
      expect(failure.message).toMatch(/rejected the credentials \(407\)$/);
    }
  });

  test('that hangs ends with the time of the request', async () => {
    const way = await proxy('', 'hang');
    const failure = await expectFailure(egressWith(way.url).send(get(url(), { timeout: 200 }), neverAborted));
    expect(failure).toMatchObject({ type: 'timeout' });
    expect(failure.message).toMatch(/did not accept a connection within 200 ms$/);
  });

  test('that is unreachable is distinguished from an unreachable destination', async () => {
    const gone = await startProxy();
    await gone.close();
    const failure = await expectFailure(egressWith(gone.url).send(get(url()), neverAborted));
    expect(failure.message).toMatch(/^The proxy 127\.0\.0\.1:\d+ refused the connection$/);
    const way = await proxy();
    const unreachable = await expectFailure(
      egressWith(way.url).send(get('https://weft.test:1/'), neverAborted),
    );
    expect(unreachable.message).toMatch(/did not open a tunnel to weft\.test:1: it responded with 502$/);
  });
});
