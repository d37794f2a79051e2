import { expect, test } from 'vitest';
import type { NodeTypes } from '../../ports/node-types.ts';
import type { WorkflowRow } from '../../ports/store/workflows.ts';
import { startManual } from './start-manual.ts';

const types: NodeTypes = { get: () => undefined, all: () => [], versions: () => [] };
const row = { id: 'wf_1', ownerId: 'usr_a', version: 1, settings: {} } as WorkflowRow;

test.each(['__proto__', 'constructor', 'toString'])('a pin of the node %s is used', (id) => {
  const definition = { nodes: [{ id, type: 'set' }], connections: [] };
  const given = JSON.parse(`{"pins": {"${id}": {"n": 1}}, "pin_ports": {"${id}": ["error"]}}`) as object;
  const request = startManual(row, definition, given, null, types, null);
  expect(Object.entries(request.given)).toEqual([[id, { error: { n: 1 } }]]);
});

test('a node with an inherited name has no ports of its own', () => {
  const definition = { nodes: [{ id: 'constructor', type: 'set' }], connections: [] };
  const request = startManual(
    row,
    definition,
    { pins: { constructor: 1 }, pin_ports: {} },
    null,
    types,
    null,
  );
  expect(request.given).toEqual({ constructor: { out: 1 } });
});
