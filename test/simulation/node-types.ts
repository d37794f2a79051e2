import { Type } from 'typebox';
import { createNodeTypes } from '../../src/nodes/catalog.ts';
import { defineNode } from '../../src/nodes/define-node.ts';
import { builtinNodes } from '../../src/nodes/registry.ts';

const shared = {
  version: '1.0.0',
  category: 'flow',
  icon: 'x',
  examples: [],
  outputs: [{ name: 'out', type: 'any', description: '' }],
} as const;

/** A node with an effect in the simulated runner. `failures`: at first; `kills`: always kills its process. */
const effect = defineNode({
  ...shared,
  type: 'effect',
  name: 'Effect',
  description: 'Calls the upstream of the simulation.',
  config: Type.Object({ failures: Type.Optional(Type.Integer()), kills: Type.Optional(Type.Boolean()) }),
  effects: 'external',
  run: () => ({ kind: 'failed', error: { type: 'internal', message: 'The simulated runner does this.' } }),
});

const relay = defineNode({
  ...shared,
  type: 'relay',
  name: 'Relay',
  description: 'Passes on what arrived.',
  config: Type.Object({}),
  effects: 'none',
  run: (_ctx, _config, input) => ({ kind: 'done', outputs: { out: { from: input } } }),
});

/** Waits for what is posted to it, much longer than the simulation has patience. */
const awaits = defineNode({
  ...shared,
  type: 'awaits',
  name: 'Awaits',
  description: 'Continues with the posted data.',
  config: Type.Object({}),
  effects: 'none',
  keepsTime: true,
  run: () => ({ kind: 'failed', error: { type: 'internal', message: 'The simulated runner does this.' } }),
});

export const simulatedTypes = createNodeTypes([...builtinNodes, effect, relay, awaits]);
