import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { FieldError } from '../../contract/errors.ts';
import { ConditionError } from './condition-evaluator.ts';
import { isForbiddenKey } from '../../lib/json/json-path.ts';
import { isObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { defineNode } from '../define-node.ts';
import { sameAsInput } from '../output-schema.ts';
import { invalid } from '../outcome.ts';
import { closed, oneOfTexts } from '../schema.ts';
import { validateCondition, conditionField, readCondition } from './condition-config.ts';
import { ui } from '../ui-hints.ts';

const SwitchConfig = closed({
  cases: Type.Array(
    closed({
      name: Type.String({ minLength: 1, maxLength: 200, description: 'The output port of this case.' }),
      condition: conditionField(),
    }),
    { minItems: 1, maxItems: 100 },
  ),
  mode: Type.Optional(
    oneOfTexts(['first', 'all'], {
      default: 'first',
      title: 'If several cases match',
      ...ui({ hint: '', labels: { first: 'Take the first', all: 'Take all' } }),
      description: 'first takes only the first matching case; all takes every matching case.',
    }),
  ),
});
type SwitchConfig = Static<typeof SwitchConfig>;

/** Ports that every switch has. */
const RESERVED_PORTS = new Set(['default', 'error']);

export const switchNode = defineNode({
  type: 'switch',
  version: '1.0.0',
  name: 'Switch',
  category: 'flow',
  description:
    'Sends the input to the output ports of the matching cases, or to the port default if no case matches.',
  icon: 'split',
  keywords: ['case', 'route', 'router', 'branch', 'paths', 'if', 'else if', 'multiple conditions'],
  config: SwitchConfig,
  templates: { 'cases.*.name': 'literal', mode: 'literal' },
  output: sameAsInput,
  outputs: [{ name: 'default', type: 'any', description: 'The input, if no case matches' }],
  dynamicOutputs: (config) =>
    (config['cases'] as JsonObject[]).map(({ name }) => ({
      name: name as string,
      type: 'any',
      description: 'The input, if this case matches',
    })),
  effects: 'none',
  check: (config) => validateCases(config['cases']),
  run(_ctx, config, input) {
    const { cases, mode } = config as SwitchConfig;
    const outputs: Record<string, Json> = {};
    for (const [i, { name, condition }] of cases.entries()) {
      try {
        if (!readCondition(condition as JsonObject).holds(input)) continue;
      } catch (error) {
        if (error instanceof ConditionError)
          return invalid(error.field.replace('condition', `cases[${i}].condition`), error.message);
        throw error;
      }
      outputs[name] = input;
      if (mode !== 'all') break;
    }
    if (Object.keys(outputs).length === 0) outputs['default'] = input;
    return { kind: 'done', outputs };
  },
  examples: [
    {
      title: 'By country',
      config: {
        cases: [
          { name: 'eu', condition: { field: 'country', operator: 'in', value: ['DE', 'FR'] } },
          { name: 'us', condition: { field: 'country', operator: 'equals', value: 'US' } },
        ],
      },
      input: { country: 'US' },
      outputs: { us: { country: 'US' } },
    },
    {
      title: 'No case matches',
      config: {
        cases: [{ name: 'large', condition: { field: 'total', operator: 'greater_than', value: 100 } }],
      },
      input: { total: 5 },
      outputs: { default: { total: 5 } },
    },
    {
      title: 'Take every matching case',
      config: {
        mode: 'all',
        cases: [
          { name: 'vip', condition: { field: 'vip', operator: 'equals', value: true } },
          { name: 'large', condition: { field: 'total', operator: 'greater_than', value: 100 } },
          { name: 'small', condition: { field: 'total', operator: 'less_or_equal', value: 100 } },
        ],
      },
      input: { vip: true, total: 250 },
      outputs: { vip: { vip: true, total: 250 }, large: { vip: true, total: 250 } },
    },
  ],
});

function validateCases(cases: Json | undefined): FieldError[] {
  if (!Array.isArray(cases))
    return [{ field: 'cases', issue: 'must be a list; templates are allowed only in its conditions' }];
  const errors: FieldError[] = [];
  const names = new Set<string>();
  for (const [i, one] of cases.entries()) {
    if (!isObject(one)) {
      errors.push({
        field: `cases[${i}]`,
        issue: 'must be an object; templates are allowed only in its condition',
      });
      continue;
    }
    const name = one['name'] as string;
    const field = `cases[${i}].name`;
    if (names.has(name)) errors.push({ field, issue: `${name} must not be used twice` });
    else if (RESERVED_PORTS.has(name))
      errors.push({ field, issue: `${name} is the name of a built-in port` });
    else if (isForbiddenKey(name)) errors.push({ field, issue: `${name} is a reserved name` });
    names.add(name);
    errors.push(...validateCondition(one['condition'], `cases[${i}].condition`));
  }
  return errors;
}
