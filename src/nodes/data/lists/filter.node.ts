import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { DeferredTemplate, NodeContext } from '../../../contract/node-type.ts';
import type { FieldError } from '../../../contract/errors.ts';
import { ConditionError } from '../../flow/condition-evaluator.ts';
import type { Json, JsonObject } from '../../../lib/json/json.ts';
import { defineNode } from '../../define-node.ts';
import { validateCondition, conditionField, readCondition } from '../../flow/condition-config.ts';
import { closed } from '../../schema.ts';
import { DataError, evaluateAt } from '../data-error.ts';
import { itemsField, readItems, describeType, formatLocation, type Items } from '../items.ts';
import { forEachPaced, runPaced, type Work } from '../time-slice.ts';
import { ui } from '../../ui-hints.ts';

const FilterConfig = closed({
  condition: Type.Optional(
    conditionField(
      'A comparison {field, operator, value} or a group {all: […]}, {any: […]} or {not: {…}}. field is a path in each item; use value for items that are not objects or lists.',
    ),
  ),
  when: Type.Optional(
    Type.String({
      title: 'Expression',
      ...ui({
        advanced: true,
        placeholder: '{{ item.price > item.cost }}',
        hint: 'Instead of a condition: a template that returns true for the items to keep.',
      }),
      description:
        'Instead of condition: a template that returns true or false for each item, such as {{ item.price > item.cost }}. It can use item and index.',
    }),
  ),
  items: itemsField(),
});
type FilterConfig = Static<typeof FilterConfig>;

export const filter = defineNode({
  type: 'filter',
  version: '1.0.0',
  name: 'Filter',
  category: 'data',
  description: 'Keeps the items of a list that match a condition, in their original order.',
  icon: 'funnel',
  keywords: ['where', 'keep items', 'remove items', 'exclude', 'find', 'search', 'select'],
  config: FilterConfig,
  templates: { when: 'deferred' },
  outputs: [
    { name: 'kept', type: 'array', description: 'Items that match the condition' },
    { name: 'rest', type: 'array', description: 'The other items, if this port is connected' },
  ],
  effects: 'none',
  check: validateFilter,
  run: (ctx, config, input) => runPaced(ctx, work(ctx, config as FilterConfig, input)),
  examples: [
    {
      title: 'Keep paid orders',
      config: { condition: { field: 'status', operator: 'equals', value: 'paid' }, items: 'orders' },
      input: {
        orders: [
          { id: 1, status: 'paid' },
          { id: 2, status: 'open' },
        ],
      },
      outputs: { kept: [{ id: 1, status: 'paid' }], rest: [{ id: 2, status: 'open' }] },
    },
    {
      title: 'Compare two fields of an item',
      config: { when: '{{ item.price < item.cost }}' },
      input: [
        { price: 5, cost: 3 },
        { price: 2, cost: 3 },
      ],
      outputs: { kept: [{ price: 2, cost: 3 }], rest: [{ price: 5, cost: 3 }] },
    },
    {
      title: 'Filter a list of numbers',
      config: { condition: { field: 'value', operator: 'greater_than', value: 2 } },
      input: [1, 2, 3, 4],
      outputs: { kept: [3, 4], rest: [1, 2] },
    },
    {
      title: 'The input is not a list',
      config: { condition: { field: 'id', operator: 'exists' } },
      input: { orders: [] },
      failure: 'validation',
    },
  ],
});

function validateFilter(config: JsonObject): FieldError[] {
  const { condition, when } = config;
  if ((condition === undefined) === (when === undefined))
    return [{ field: 'condition', issue: 'exactly one of condition and when must be set' }];
  return condition === undefined ? [] : validateCondition(condition);
}

function* work(ctx: NodeContext, config: FilterConfig, input: Json): Work {
  const items = readItems(config.items, input);
  const holds = createTest(ctx, config, items);
  const kept: Json[] = [];
  const rest: Json[] = [];
  yield* forEachPaced(items.list, (item, index) => void (holds(item, index) ? kept : rest).push(item), 16);
  return { kind: 'done', outputs: ctx.orchestration.isConnected('rest') ? { kept, rest } : { kept } };
}

function createTest(
  ctx: NodeContext,
  config: FilterConfig,
  items: Items,
): (item: Json, index: number) => boolean {
  if (config.condition !== undefined) {
    const condition = compileCondition(config.condition as JsonObject);
    return (item) => condition.holds(typeof item === 'object' && item !== null ? item : { value: item });
  }
  const when = config.when as string | DeferredTemplate | undefined;
  return (item, index) => {
    const value = evaluateAt(formatLocation(items, index), () =>
      typeof when === 'object' ? ctx.evaluate(when, { item, index }) : when,
    );
    if (typeof value === 'boolean') return value;
    throw new DataError(
      'when',
      `must return true or false, not ${describeType(value)} (at ${formatLocation(items, index)})`,
    );
  };
}

/** Compiled at run time, because a template may produce a value that the operator does not accept. */
function compileCondition(condition: JsonObject): ReturnType<typeof readCondition> {
  try {
    return readCondition(condition);
  } catch (error) {
    if (error instanceof ConditionError) throw new DataError(error.field, error.message);
    throw error;
  }
}
