import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { BodyControl, BodyResult, BodyStep } from '../../contract/node-type.ts';
import { ConditionError } from './condition-evaluator.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { defineNode } from '../define-node.ts';
import { done, invalid } from '../outcome.ts';
import { closed, nodeId } from '../schema.ts';
import { conditionFaults, conditionField, conditionOf } from './condition-config.ts';

const WhileConfig = closed({
  condition: conditionField(
    'Looked at before each round, in what arrived and then in what the last round gave. Templates in it are evaluated once.',
  ),
  nodes: Type.Array(nodeId(), {
    minItems: 1,
    maxItems: 10_000,
    description: 'Node ids; they run in this order in each round and need no connections among them.',
  }),
  maxIterations: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 100_000,
      default: 100,
      description: 'Rounds; when the condition still holds after so many, the node fails.',
    }),
  ),
});
type WhileConfig = Static<typeof WhileConfig>;

const BODY = 'body';
const DEFAULT_ROUNDS = 100;

export const whileNode = defineNode({
  type: 'while',
  version: '1.0.0',
  name: 'While',
  category: 'flow',
  description:
    "Runs its nodes again and again while a condition holds. Each round gets what the round before gave, the first one what arrived; templates in the body see index, the round's number from 0.",
  icon: 'repeat-1',
  config: WhileConfig,
  templates: { nodes: 'literal', maxIterations: 'literal' },
  outputs: [
    { name: 'out', type: 'any', description: "The last round's output; what arrived when there was none" },
  ],
  effects: 'none',
  regions: (config) => [{ name: BODY, nodes: config['nodes'] as string[], field: 'nodes' }],
  check: (config) => conditionFaults(config['condition']),
  control: (config, input) => new WhileControl(config, input),
  examples: [
    {
      title: 'Page after page until there is no next one',
      config: {
        condition: { field: 'next', operator: 'exists' },
        nodes: ['fetch_page', 'collect'],
        maxIterations: 50,
      },
      input: { next: '/orders?page=1', orders: [] },
      outputs: { out: { orders: [1, 2, 3] } },
    },
  ],
});

/** Pure: the same calls give the same decisions. The key of a round is its number. */
class WhileControl implements BodyControl {
  readonly #condition: JsonObject;
  readonly #most: number;
  #value: Json;
  #round = -1;

  constructor(config: WhileConfig, input: Json) {
    this.#condition = config.condition as JsonObject;
    this.#most = config.maxIterations ?? DEFAULT_ROUNDS;
    this.#value = input;
  }

  begin(): BodyStep {
    return this.#next();
  }

  settled(key: string, result: BodyResult): BodyStep {
    if (key !== String(this.#round)) return {};
    if (result.status === 'failed') return { outcome: { kind: 'failed', error: result.error } };
    this.#value = result.output;
    return this.#next();
  }

  held(): readonly Json[] {
    return [this.#value];
  }

  #next(): BodyStep {
    try {
      if (!conditionOf(this.#condition).holds(this.#value)) return { outcome: done(this.#value) };
    } catch (error) {
      if (error instanceof ConditionError) return { outcome: invalid(error.field, error.message) };
      throw error;
    }
    this.#round++;
    if (this.#round >= this.#most) {
      const message = `The condition still held after ${this.#most} rounds (maxIterations).`;
      return { outcome: { kind: 'failed', error: { type: 'limit', message } } };
    }
    return {
      start: [{ key: String(this.#round), region: BODY, input: this.#value, index: this.#round }],
    };
  }
}
