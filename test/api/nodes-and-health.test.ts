import { expect, test } from 'vitest';
import { useService } from '../support/use-service.ts';

const service = useService();
const { api } = service;

type Node = {
  id: string;
  name: string;
  description: string;
  category: string;
  version: string;
  inputs: object[];
  outputs: object[];
};
const list = async (query = ''): Promise<Node[]> => {
  const response = await api('GET', `/nodes${query}`);
  expect(response.status, response.text).toBe(200);
  return (response.body as { nodes: Node[] }).nodes;
};

test('the catalog has the nodes of the main job, each with its shape', async () => {
  const nodes = await list();
  const ids = nodes.map(({ id }) => id);
  for (const id of [
    'trigger',
    'data_transformer',
    'data_validator',
    'condition',
    'parallel',
    'delay',
    'http_request',
    'respond',
    'stop',
  ]) {
    expect(ids).toContain(id);
  }
  for (const node of nodes) {
    expect(node).toEqual({
      id: expect.stringMatching(/^[a-z][a-z0-9_]*$/),
      name: expect.any(String),
      description: expect.any(String),
      category: expect.stringMatching(/^(trigger|flow|data|http|connector|code|ai|custom)$/),
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      inputs: expect.any(Array),
      outputs: expect.any(Array),
      config_schema: expect.any(Object),
      icon: expect.any(String),
      keywords: expect.arrayContaining([expect.any(String)]),
      pack: null,
      custom: false,
      implementation: null,
      effects: expect.stringMatching(/^(none|external)$/),
      secret_fields: expect.any(Array),
    });
    for (const port of node.inputs)
      expect(port).toEqual({
        name: expect.any(String),
        type: expect.any(String),
        required: expect.any(Boolean),
        description: expect.any(String),
      });
    for (const port of node.outputs)
      expect(port).toEqual({
        name: expect.any(String),
        type: expect.any(String),
        description: expect.any(String),
      });
  }
});

test('filters: category, search in name or description, version', async () => {
  expect(new Set((await list('?category=flow')).map(({ category }) => category))).toEqual(new Set(['flow']));
  expect((await list('?search=HTTP%20REQ')).map(({ id }) => id)).toEqual(['http_request']);
  expect((await list('?version=1.0.0')).length).toBe((await list()).length);
  expect(await list('?version=9.9.9')).toEqual([]);
  expect((await list('?search=%25')).length).toBe(0);
  for (const query of ['?category=other', '?name=x'])
    expect((await api('GET', `/nodes${query}`)).status).toBe(400);
});

test('one node and its versions', async () => {
  const node = await api('GET', '/nodes/condition');
  expect(node.body).toMatchObject({ id: 'condition', version: '1.0.0' });
  // Built-in types have no code. Lists never contain code.
  const { handler, ...listed } = node.body as Node & { handler: unknown };
  expect(handler).toBeNull();
  expect((await api('GET', '/nodes/condition/versions')).body).toEqual({ versions: [listed] });
  for (const path of ['/nodes/nothing', '/nodes/nothing/versions', '/nodes/__proto__'])
    expect((await api('GET', path)).status).toBe(404);
});

test('health needs no credential, and shows its measures to administrators only', async () => {
  const { call } = service.weft;
  const member = { email: 'health@example.com', password: 'the password of a member' };
  await api('POST', '/users', { body: member });
  const { token } = (await call('POST', '/auth/login', { body: member })).body as { token: string };
  for (const headers of [{}, { authorization: 'Bearer wrong' }, { authorization: `Bearer ${token}` }]) {
    const seen = await call('GET', '/health', { headers });
    expect([seen.status, seen.body]).toEqual([
      200,
      {
        status: 'ok',
        version: expect.any(String),
        uptime: expect.any(Number),
        checks: Object.fromEntries(
          ['store', 'engine', 'event_loop', 'memory'].map((name) => [name, { status: 'ok' }]),
        ),
      },
    ]);
  }
  const health = await api('GET', '/health');
  expect(health.status).toBe(200);
  expect(health.body).toEqual({
    status: 'ok',
    version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    uptime: expect.any(Number),
    checks: {
      store: { status: 'ok', duration_ms: expect.any(Number) },
      engine: { status: 'ok', active_executions: 0, queued_executions: 0, pending_writes: 0 },
      event_loop: {
        status: 'ok',
        event_loop_max_ms: expect.any(Number),
        event_loop_p99_ms: expect.any(Number),
      },
      memory: { status: 'ok', rss_bytes: expect.any(Number), heap_used_bytes: expect.any(Number) },
    },
  });
  expect((await call('GET', '/health/live')).body).toEqual({ status: 'ok' });
  expect((await call('GET', '/health/ready')).body).toEqual({ status: 'ready' });
});
