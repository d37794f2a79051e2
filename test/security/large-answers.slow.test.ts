import { afterAll, beforeAll, expect, test } from 'vitest';
import { spawnService, type SpawnedService, createTempFolder, type Call } from '../support/service.ts';
import { manual } from '../api/definitions.ts';

/** Small requests whose responses would be very large. */
const folder = createTempFolder();
let weft: SpawnedService;
let call: Call;
beforeAll(async () => {
  weft = await spawnService({ dataDir: folder.path });
  call = await weft.login();
});
afterAll(async () => {
  await weft.stop();
  folder.remove();
});

async function ask(query: string) {
  const { status, body } = await call('POST', '/graphql', { body: { query } });
  return { status, ...(body as { data?: unknown; errors?: { extensions: { code: string } }[] }) };
}

test('one large value in many nodes: a detail within the limit, pages that report when they exceed it', async () => {
  const chain = Array.from({ length: 24 }, (_, index) => ({
    id: `n${index}`,
    type: 'merge',
    config: { mode: 'first' },
  }));
  const connections = chain.map(({ id }, index) => ({
    from: index === 0 ? 'start' : `n${index - 1}`,
    to: id,
  }));
  const created = await call('POST', '/workflows', {
    body: { name: 'chain', definition: { nodes: [manual, ...chain], connections } },
  });
  const { id } = created.body as { id: string };
  const body = { input: { text: 'x'.repeat(1_500_000) }, wait: '20s' };
  const run = (await call('POST', `/workflows/${id}/execute`, { body })).body as {
    id: string;
    status: string;
  };
  expect(run.status).toBe('completed');

  const detail = (await call('GET', `/executions/${run.id}`)).body as { nodes: unknown[] };
  expect(detail.nodes.length).toBeGreaterThan(5);
  expect(detail.nodes.length).toBeLessThan(25);
  const all = await call('GET', `/executions/${run.id}/nodes?limit=25`);
  expect(all.body).toMatchObject({
    error: { code: 'PAYLOAD_TOO_LARGE', details: { limit: 32 * 1024 * 1024 } },
  });
  const some = await call('GET', `/executions/${run.id}/nodes?limit=5&page=5`);
  expect((some.body as { nodes: unknown[] }).nodes).toHaveLength(5);

  const outputs = Array.from({ length: 30 }, (_, index) => `a${index}: output b${index}: input`);
  const ids = `id: "${run.id}"`;
  const few = await ask(`{ execution(${ids}) { a: output b: output } }`);
  expect(few.errors).toBeUndefined();
  const many = await ask(
    `{ ${[0, 1].map((index) => `e${index}: execution(${ids}) { ...F }`).join(' ')} } fragment F on Execution { ${outputs.slice(0, 14).join(' ')} }`,
  );
  expect(many.data).toBeNull();
  expect(many.errors?.map((one) => one.extensions.code)).toEqual(['PAYLOAD_TOO_LARGE']);
});

test('large definitions of many workflows', async () => {
  const config = { operations: [], notes: 'x'.repeat(4_500_000) };
  const definition = { nodes: [{ id: 'n', type: 'data_transformer', config }], connections: [] };
  for (let index = 0; index < 8; index++)
    expect((await call('POST', '/workflows', { body: { name: 'large', definition } })).status).toBe(201);
  const one = await ask(
    '{ workflows(filter: { search: "large", limit: 1 }) { definition { nodes { config } } } }',
  );
  expect(one.errors).toBeUndefined();
  for (const field of ['definition { nodes { config } }', 'issues { field }']) {
    const all = await ask(`{ workflows(filter: { search: "large" }) { id ${field} } }`);
    expect(all.errors?.[0]?.extensions.code, field).toBe('PAYLOAD_TOO_LARGE');
  }
});
