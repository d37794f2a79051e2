import { Type } from 'typebox';
import { ConditionError, type Condition } from './condition-evaluator.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { defineNode } from '../define-node.ts';
import { sameAsInput } from '../output-schema.ts';
import { invalid } from '../outcome.ts';
import { closed, nodeId } from '../schema.ts';
import { validateCondition, conditionField, readCondition } from './condition-config.ts';
import { ui } from '../ui-hints.ts';

const ConditionConfig = closed({
  condition: conditionField(),
  trueAction: Type.Optional(
    nodeId({
      title: 'Next node if true',
      ...ui({ advanced: true }),
      description: 'The node to run if the condition is true.',
    }),
  ),
  falseAction: Type.Optional(
    nodeId({
      title: 'Next node if false',
      ...ui({ advanced: true }),
      description: 'The node to run if the condition is false.',
    }),
  ),
});

export const condition = defineNode({
  type: 'condition',
  version: '1.0.0',
  name: 'Condition',
  category: 'flow',
  description:
    'Sends the input to one of two branches depending on a condition: to trueAction or falseAction, or along the connections of the ports true and false.',
  icon: 'git-branch',
  keywords: [
    'if',
    'if else',
    'branch',
    'check',
    'decision',
    'decide',
    'then',
    'true',
    'false',
    'gate',
    'route',
    'compare values',
    'equals',
    'else',
  ],
  config: ConditionConfig,
  templates: { trueAction: 'literal', falseAction: 'literal' },
  output: sameAsInput,
  outputs: [
    { name: 'true', type: 'any', description: 'The input, if the condition is true' },
    { name: 'false', type: 'any', description: 'The input, if the condition is false' },
  ],
  effects: 'none',
  edges: (config) =>
    (['true', 'false'] as const).flatMap((port) => {
      const field = `${port}Action`;
      const to = config[field];
      return typeof to === 'string' ? [{ port, to, field }] : [];
    }),
  check: (config) => validateCondition(config['condition']),
  run(_ctx, config, input) {
    let test: Condition;
    try {
      test = readCondition(config.condition as JsonObject);
    } catch (error) {
      if (error instanceof ConditionError) return invalid(error.field, error.message);
      throw error;
    }
    return { kind: 'done', outputs: test.holds(input) ? { true: input } : { false: input } };
  },
  examples: [
    {
      title: 'Separate large orders from the others',
      config: { condition: { field: 'order.total', operator: 'greater_than', value: 100 } },
      input: { order: { total: 250 } },
      outputs: { true: { order: { total: 250 } } },
    },
    {
      title: 'Group of conditions',
      config: {
        condition: {
          all: [
            { field: 'country', operator: 'in', value: ['DE', 'AT', 'CH'] },
            { not: { field: 'tags', operator: 'contains', value: 'test' } },
          ],
        },
      },
      input: { country: 'FR', tags: [] },
      outputs: { false: { country: 'FR', tags: [] } },
    },
    {
      title: 'Compare with a value of the trigger',
      config: { condition: { field: 'limit', operator: 'equals', value: '{{ input.wanted }}' } },
      input: { limit: 5, wanted: 5 },
      outputs: { true: { limit: 5, wanted: 5 } },
    },
  ],
});
