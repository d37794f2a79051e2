import { describe, expect, test } from 'vitest';
import { useService } from '../support/use-service.ts';
import { manual } from '../api/definitions.ts';
import { readThreadTime } from '../support/time/thread-time.ts';

const { api } = useService();

type Node = { id: string; type: string; config: object };
type Execution = {
  id: string;
  status: string;
  output: unknown;
  error: { type: string; message: string } | null;
};

/** Runs the nodes one after the other, each by its first port. */
async function run(nodes: Node[], input: object, extra: object[] = []): Promise<Execution> {
  const line = [manual.id, ...nodes.map(({ id }) => id)];
  const connections = line.slice(1).map((to, i) => ({ from: line[i], to }));
  const made = await api('POST', '/workflows', {
    body: {
      name: 'x',
      definition: { nodes: [manual, ...nodes], connections: [...connections, ...extra] },
    },
  });
  expect(made.status, made.text).toBe(201);
  const { id } = made.body as { id: string };
  const response = await api('POST', `/workflows/${id}/execute`, { body: { input, wait: '30s' } });
  expect(response.status, response.text).toBe(201);
  return response.body as Execution;
}

const orders = Array.from({ length: 10_000 }, (_, i) => ({
  id: i,
  country: ['DE', 'FR', 'PT', 'SE'][i % 4],
  price: (i * 7919) % 1000,
  count: (i % 5) + 1,
}));

const pipeline: Node[] = [
  {
    id: 'total',
    type: 'set',
    config: {
      items: 'orders',
      fields: { total: '{{ item.price * item.count }}', 'meta.position': '{{ index }}' },
    },
  },
  {
    id: 'large',
    type: 'filter',
    config: { condition: { field: 'total', operator: 'greater_or_equal', value: '{{ trigger.least }}' } },
  },
  {
    id: 'order',
    type: 'sort',
    config: { by: [{ field: 'country' }, { field: 'total', direction: 'descending' }] },
  },
  {
    id: 'sums',
    type: 'aggregate',
    config: {
      groupBy: ['country'],
      fields: {
        orders: { operation: 'count' },
        total: { operation: 'sum', field: 'total' },
        best: { operation: 'first', field: 'id' },
      },
    },
  },
];

describe('10,000 items through set, filter, sort and aggregate', () => {
  test('compute the right sums without blocking the event loop', async () => {
    // Warm: the first run pays for loading and compiling.
    await run(pipeline, { orders: orders.slice(0, 100), least: 0 });
    let worst = 0;
    let last = readThreadTime();
    const ticker = setInterval(() => {
      worst = Math.max(worst, readThreadTime() - last);
      last = readThreadTime();
    }, 5);
    const began = performance.now();
    const { status, output, error } = await run(pipeline, { orders, least: 1000 });
    const took = performance.now() - began;
    clearInterval(ticker);
    expect([status, error]).toEqual(['completed', null]);
    const large = orders
      .map((order) => ({ ...order, total: order.price * order.count }))
      .filter(({ total }) => total >= 1000);
    const expected = ['DE', 'FR', 'PT', 'SE'].map((country) => {
      const own = large.filter((order) => order.country === country);
      const best = own.reduce((a, b) => (b.total > a.total ? b : a));
      return {
        country,
        orders: own.length,
        total: own.reduce((sum, { total }) => sum + total, 0),
        best: best.id,
      };
    });
    expect(output).toEqual(expected);
    console.log(
      `10,000 items in ${Math.round(took)} ms; the event loop was held for at most ${Math.round(worst)} ms`,
    );
    // The limit is higher than in the tests of single nodes, because the service also stores and returns the
    // values.
    expect(worst).toBeLessThan(500);
  });

  test('an error names the item and the field, and leaves by the error port', async () => {
    const broken = orders.map((order) => (order.id === 6000 ? { ...order, price: 'NaN' } : order));
    const failed = await run(pipeline, { orders: broken, least: 0 });
    expect(failed).toMatchObject({ status: 'failed', error: { type: 'template' } });
    expect(failed.error?.message).toMatch(/^fields\.total: .*at orders\[6000\]/);
    const sum: Node = {
      id: 'sum',
      type: 'aggregate',
      config: { items: 'orders', fields: { x: { operation: 'sum', field: 'price' } } },
    };
    const caught: Node = {
      id: 'caught',
      type: 'set',
      config: { fields: { why: '{{ input.message }}' }, mode: 'only' },
    };
    const connections = [{ from: 'sum', sourcePort: 'error', to: 'caught' }];
    const made = await api('POST', '/workflows', {
      body: {
        name: 'x',
        definition: {
          nodes: [manual, sum, caught],
          connections: [{ from: manual.id, to: 'sum' }, ...connections],
        },
      },
    });
    const response = await api('POST', `/workflows/${(made.body as { id: string }).id}/execute`, {
      body: { input: { orders: broken }, wait: '30s' },
    });
    expect(response.body).toMatchObject({
      status: 'completed',
      output: { why: 'orders[6000].price: must be a number, not a string' },
    });
  });
});

test('the rest of a filter goes its own way where it is connected', async () => {
  const nodes: Node[] = [
    { id: 'large', type: 'filter', config: { items: 'rows', when: '{{ item.n > input.least }}' } },
    { id: 'kept', type: 'limit', config: { count: 1 } },
  ];
  const input = { least: 1, rows: [{ n: 1 }, { n: 2 }, { n: 3 }] };
  expect(await run(nodes, input)).toMatchObject({ output: [{ n: 2 }] });
  const made = await api('POST', '/workflows', {
    body: {
      name: 'x',
      definition: {
        nodes: [manual, ...nodes, { id: 'others', type: 'limit', config: { count: 9 } }],
        connections: [
          { from: manual.id, to: 'large' },
          { from: 'large', sourcePort: 'kept', to: 'kept' },
          { from: 'large', sourcePort: 'rest', to: 'others' },
        ],
      },
    },
  });
  const response = await api('POST', `/workflows/${(made.body as { id: string }).id}/execute`, {
    body: { input, wait: '30s' },
  });
  expect(response.body).toMatchObject({ output: { kept: [{ n: 2 }], others: [{ n: 1 }] } });
});

test('files of text come in and go out: csv, json, xml, times', async () => {
  const nodes: Node[] = [
    { id: 'rows', type: 'csv', config: { operation: 'parse', value: '{{ input.body }}', types: 'auto' } },
    { id: 'named', type: 'rename', config: { fields: { when: 'at' } } },
    { id: 'unique', type: 'remove_duplicates', config: { by: ['id'] } },
    { id: 'object', type: 'aggregate', config: { fields: { row: { operation: 'list' } } } },
    {
      id: 'first',
      type: 'date_time',
      config: { operation: 'add', value: '{{ input.row[0].at }}', amount: { days: 1 }, output: 'next' },
    },
    { id: 'xml', type: 'xml', config: { operation: 'build', root: 'rows', declaration: false } },
  ];
  const body = 'id,when\n1,2026-02-28\n2,2026-03-01\n1,2026-04-01\n';
  expect(await run(nodes, { body })).toMatchObject({
    status: 'completed',
    output:
      '<rows><row><id>1</id><at>2026-02-28</at></row><row><id>2</id><at>2026-03-01</at></row><next>2026-03-01T00:00:00.000Z</next></rows>',
  });
});

test('crypto signs with a stored secret, which is nowhere to be seen; no field of set may read one', async () => {
  await api('PUT', '/secrets/SIGNING_KEY', { body: { value: 'a-very-secret-key' } });
  const sign: Node = {
    id: 'sign',
    type: 'crypto',
    config: {
      operation: 'hmac',
      value: '{{ input.text }}',
      key: '{{ secrets.SIGNING_KEY }}',
      output: 'signature',
    },
  };
  const execution = await run([sign], { text: 'hello' });
  expect(execution.output).toEqual({
    text: 'hello',
    signature: '81a3b722b623d0869d08fe2bf10c8f975fa1a687b27207efdef7721c971fca95',
  });
  const shown = await api('GET', `/executions/${execution.id}`);
  expect(shown.text).not.toContain('a-very-secret-key');
  const wrong = await api('POST', '/workflows', {
    body: {
      name: 'x',
      definition: {
        nodes: [manual, { id: 'set', type: 'set', config: { fields: { key: '{{ secrets.SIGNING_KEY }}' } } }],
        connections: [{ from: manual.id, to: 'set' }],
      },
    },
  });
  expect((wrong.body as { issues: object[] }).issues).toMatchObject([
    { node_id: 'set', issue: expect.stringContaining('must not read a secret; no field of set may') },
  ]);
});
