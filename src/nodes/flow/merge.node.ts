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
      mode: Type.Literal('object', {
        description: 'One object with the output of each source node by its id.',
      }),
    },
    { title: 'Object by node' },
  ),
  closed(
    {
      mode: Type.Literal('append', {
        description: 'One list: incoming lists are concatenated, other values are added as items.',
      }),
    },
    { title: 'List' },
  ),
  closed(
    {
      mode: Type.Literal('first', {
        description: 'The value of the first connection, in the order of the definition, that delivered one.',
      }),
    },
    { title: 'First' },
  ),
  closed(
    {
      mode: Type.Literal('by_key', {
        description: 'One list of objects: objects with the same key are merged.',
      }),
      key: inputPath({ description: 'The path of the key in each object.' }),
    },
    { title: 'Join by key' },
  ),
]);

export const merge = defineNode({
  type: 'merge',
  version: '1.0.0',
  name: 'Merge',
  category: 'flow',
  description:
    'Combines the inputs of several connections. Waits until each connection has delivered a value or can no longer deliver one; connections without a value are skipped.',
  icon: 'merge',
  keywords: ['join', 'combine', 'wait for all', 'union', 'collect', 'concatenate', 'append', 'gather'],
  config: MergeConfig,
  templates: { mode: 'literal', key: 'literal' },
  outputs: [{ name: 'out', type: 'any', description: 'The combined input' }],
  effects: 'none',
  run(ctx, config) {
    const { deliveries } = ctx;
    switch (config.mode) {
      case 'object':
        return done(mergeByNode(deliveries));
      case 'append':
        return done(deliveries.flatMap(({ value }) => value));
      case 'first':
        return done(deliveries[0]?.value ?? null);
      default:
        return joinByKey(deliveries, config.key);
    }
  },
  examples: [
    {
      title: 'Object by source node',
      config: { mode: 'object' },
      input: null,
      deliveries: [
        { from: 'price', port: 'in', value: { eur: 9.5 } },
        { from: 'stock', port: 'in', value: 3 },
      ],
      outputs: { out: { price: { eur: 9.5 }, stock: 3 } },
    },
    {
      title: 'Concatenate lists',
      config: { mode: 'append' },
      input: null,
      deliveries: [
        { from: 'a', port: 'in', value: [1, 2] },
        { from: 'b', port: 'in', value: 3 },
      ],
      outputs: { out: [1, 2, 3] },
    },
    {
      title: 'Take the first value',
      config: { mode: 'first' },
      input: null,
      deliveries: [{ from: 'b', port: 'in', value: 'mirror' }],
      outputs: { out: 'mirror' },
    },
    {
      title: 'Join customers with their orders',
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
      title: 'Object without the key',
      config: { mode: 'by_key', key: 'id' },
      input: null,
      deliveries: [{ from: 'a', port: 'in', value: [{ name: 'Ada' }] }],
      failure: 'validation',
    },
  ],
});

/** A node that delivers on two of its ports produces a list of both values. */
function mergeByNode(deliveries: readonly Delivery[]): JsonObject {
  const values = Map.groupBy(deliveries, (delivery) => delivery.from);
  return Object.fromEntries(
    [...values].map(([from, all]) => [
      from,
      all.length === 1 ? all[0]!.value : all.map(({ value }) => value),
    ]),
  );
}

function joinByKey(deliveries: readonly Delivery[], key: string): Outcome {
  const path = compilePath(key);
  const rows = new Map<string, JsonObject>();
  for (const { from, value } of deliveries) {
    const items = Array.isArray(value) ? value : [value];
    for (const [i, item] of items.entries()) {
      const at = Array.isArray(value) ? `${from}[${i}]` : from;
      if (!isObject(item)) return invalid(at, 'must be an object to be merged by key');
      const { isFound, value: id } = readPath(path, item);
      if (!isFound || id === null || typeof id === 'object')
        return invalid(`${at}.${key}`, 'must be a string, number or boolean to merge by');
      const name = `${typeof id} ${String(id)}`;
      rows.set(name, { ...rows.get(name), ...item });
    }
  }
  return done([...rows.values()]);
}
