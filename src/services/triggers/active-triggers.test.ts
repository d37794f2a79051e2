import { expect, test } from 'vitest';
import { createNodeTypes } from '../../nodes/catalog.ts';
import { builtinNodes } from '../../nodes/registry.ts';
import { createFormLinks } from '../forms/form-links.ts';
import { listTriggerNodes, listTriggerViews } from './active-triggers.ts';

const types = createNodeTypes(builtinNodes);

test('a trigger of an unknown type, which a draft may have, is not listed', () => {
  const kinds = ['manual', 'soon', '', 'Webhook', 5, null, ['manual'], 'constructor'];
  const nodes = kinds.map((triggerType, index) => ({
    id: `t${index}`,
    type: 'trigger',
    config: { triggerType },
  }));
  const definition = { nodes, connections: [] };
  expect(listTriggerNodes(definition, types).map(({ entry }) => entry.id)).toEqual(['t0']);
  expect(
    listTriggerViews(
      'wf_1',
      definition,
      types,
      [],
      'http://127.0.0.1/v1',
      createFormLinks(new Uint8Array(32)),
    ),
  ).toEqual([{ nodeId: 't0', type: 'manual' }]);
});
