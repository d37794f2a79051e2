import { expect, test } from 'vitest';
import { useService } from '../../support/use-service.ts';
import type { ApiResponse } from '../../support/service.ts';
import { createEchoWorkflow } from '../definitions.ts';

const SHOP = 'https://shop.example.com';
const service = useService();
const { api } = service;

async function activate(endpoint: string, config: object): Promise<string> {
  const definition = createEchoWorkflow(endpoint, config);
  const response = await api('POST', '/workflows', {
    body: { name: endpoint, definition, status: 'active' },
  });
  expect(response.status, response.text).toBe(201);
  return (response.body as { id: string }).id;
}

const header = (response: ApiResponse, name: string): string | null =>
  response.headers.get(`access-control-${name}`);
const preflight = (
  path: string,
  origin: string,
  method: string,
  headers = 'content-type',
): Promise<ApiResponse> =>
  service.weft.call('OPTIONS', `/webhooks/${path}`, {
    headers: {
      origin,
      'access-control-request-method': method,
      'access-control-request-headers': headers,
    },
  });

test('a page on an allowed origin may call, and read responses and errors', async () => {
  await activate('form/:id', { cors: [SHOP], expectedSchema: { email: 'string' } });
  const asked = await preflight('form/7', SHOP, 'POST', 'content-type,x-mine');
  expect([
    asked.status,
    header(asked, 'allow-origin'),
    header(asked, 'allow-methods'),
    header(asked, 'allow-headers'),
    asked.headers.get('vary'),
  ]).toEqual([204, SHOP, 'POST', 'content-type,x-mine', 'Origin']);
  const call = (body: object, origin: string): Promise<ApiResponse> =>
    service.weft.call('POST', '/webhooks/form/7', { body, headers: { origin } });
  const good = await call({ email: 'ada@example.com' }, SHOP);
  expect([good.status, header(good, 'allow-origin')]).toEqual([200, SHOP]);
  expect(header(good, 'expose-headers')).toContain('X-Weft-Execution-Id');
  const refused = await call({}, SHOP);
  expect([refused.status, header(refused, 'allow-origin')]).toEqual([400, SHOP]);
  // Browsers enforce CORS: a call from another page is served, but the page cannot read the response.
  const other = await call({ email: 'ada@example.com' }, 'https://evil.example');
  expect([other.status, header(other, 'allow-origin')]).toEqual([200, null]);
});

test('only for that endpoint, that method and that origin; off by default', async () => {
  const id = await activate('open', { cors: ['*'] });
  await activate('closed', {});
  expect((await preflight('open', SHOP, 'POST')).status).toBe(204);
  expect(header(await preflight(`${id}/open`, 'null', 'POST'), 'allow-origin')).toBe('*');
  for (const [path, origin, method] of [
    ['open', SHOP, 'PUT'],
    ['form/7', 'https://evil.example', 'POST'],
    ['form/7', `${SHOP}.evil.example`, 'POST'],
    ['closed', SHOP, 'POST'],
    ['none', SHOP, 'POST'],
  ] as const) {
    const response = await preflight(path, origin, method);
    expect([response.status, header(response, 'allow-origin')], `${path} ${origin}`).toEqual([404, null]);
  }
  const odd = await preflight('open', SHOP, 'POST', 'a\tb');
  expect([odd.status, header(odd, 'allow-headers')]).toEqual([204, null]);
  expect((await service.weft.call('OPTIONS', '/webhooks/open')).status).toBe(404);
  expect((await service.weft.call('OPTIONS', '/webhooks/open', { headers: { origin: SHOP } })).status).toBe(
    404,
  );
  await api('PUT', `/workflows/${id}`, { body: { status: 'inactive' } });
  expect((await preflight('open', SHOP, 'POST')).status).toBe(404);
});
