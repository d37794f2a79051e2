import { describe, expect, test } from 'vitest';
import { useService } from '../../support/use-service.ts';
import { spawnService, createTempFolder, waitUntil, type Call } from '../../support/service.ts';
import { startUpstream } from '../../support/upstream.ts';
import { manual, mapNode } from '../definitions.ts';

const { api } = useService();

type Execution = { id: string; status: string; output: unknown; error: unknown; duration: number };
type Node = { id: string; type: string; config: object };

async function run(call: Call, nodes: Node[], connections: object[], input: object): Promise<Execution> {
  const made = await call('POST', '/workflows', {
    body: { name: 'x', definition: { nodes: [manual, ...nodes], connections } },
  });
  expect(made.status, made.text).toBe(201);
  const { id } = made.body as { id: string };
  const response = await call('POST', `/workflows/${id}/execute`, { body: { input, wait: '30s' } });
  expect(response.status, response.text).toBe(201);
  return response.body as Execution;
}

describe('for_each', () => {
  const each = (config: object): Node => ({ id: 'each', type: 'for_each', config });

  test('keeps the order of the items, whatever ends first', async () => {
    const wait: Node = { id: 'wait', type: 'delay', config: { duration: '{{ item.ms }}ms' } };
    const items = [40, 5, 20, 1, 10].map((ms) => ({ ms }));
    const nodes = [
      each({ items: '{{ input.items }}', nodes: ['wait', 'pick'], concurrency: 5 }),
      wait,
      mapNode('pick', 'item.ms', 'took', '{{ value + index }}'),
    ];
    const { status, output } = await run(api, nodes, [{ from: 'start', to: 'each' }], { items });
    expect([status, output]).toEqual([
      'completed',
      { results: [40, 6, 22, 4, 14].map((took) => ({ took })) },
    ]);
  });

  test('large node runs in bodies are in pages, not in the execution', async () => {
    const copy = (id: string): Node => ({
      id,
      type: 'set',
      config: { mode: 'only', fields: { text: '{{ trigger.text }}' } },
    });
    const chain = ['a', 'b', 'c', 'd', 'e', 'f'];
    const nodes = [...chain.map(copy), each({ items: [1, 2, 3, 4, 5, 6], nodes: ['in'] }), copy('in')];
    const connections = ['start', ...chain].map((from, i) => ({ from, to: chain[i] ?? 'each' }));
    const { id } = await run(api, nodes, connections, { text: 'x'.repeat(400_000) });
    type Detail = { nodes: { path: string }[]; nodes_total: number };
    const detail = (await api('GET', `/executions/${id}`)).body as Detail;
    // Together they have more than 4 MiB.
    expect(detail.nodes.map(({ path }) => path)).toEqual(['start', ...chain, 'each']);
    expect(detail.nodes_total).toBe(14);
    const page = (await api('GET', `/executions/${id}/nodes?limit=7&page=2`)).body as Detail;
    expect(page.nodes.map(({ path }) => path)).toEqual([
      'each',
      ...[0, 1, 2, 3, 4, 5].map((i) => `each[${i}]/in`),
    ]);
  });

  test('an empty list has no results; another value fails and names the field', async () => {
    const nodes = [each({ items: '{{ input.items }}', nodes: ['pick'] }), mapNode('pick', 'item', 'out')];
    const connections = [{ from: 'start', to: 'each' }];
    expect(await run(api, nodes, connections, { items: [] })).toMatchObject({ output: { results: [] } });
    expect(await run(api, nodes, connections, { items: { a: 1 } })).toMatchObject({
      status: 'failed',
      error: { type: 'validation', message: expect.stringContaining('items'), node_id: 'each' },
    });
  });

  test('an item that fails fails the node, or is listed', async () => {
    const check: Node = {
      id: 'check',
      type: 'data_validator',
      config: { schema: { type: 'object', properties: { item: { type: 'number' } } } },
    };
    const input = { items: [1, 'two', 3] };
    const connections = [{ from: 'start', to: 'each' }];
    const config = { items: '{{ input.items }}', nodes: ['check', 'pick'] };
    const nodes = [check, mapNode('pick', 'item', 'out')];
    expect(await run(api, [each(config), ...nodes], connections, input)).toMatchObject({
      status: 'failed',
      error: { type: 'validation', message: expect.stringMatching(/^items\[1\]: /), node_id: 'check' },
    });
    expect(
      await run(api, [each({ ...config, onError: 'continue' }), ...nodes], connections, input),
    ).toMatchObject({
      status: 'completed',
      output: {
        results: [{ out: 1 }, null, { out: 3 }],
        errors: [{ index: 1, error: { type: 'validation' } }],
      },
    });
  });

  test('can be nested', async () => {
    const nodes = [
      { id: 'rows', type: 'for_each', config: { items: '{{ input.rows }}', nodes: ['cells'] } },
      {
        id: 'cells',
        type: 'for_each',
        config: { items: '{{ input.item }}', nodes: ['pick'], concurrency: 2 },
      },
      mapNode('pick', 'item', 'out', '{{ value * 10 }}'),
    ];
    const { output } = await run(api, nodes, [{ from: 'start', to: 'rows' }], { rows: [[1, 2], [3]] });
    expect(output).toEqual({
      results: [{ results: [{ out: 10 }, { out: 20 }] }, { results: [{ out: 30 }] }],
    });
  });

  test('10,000 items go through without holding the event loop', async () => {
    const nodes = [
      each({ items: '{{ input.items }}', nodes: ['pick'], concurrency: 50 }),
      mapNode('pick', 'item', 'out'),
    ];
    let worst = 0;
    let last = performance.now();
    const ticker = setInterval(() => {
      worst = Math.max(worst, performance.now() - last);
      last = performance.now();
    }, 5);
    const items = Array.from({ length: 10_000 }, (_, i) => i);
    const { status, output, id } = await run(api, nodes, [{ from: 'start', to: 'each' }], { items });
    clearInterval(ticker);
    expect(status).toBe('completed');
    expect((output as { results: { out: number }[] }).results.map(({ out }) => out)).toEqual(items);
    const page = await api('GET', `/executions/${id}/nodes?page=100&limit=100`);
    expect(page.body).toMatchObject({ pagination: { total: 10_002 } });
    console.log(`10,000 items: the event loop was held for at most ${Math.round(worst)} ms`);
  });
});

describe('while', () => {
  test('continues while the condition holds, each iteration with the output of the previous one', async () => {
    const nodes = [
      {
        id: 'loop',
        type: 'while',
        config: {
          condition: { field: 'n', operator: 'less_than', value: '{{ input.limit }}' },
          nodes: ['add'],
        },
      },
      mapNode('add', 'n', 'n', '{{ value + 1 }}'),
    ];
    const connections = [{ from: 'start', to: 'loop' }];
    expect(await run(api, nodes, connections, { n: 0, limit: 7 })).toMatchObject({ output: { n: 7 } });
    expect(await run(api, nodes, connections, { n: 9, limit: 7 })).toMatchObject({
      output: { n: 9, limit: 7 },
    });
    expect(await run(api, nodes, connections, { n: 0, limit: 1e9 })).toMatchObject({
      status: 'failed',
      error: { type: 'limit', node_id: 'loop', message: expect.stringContaining('100 iterations') },
    });
  });
});

describe('switch and merge', () => {
  const nodes: Node[] = [
    {
      id: 'route',
      type: 'switch',
      config: {
        cases: [
          { name: 'eu', condition: { field: 'country', operator: 'in', value: ['DE', 'FR'] } },
          { name: 'us', condition: { field: 'country', operator: 'equals', value: 'US' } },
        ],
      },
    },
    mapNode('vat', 'country', 'vat', '19 in {{ value }}'),
    mapNode('tax', 'country', 'tax', '8 in {{ value }}'),
    mapNode('none', 'country', 'none'),
    { id: 'join', type: 'merge', config: { mode: 'object' } },
  ];
  const connections = [
    { from: 'start', to: 'route' },
    { from: 'route', sourcePort: 'eu', to: 'vat' },
    { from: 'route', sourcePort: 'us', to: 'tax' },
    { from: 'route', sourcePort: 'default', to: 'none' },
    { from: 'vat', to: 'join' },
    { from: 'tax', to: 'join' },
    { from: 'none', to: 'join' },
  ];

  test.each([
    ['DE', { vat: { vat: '19 in DE' } }],
    ['US', { tax: { tax: '8 in US' } }],
    ['JP', { none: { none: 'JP' } }],
  ])('%s', async (country, output) => {
    expect(await run(api, nodes, connections, { country })).toMatchObject({ status: 'completed', output });
  });

  test('an unknown port is refused when the workflow is saved', async () => {
    const wrong = [...connections, { from: 'route', sourcePort: 'asia', to: 'none' }];
    const response = await api('POST', '/workflows', {
      body: { name: 'x', definition: { nodes: [manual, ...nodes], connections: wrong } },
    });
    expect(response.status, response.text).toBe(400);
  });
});

test('kill -9 in the 700th of 1,000 iterations: it resumes there', async () => {
  const data = createTempFolder();
  const calls: string[] = [];
  const upstream = await startUpstream(({ headers, body }) => {
    calls.push(`${String(headers['idempotency-key'])} ${String((body as { index: number }).index)}`);
    return { body: { ok: true } };
  });
  let service = await spawnService({ dataDir: data.path });
  try {
    let call = await service.login();
    const definition = {
      nodes: [
        manual,
        {
          id: 'each',
          type: 'for_each',
          config: { items: '{{ input.items }}', nodes: ['call'], concurrency: 4 },
        },
        {
          id: 'call',
          type: 'http_request',
          config: { method: 'POST', url: upstream.url, body: { index: '{{ index }}' } },
        },
      ],
      connections: [{ from: 'start', to: 'each' }],
    };
    const made = await call('POST', '/workflows', { body: { name: 'long', definition } });
    const items = Array.from({ length: 1_000 }, (_, i) => i);
    const started = await call('POST', `/workflows/${(made.body as { id: string }).id}/execute`, {
      body: { input: { items } },
    });
    const { id } = started.body as Execution;
    await waitUntil(
      async () => calls.length,
      (count) => count >= 700,
      60_000,
    );
    await service.kill9();
    const before = calls.length;
    expect(before).toBeLessThan(1_000);
    service = await spawnService({ dataDir: data.path });
    call = await service.login();
    const ended = await waitUntil(
      async () => (await call('GET', `/executions/${id}`)).body as Execution,
      ({ status }) => status === 'completed',
      60_000,
    );
    expect((ended.output as { results: unknown[] }).results).toHaveLength(1_000);
    // Only calls that were in flight, or whose end was not yet on disk, are repeated, with the same key.
    const keys = new Set(calls);
    expect(keys.size).toBe(1_000);
    expect(calls.length - keys.size).toBeLessThanOrEqual(8);
  } finally {
    await service.kill9();
    await upstream.close();
    data.remove();
  }
});
