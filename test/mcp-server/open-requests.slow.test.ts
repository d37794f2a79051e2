import { expect, test } from 'vitest';
import { limits } from '../../src/ports/limits.ts';
import { createToolWorkflows } from '../support/ai/tool-workflows.ts';
import { until } from '../support/service.ts';
import { useService } from '../support/use-service.ts';

const fixture = useService({ WEFT_RATE_LIMIT_ENTERPRISE: 'unlimited' });

test('a user has a limited number of open requests, and the places of ended ones again', async () => {
  await createToolWorkflows(fixture.api, [
    { name: 'endless', nodes: [{ id: 'wait', type: 'delay', config: { duration: '1h' } }] },
  ]);
  const key = await fixture.api('POST', '/api-keys', { body: { name: 'many' } });
  const gone = new AbortController();
  const send = (method: string, signal?: AbortSignal) =>
    fetch(new URL('/v1/mcp', fixture.weft.url), {
      method: 'POST',
      headers: {
        'x-api-key': (key.body as { key: string }).key,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { name: 'endless', arguments: {} } }),
      ...(signal !== undefined && { signal }),
    });
  const open = Array.from({ length: limits.mcpRequestsPerUser }, () =>
    send('tools/call', gone.signal).catch(() => null),
  );
  await until(
    async () => (await fixture.api('GET', '/executions?limit=1')).body as { pagination: { total: number } },
    ({ pagination }) => pagination.total === limits.mcpRequestsPerUser,
  );
  const refused = await send('tools/list');
  expect(refused.status).toBe(429);
  expect(await refused.json()).toMatchObject({
    error: { code: 'RATE_LIMITED', details: { reason: 'capacity' } },
  });
  gone.abort();
  await Promise.all(open);
  await until(
    () => send('tools/list'),
    ({ status }) => status === 200,
  );
});
