import { Type } from 'typebox';
import type { Json } from '../../lib/json/json.ts';
import { defineNode } from '../define-node.ts';
import { closed, tagged } from '../schema.ts';

export const stop = defineNode({
  type: 'stop',
  version: '1.0.0',
  name: 'Stop',
  category: 'flow',
  description:
    'Ends the whole execution, either as completed with an output or as failed with a message. Nodes that are still running are stopped.',
  icon: 'octagon-x',
  keywords: [
    'end',
    'exit',
    'fail',
    'abort',
    'cancel',
    'terminate',
    'finish',
    'throw',
    'stop and error',
    'error',
  ],
  config: tagged('outcome', [
    closed(
      {
        outcome: Type.Literal('completed'),
        output: Type.Optional(
          Type.Unsafe<Json>({ description: 'The output of the execution. Default: the input.' }),
        ),
      },
      { title: 'Completed' },
    ),
    closed(
      { outcome: Type.Literal('failed'), message: Type.String({ minLength: 1, maxLength: 10_000 }) },
      { title: 'Failed' },
    ),
  ]),
  templates: { outcome: 'literal' },
  outputs: [],
  effects: 'none',
  run(_ctx, config, input) {
    if (config.outcome === 'failed')
      return { kind: 'done', outputs: {}, end: { status: 'failed', message: config.message } };
    const output = config.output === undefined ? input : config.output;
    return { kind: 'done', outputs: {}, end: { status: 'completed', output } };
  },
  examples: [
    {
      title: 'End as completed',
      config: { outcome: 'completed', output: { skipped: true } },
      input: { items: [] },
      outputs: {},
    },
    {
      title: 'End as failed',
      config: { outcome: 'failed', message: 'No stock for {{ input.sku }}' },
      input: { sku: 'A-1' },
      outputs: {},
    },
  ],
});
