import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { DeferredTemplate, NodeContext } from '../../contract/node-type.ts';
import type { FieldError } from '../../contract/errors.ts';
import { ConditionError } from '../flow/condition-evaluator.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { defineNode } from '../define-node.ts';
import { conditionFaults, conditionField, conditionOf } from '../flow/condition-config.ts';
import { closed } from '../schema.ts';
import { DataFault, evaluated } from './data-error.ts';
import { itemsField, itemsOf, kindOf, placeOf, type Items } from './items.ts';
import { each, paced, type Work } from './time-slice.ts';

const FilterConfig = closed({
  condition: Type.Optional(
    conditionField(
      '{field, operator, value}, or a group: {all: […]}, {any: […]} or {not: {…}}. field is a path in each item; of an item that is no object or list it is value.',
    ),
  ),
  when: Type.Optional(
    Type.String({
      description:
        'In place of condition: a template that gives true or false for each item, such as {{ item.price > item.cost }}. It sees item and index.',
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
  description: 'Keeps the items of a list that meet a condition, in their order.',
  icon: 'funnel',
  config: FilterConfig,
  templates: { when: 'deferred' },
  outputs: [
    { name: 'kept', type: 'array', description: 'The items that meet the condition' },
    { name: 'rest', type: 'array', description: 'The others, when this port is connected' },
  ],
  effects: 'none',
  check: filterFaults,
  run: (ctx, config, input) => paced(ctx, work(ctx, config as FilterConfig, input)),
  examples: [
    {
      title: 'Paid orders',
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
      title: 'Two fields of an item compared',
      config: { when: '{{ item.price < item.cost }}' },
      input: [
        { price: 5, cost: 3 },
        { price: 2, cost: 3 },
      ],
      outputs: { kept: [{ price: 2, cost: 3 }], rest: [{ price: 5, cost: 3 }] },
    },
    {
      title: 'A list of numbers',
      config: { condition: { field: 'value', operator: 'greater_than', value: 2 } },
      input: [1, 2, 3, 4],
      outputs: { kept: [3, 4], rest: [1, 2] },
    },
    {
      title: 'No list arrived',
      config: { condition: { field: 'id', operator: 'exists' } },
      input: { orders: [] },
      failure: 'validation',
    },
  ],
});

function filterFaults(config: JsonObject): FieldError[] {
  const { condition, when } = config;
  if ((condition === undefined) === (when === undefined))
    return [{ field: 'condition', issue: 'exactly one of condition and when is required' }];
  return condition === undefined ? [] : conditionFaults(condition);
}

function* work(ctx: NodeContext, config: FilterConfig, input: Json): Work {
  const items = itemsOf(config.items, input);
  const holds = testOf(ctx, config, items);
  const kept: Json[] = [];
  const rest: Json[] = [];
  yield* each(items.list, (item, index) => void (holds(item, index) ? kept : rest).push(item), 16);
  return { kind: 'done', outputs: ctx.flow.isConnected('rest') ? { kept, rest } : { kept } };
}

function testOf(
  ctx: NodeContext,
  config: FilterConfig,
  items: Items,
): (item: Json, index: number) => boolean {
  if (config.condition !== undefined) {
    const condition = compiled(config.condition as JsonObject);
    return (item) => condition.holds(typeof item === 'object' && item !== null ? item : { value: item });
  }
  const when = config.when as string | DeferredTemplate | undefined;
  return (item, index) => {
    const value = evaluated(placeOf(items, index), () =>
      typeof when === 'object' ? ctx.evaluate(when, { item, index }) : when,
    );
    if (typeof value === 'boolean') return value;
    throw new DataFault(
      'when',
      `must give true or false, and gave ${kindOf(value)} (at ${placeOf(items, index)})`,
    );
  };
}

/** A template may have brought a value that the operator does not take. */
function compiled(condition: JsonObject): ReturnType<typeof conditionOf> {
  try {
    return conditionOf(condition);
  } catch (error) {
    if (error instanceof ConditionError) throw new DataFault(error.field, error.message);
    throw error;
  }
}
