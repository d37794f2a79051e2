import { expect, test } from 'vitest';
import { limits } from '../../src/ports/limits.ts';
import { createToolWorkflows } from '../support/ai/tool-workflows.ts';
import { waitUntil } from '../support/service.ts';
import { useService } from '../support/use-service.ts';

const fixture = useService({ WEFT_RATE_LIMIT_ENTERPRISE: 'unlimited' });

const GROUP_SIZE = 50;

const createRequest = (apiKey: string, method: string): RequestInit => ({
  method: 'POST',
  headers: {
    'x-api-key': apiKey,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  },
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { name: 'endless', arguments: {} } }),
});

async function createKey(): Promise<{ id: string; key: string }> {
  const created = await fixture.api('POST', '/api-keys', { body: { name: 'many' } });
  expect(created.status, created.text).toBe(201);
  return created.body as { id: string; key: string };
}

async function countExecutions(): Promise<number> {
  const { body } = await fixture.api('GET', '/executions?limit=1');
  return (body as { pagination: { total: number } }).pagination.total;
}

/** Resolves when the connection or the response of a request ends. */
const waitForEnd = (request: Promise<Response>): Promise<unknown> =>
  request.then((response) => response.text()).catch(() => null);

test('a user has a limited number of open requests, and the places of ended ones again', async () => {
  await createToolWorkflows(fixture.api, [
    { name: 'endless', nodes: [{ id: 'wait', type: 'delay', config: { duration: '1h' } }] },
  ]);
  const { key } = await createKey();
  const gone = new AbortController();
  const send = (method: string, signal?: AbortSignal) =>
    fetch(new URL('/v1/mcp', fixture.weft.url), {
      ...createRequest(key, method),
      ...(signal !== undefined && { signal }),
    });
  const open: Promise<unknown>[] = [];
  // In groups: on a busy machine, a client gives up when too many connections begin at once.
  while (open.length < limits.mcpRequestsPerUser) {
    const size = Math.min(GROUP_SIZE, limits.mcpRequestsPerUser - open.length);
    for (let i = 0; i < size; i++) open.push(send('tools/call', gone.signal).catch(() => null));
    await waitUntil(countExecutions, (total) => total === open.length);
  }
  const refused = await send('tools/list');
  expect(refused.status).toBe(429);
  expect(await refused.json()).toMatchObject({
    error: { code: 'RATE_LIMITED', details: { reason: 'capacity' } },
  });
  gone.abort();
  await Promise.all(open);
  await waitUntil(
    () => send('tools/list'),
    ({ status }) => status === 200,
  );
});

test('open requests end with their API key, and with the service', async () => {
  const revoked = await createKey();
  const kept = await createKey();
  const send = ({ key }: { key: string }): Promise<Response> =>
    fetch(new URL('/v1/mcp', fixture.weft.url), createRequest(key, 'tools/call'));
  const earlier = await countExecutions();
  const ending = waitForEnd(send(revoked));
  const continuing = waitForEnd(send(kept)).then(() => 'ended');
  await waitUntil(countExecutions, (total) => total === earlier + 2);
  expect((await fixture.api('DELETE', `/api-keys/${revoked.id}`)).status).toBe(200);
  await ending;
  expect(await Promise.race([continuing, Promise.resolve('open')])).toBe('open');
  // Ends in order: an error of an open request would end the process with another code.
  expect(await fixture.weft.stop()).toBe(0);
  expect(await continuing).toBe('ended');
});
