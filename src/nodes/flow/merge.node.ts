import { Type } from 'typebox';
import type { Delivery, Outcome } from '../../contract/node-type.ts';
import { compilePath, readPath } from '../../lib/json/json-path.ts';
import { isObject, type JsonObject } from '../../lib/json/json.ts';
import { defineNode } from '../define-node.ts';
import { done, invalid } from '../outcome.ts';
import { closed, inputPath, tagged } from '../schema.ts';

const MergeConfig = tagged('mode', [
  closed(
    {
      mode: Type.Literal('object', { description: 'An object: what each source node delivered, by its id.' }),
    },
    { title: 'An object' },
  ),
  closed(
    {
      mode: Type.Literal('append', {
        description: 'One list; lists that arrive are joined, anything else is an item.',
      }),
    },
    { title: 'One list' },
  ),
  closed(
    {
      mode: Type.Literal('first', {
        description: 'What the first connection, in the order of the definition, delivered.',
      }),
    },
    { title: 'The first' },
  ),
  closed(
    {
      mode: Type.Literal('by_key', {
        description: 'One list of objects; those with the same key become one.',
      }),
      key: inputPath({ description: 'Where the key stands in each object.' }),
    },
    { title: 'Joined by a key' },
  ),
]);

export const merge = defineNode({
  type: 'merge',
  version: '1.0.0',
  name: 'Merge',
  category: 'flow',
  description:
    'Brings what arrives on several connections together. It waits until each connection has delivered or can no longer deliver; those that cannot are left out.',
  icon: 'merge',
  config: MergeConfig,
  templates: { mode: 'literal', key: 'literal' },
  outputs: [{ name: 'out', type: 'any', description: 'As the mode says' }],
  effects: 'none',
  run(ctx, config) {
    const { deliveries } = ctx;
    switch (config.mode) {
      case 'object':
        return done(byNode(deliveries));
      case 'append':
        return done(deliveries.flatMap(({ value }) => value));
      case 'first':
        return done(deliveries[0]?.value ?? null);
      default:
        return joined(deliveries, config.key);
    }
  },
  examples: [
    {
      title: 'By source node',
      config: { mode: 'object' },
      input: null,
      deliveries: [
        { from: 'price', port: 'in', value: { eur: 9.5 } },
        { from: 'stock', port: 'in', value: 3 },
      ],
      outputs: { out: { price: { eur: 9.5 }, stock: 3 } },
    },
    {
      title: 'Lists one after the other',
      config: { mode: 'append' },
      input: null,
      deliveries: [
        { from: 'a', port: 'in', value: [1, 2] },
        { from: 'b', port: 'in', value: 3 },
      ],
      outputs: { out: [1, 2, 3] },
    },
    {
      title: 'The first that delivered',
      config: { mode: 'first' },
      input: null,
      deliveries: [{ from: 'b', port: 'in', value: 'mirror' }],
      outputs: { out: 'mirror' },
    },
    {
      title: 'Customers with their orders',
      config: { mode: 'by_key', key: 'id' },
      input: null,
      deliveries: [
        {
          from: 'customers',
          port: 'in',
          value: [
            { id: 1, name: 'Ada' },
            { id: 2, name: 'Bob' },
          ],
        },
        { from: 'orders', port: 'in', value: [{ id: 1, total: 20 }] },
      ],
      outputs: {
        out: [
          { id: 1, name: 'Ada', total: 20 },
          { id: 2, name: 'Bob' },
        ],
      },
    },
    {
      title: 'An object without the key',
      config: { mode: 'by_key', key: 'id' },
      input: null,
      deliveries: [{ from: 'a', port: 'in', value: [{ name: 'Ada' }] }],
      failure: 'validation',
    },
  ],
});

/** A node that delivers on two of its ports gives a list of both. */
function byNode(deliveries: readonly Delivery[]): JsonObject {
  const values = Map.groupBy(deliveries, (delivery) => delivery.from);
  return Object.fromEntries(
    [...values].map(([from, all]) => [
      from,
      all.length === 1 ? all[0]!.value : all.map(({ value }) => value),
    ]),
  );
}

function joined(deliveries: readonly Delivery[], key: string): Outcome {
  const path = compilePath(key);
  const rows = new Map<string, JsonObject>();
  for (const { from, value } of deliveries) {
    const items = Array.isArray(value) ? value : [value];
    for (const [i, item] of items.entries()) {
      const at = Array.isArray(value) ? `${from}[${i}]` : from;
      if (!isObject(item)) return invalid(at, 'must be an object to be merged by key');
      const { found, value: id } = readPath(path, item);
      if (!found || id === null || typeof id === 'object')
        return invalid(`${at}.${key}`, 'must be a text, number or boolean to merge by');
      const name = `${typeof id} ${String(id)}`;
      rows.set(name, { ...rows.get(name), ...item });
    }
  }
  return done([...rows.values()]);
}
