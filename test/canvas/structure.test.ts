import { expect, test } from 'vitest';
import { builtinNodes } from '../../src/nodes/registry.ts';
import type { JsonObject as ServiceJson } from '../../src/lib/json/json.ts';
import type { JsonObject } from '../../web/src/canvas/model/document.ts';
import {
  getBodies,
  listDynamicOutputs,
  listNamedConnections,
  structuredTypes,
  withBodies,
  withNamedConnection,
} from '../../web/src/canvas/model/structure.ts';

/** Configurations in which everything that a type may say about the graph is said. */
const full: Record<string, JsonObject> = {
  agent: {
    prompt: 'x',
    model: ['chat'],
    approval: ['ask'],
    tools: [
      { name: 'find', description: 'Finds', nodes: ['search', 'read'] },
      { name: 'refund', description: 'Refunds', nodes: ['pay'], approval: { required: true } },
    ],
  },
  classify: {
    categories: [{ name: 'billing', description: 'Invoices' }, { name: 'technical' }],
  },
  parallel: {
    branches: [
      { name: 'a', nodes: ['x', 'y'] },
      { name: 'b', nodes: ['z'] },
    ],
  },
  for_each: { items: [], nodes: ['x', 'y'] },
  while: { condition: { field: 'a', operator: 'exists' }, nodes: ['x'] },
  condition: { condition: { field: 'a', operator: 'exists' }, trueAction: 'x', falseAction: 'y' },
  approval: {
    title: 'x',
    choices: [
      { name: 'yes', label: 'Yes' },
      { name: 'no', label: 'No' },
    ],
  },
  switch: {
    cases: [
      { name: 'eu', condition: {} },
      { name: 'us', condition: {} },
    ],
  },
};

test('the table has every node type that affects the graph, and no other', () => {
  const structured = builtinNodes.filter(
    ({ regions, edges, dynamicOutputs }) => regions ?? edges ?? dynamicOutputs,
  );
  expect(structured.map(({ type }) => type).toSorted()).toEqual([...structuredTypes].toSorted());
});

for (const type of builtinNodes.filter(({ type }) => structuredTypes.includes(type)))
  test(`${type.type}: reads of a configuration what the service reads`, () => {
    const config = full[type.type]!;
    const entry = { id: 'n', type: type.type, config };
    const given = config as ServiceJson;
    // The position in the configuration is set for errors only.
    expect(getBodies(entry)).toEqual(
      (type.regions?.(given) ?? []).map(({ name, nodes }) => ({ name, nodes })),
    );
    expect(listNamedConnections(entry)).toEqual(
      (type.edges?.(given) ?? []).map(({ port, to }) => ({ port, to })),
    );
    expect(listDynamicOutputs(entry)).toEqual(type.dynamicOutputs?.(given) ?? []);
    expect(withBodies(entry, getBodies(entry))).toEqual(entry);
  });

test('a body keeps the other fields of its branch; a named connection can be removed', () => {
  const parallel = {
    id: 'p',
    type: 'parallel',
    config: { branches: [{ name: 'a', nodes: ['x'], note: 1 }] },
  };
  expect(withBodies(parallel, [{ name: 'a', nodes: ['y'] }]).config).toEqual({
    branches: [{ name: 'a', nodes: ['y'], note: 1 }],
  });
  const condition = { id: 'c', type: 'condition', config: { trueAction: 'x' } };
  expect(withNamedConnection(condition, 'true', null).config).toEqual({});
  expect(withNamedConnection(condition, 'false', 'y').config).toEqual({ trueAction: 'x', falseAction: 'y' });
});

test('any configuration is read without an exception', () => {
  for (const type of structuredTypes)
    for (const config of [
      { branches: 3, nodes: 'x', cases: null, choices: 1, tools: 2, model: 'x', approval: 4, categories: 1 },
      {
        branches: [null, { name: 4 }],
        nodes: [1],
        choices: [null, { name: 4 }],
        tools: [null, { name: 4 }],
        model: [1],
        categories: [null, { name: 4 }],
      },
    ]) {
      const entry = { id: 'n', type, config };
      expect(getBodies(entry).flatMap(({ nodes }) => nodes)).toEqual([]);
      expect(listNamedConnections(entry)).toEqual([]);
      expect(listDynamicOutputs(entry)).toEqual([]);
    }
});
