import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { BodyControl, BodyResult, BodyStep } from '../../contract/node-type.ts';
import { ConditionError } from './condition-evaluator.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { defineNode } from '../define-node.ts';
import { done, invalid } from '../outcome.ts';
import { closed, nodeId } from '../schema.ts';
import { validateCondition, conditionField, readCondition } from './condition-config.ts';

const WhileConfig = closed({
  condition: conditionField(
    'Checked before each iteration, first against the input, then against the output of the previous iteration. Templates in it are evaluated once.',
  ),
  nodes: Type.Array(nodeId(), {
    minItems: 1,
    maxItems: 10_000,
    description:
      'Ids of the nodes to run in each iteration, in this order. They need no connections between them.',
  }),
  maxIterations: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      default: 100,
      description: 'If the condition is still true after this number of iterations, the node fails.',
    }),
  ),
});
type WhileConfig = Static<typeof WhileConfig>;

const BODY = 'body';
const DEFAULT_ITERATIONS = 100;

export const whileNode = defineNode({
  type: 'while',
  version: '1.0.0',
  name: 'While',
  category: 'flow',
  description:
    'Runs nodes repeatedly while a condition is true. The first iteration receives the input, each later one the output of the previous iteration. Templates in the body can use index, the iteration number starting at 0.',
  icon: 'repeat-1',
  keywords: ['loop', 'repeat', 'until', 'do while', 'iterate'],
  config: WhileConfig,
  templates: { nodes: 'literal', maxIterations: 'literal' },
  outputs: [
    {
      name: 'out',
      type: 'any',
      description: 'The output of the last iteration, or the input if there was none',
    },
  ],
  effects: 'none',
  regions: (config) => [{ name: BODY, nodes: config['nodes'] as string[], field: 'nodes' }],
  check: (config) => validateCondition(config['condition']),
  control: (config, input) => new WhileControl(config, input),
  dependence: () => (key, on) => Number(key) > Number(on),
  examples: [
    {
      title: 'Fetch pages until there is no next page',
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

type Saved = { value: Json; round: number };

/** Deterministic, so that a replay makes the same decisions. The key of an iteration is its number. */
class WhileControl implements BodyControl {
  readonly #condition: JsonObject;
  readonly #most: number;
  #value: Json;
  #round = -1;

  constructor(config: WhileConfig, input: Json) {
    this.#condition = config.condition as JsonObject;
    this.#most = config.maxIterations ?? DEFAULT_ITERATIONS;
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

  countRetainedBytes(measure: (value: Json) => number): number {
    return measure(this.#value);
  }

  save(): Saved {
    return { value: this.#value, round: this.#round };
  }

  restore(saved: unknown): void {
    ({ value: this.#value, round: this.#round } = saved as Saved);
  }

  #next(): BodyStep {
    try {
      if (!readCondition(this.#condition).holds(this.#value)) return { outcome: done(this.#value) };
    } catch (error) {
      if (error instanceof ConditionError) return { outcome: invalid(error.field, error.message) };
      throw error;
    }
    this.#round++;
    if (this.#round >= this.#most) {
      const message = `The condition was still true after ${this.#most} iterations (maxIterations).`;
      return { outcome: { kind: 'failed', error: { type: 'limit', message } } };
    }
    return {
      start: [{ key: String(this.#round), region: BODY, input: this.#value, index: this.#round }],
    };
  }
}
