import { afterEach, expect, test } from 'vitest';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { startProxy, type ProxyProcess } from '../support/servers/http-proxy.ts';
import { createAttempt, closeRunners, makeRunner } from '../support/node-runner.ts';
import { serve } from '../support/servers/http-server.ts';
import { validateConfig } from '../../src/nodes/validate-config.ts';
import { httpRequest } from '../../src/nodes/http/http-request.node.ts';

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await closeRunners();
  await Promise.all(opened.splice(0).map((one) => one.close()));
});

async function proxy(): Promise<ProxyProcess> {
  const one = await startProxy('weft:s3cret-word');
  opened.push(one);
  return one;
}

test('its credentials come from a secret, and go to the proxy alone; a token is fetched through it, too', async () => {
  const way = await proxy();
  const target = await serve((q, r) => {
    r.setHeader('content-type', 'application/json');
    r.end(JSON.stringify(q.url === '/token' ? { access_token: 'fresh' } : { headers: q.headers }));
  });
  opened.push(target);
  const url = `http://plain.test:${target.port}`;
  const secret = { value: `http://weft:s3cret-word@127.0.0.1:${way.port}`, hosts: [`127.0.0.1:${way.port}`] };
  const { runner } = makeRunner({ secrets: { PROXY: secret }, allowedHosts: '127.0.0.1' });
  const config: JsonObject = {
    url,
    proxy: '{{ secrets.PROXY }}',
    authentication: { type: 'oauth2', token_url: `${url}/token`, client_id: 'me', client_secret: 'mine' },
  };
  expect(validateConfig(httpRequest, config)).toEqual([]);
  const outcome = await runner.run(createAttempt(httpRequest, config));
  expect(outcome).toMatchObject({
    outputs: { out: { body: { headers: { authorization: 'Bearer fresh' } } } },
  });
  expect(JSON.stringify(outcome)).not.toContain('proxy-authorization');
  expect(way.lines.map((line) => line.target)).toEqual([`${url}/token`, `${url}/`]);
});

test('a secret that is bound to another host is not sent to the proxy', async () => {
  const way = await proxy();
  const secret = { value: `http://weft:s3cret-word@127.0.0.1:${way.port}`, hosts: ['proxy.example'] };
  const { runner } = makeRunner({ secrets: { PROXY: secret }, allowedHosts: '127.0.0.1' });
  const config = { url: 'http://plain.test/', proxy: '{{ secrets.PROXY }}' };
  const outcome = await runner.run(createAttempt(httpRequest, config));
  expect(outcome).toMatchObject({ kind: 'failed', error: { type: 'forbidden' } });
  expect(way.lines).toEqual([]);
});

test('an invalid proxy and credentials in clear text are errors when it is saved', () => {
  const validate = (proxy: string) => validateConfig(httpRequest, { url: 'http://a.example/', proxy });
  expect(validate('http://proxy.example:3128')).toEqual([]);
  expect(validate('http://{{ secrets.PROXY_USER }}@proxy.example:3128')).toEqual([]);
  expect(validate('socks5://proxy.example')).toMatchObject([{ field: 'proxy' }]);
  expect(validate('http://proxy.example/path')).toMatchObject([{ field: 'proxy' }]);
  expect(validate('http://user:word@proxy.example')).toMatchObject([
    { field: 'proxy', issue: expect.stringMatching(/secret/) },
  ]);
});
