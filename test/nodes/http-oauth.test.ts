import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { createAttempt, closeRunners, makeRunner } from '../support/node-runner.ts';
import type { TestServer } from '../support/servers/http-server.ts';
import { httpRequest } from '../../src/nodes/http/http-request.node.ts';
import { useHttpNodeFixture } from '../support/http-node-fixture.ts';

const bench = useHttpNodeFixture();

describe('OAuth 2.0', () => {
  type Issuer = { expires_in?: number; onlyBody?: boolean; status?: number; wait?: number };
  async function issuer({ expires_in = 3600, onlyBody = false, status = 200, wait = 0 }: Issuer = {}) {
    let count = 0;
    return bench.server((q, r, body) => {
      r.setHeader('content-type', 'application/json');
      const form = new URLSearchParams(body);
      if (status !== 200) {
        r.writeHead(status).end(JSON.stringify({ error: 'invalid_scope' }));
      } else if (onlyBody && form.get('client_secret') === null) {
        r.writeHead(401).end(JSON.stringify({ error: 'invalid_client', seen: q.headers.authorization }));
      } else {
        count++;
        const tokens = {
          access_token: `at-${count}`,
          token_type: 'Bearer',
          expires_in,
        };
        void sleep(wait).then(() => r.end(JSON.stringify(tokens)));
      }
    });
  }
  const oauth2 = (token: TestServer, more: JsonObject = {}): JsonObject => ({
    type: 'oauth2',
    grant_type: 'client_credentials',
    token_url: `${token.url}/token`,
    client_id: 'weft',
    client_secret: '{{ secrets.CLIENT }}',
    scope: 'a b',
    ...more,
  });

  it('gets a token once and uses it again', async () => {
    const token = await issuer();
    for (let i = 0; i < 3; i++)
      expect((await bench.echoed({ authentication: oauth2(token) })).headers['authorization']).toBe(
        'Bearer at-1',
      );
    expect(token.received).toHaveLength(1);
    expect(token.received[0]).toMatchObject({
      method: 'POST',
      url: '/token',
      body: 'grant_type=client_credentials&scope=a+b',
    });
    expect(token.received[0]?.headers.authorization).toBe(
      `Basic ${Buffer.from('weft:client-secret-1').toString('base64')}`,
    );
  });

  it('requests one token for many concurrent nodes', async () => {
    const token = await issuer({ wait: 50 });
    await Promise.all(Array.from({ length: 10 }, () => bench.echoed({ authentication: oauth2(token) })));
    expect(token.received).toHaveLength(1);
  });

  it('keeps owners and requests apart', async () => {
    const token = await issuer();
    await bench.echoed({ authentication: oauth2(token) });
    await bench.echoed({ authentication: oauth2(token, { scope: 'c' }) });
    const config = { url: bench.echo.url, authentication: oauth2(token) };
    await bench.made.runner.run(createAttempt(httpRequest, config, { ownerId: 'usr_2' }));
    expect(token.received).toHaveLength(3);
  });

  it('requests a new token when the old one has expired', async () => {
    const token = await issuer({ expires_in: 0.04 });
    await bench.echoed({ authentication: oauth2(token) });
    await sleep(60);
    expect((await bench.echoed({ authentication: oauth2(token) })).headers['authorization']).toBe(
      'Bearer at-2',
    );
  });

  it('gets one fresh token after a 401, and then lets it stand', async () => {
    const token = await issuer();
    const api = await bench.server((q, r) =>
      r.writeHead(q.headers.authorization === 'Bearer at-2' ? 200 : 401).end(),
    );
    expect((await bench.answer({ url: api.url, authentication: oauth2(token) })).status).toBe(200);
    expect([api.received.length, token.received.length]).toEqual([2, 2]);
    const closed = await bench.server((_q, r) => r.writeHead(401).end());
    const error = await bench.failure({ url: closed.url, authentication: oauth2(token) });
    expect([error.type, error.status, closed.received.length]).toEqual(['client_error', 401, 2]);
  });

  it('hides the token in what a refusal repeats', async () => {
    const token = await bench.server((_q, r) =>
      r.setHeader('content-type', 'application/json').end(JSON.stringify({ access_token: 'access-token-1' })),
    );
    const api = await bench.server((q, r) => r.writeHead(400).end(`You sent ${q.headers.authorization}`));
    const error = await bench.failure({ url: api.url, authentication: oauth2(token) });
    expect(api.received[0]?.headers.authorization).toBe('Bearer access-token-1');
    expect(error.data).toMatchObject({ body: 'You sent Bearer •••' });
  });

  it('sends the credentials in the body to a server that accepts them only there', async () => {
    const token = await issuer({ onlyBody: true });
    expect((await bench.echoed({ authentication: oauth2(token) })).headers['authorization']).toBe(
      'Bearer at-1',
    );
    expect(token.received[1]?.body).toBe(
      'grant_type=client_credentials&scope=a+b&client_id=weft&client_secret=client-secret-1',
    );
  });

  it.each([
    [400, 'client_error'],
    [429, 'rate_limited'],
    [503, 'server_error'],
  ])('fails with %d of the token endpoint', async (status, type) => {
    const error = await bench.failure({
      url: bench.echo.url,
      authentication: oauth2(await issuer({ status })),
    });
    expect(error).toMatchObject({
      type,
      status,
      message: `The token endpoint responded with ${status}: invalid_scope`,
    });
    expect(bench.echo.received).toHaveLength(0);
  });

  it('refuses a token endpoint that may not be called', async () => {
    const token = await bench.server((_q, r) => r.end(), '127.0.0.2');
    const error = await bench.failure({ url: bench.echo.url, authentication: oauth2(token) });
    expect([error.type, token.connections()]).toEqual(['forbidden', 0]);
  });

  it('keeps a client secret at its host and still calls the service', async () => {
    await closeRunners();
    const token = await bench.server(
      (_q, r) => r.setHeader('content-type', 'application/json').end('{"access_token":"at"}'),
      '127.0.0.2',
    );
    bench.made = makeRunner({
      secrets: { CLIENT: { value: 'client-secret-1', hosts: ['127.0.0.2'] } },
      allowedHosts: '127.0.0.0/8',
    });
    const authentication = oauth2(token);
    expect((await bench.echoed({ authentication })).headers['authorization']).toBe('Bearer at');
    const error = await bench.failure({ url: `${bench.echo.url}/?{{ secrets.CLIENT }}`, authentication });
    expect(error.type).toBe('forbidden');
  });
});
