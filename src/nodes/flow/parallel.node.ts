import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { FieldError } from '../../contract/errors.ts';
import type { BodyControl, BodyResult, BodyStep, NodeFailure } from '../../contract/node-type.ts';
import { isForbiddenKey } from '../../lib/json/json-path.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { defineNode } from '../define-node.ts';
import { done } from '../outcome.ts';
import { closed, nodeId } from '../schema.ts';

const ParallelConfig = closed({
  branches: Type.Array(
    closed({
      name: Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'The name of the branch in the result.',
      }),
      nodes: Type.Array(nodeId(), {
        minItems: 1,
        maxItems: 10_000,
        description: 'Ids of the nodes to run, in this order. They need no connections between them.',
      }),
    }),
    { minItems: 1, maxItems: 10_000 },
  ),
  waitForAll: Type.Optional(
    Type.Boolean({
      default: true,
      title: 'Wait for all branches',
      description: 'If false, continues with the first branch that completes and stops the others.',
    }),
  ),
});
type ParallelConfig = Static<typeof ParallelConfig>;

export const parallel = defineNode({
  type: 'parallel',
  version: '1.0.0',
  name: 'Parallel',
  category: 'flow',
  description:
    'Runs several branches of nodes at the same time, each with the input. The result has one field per branch with the output of its last node. If a branch fails, the node fails and the other branches are stopped; with waitForAll false, the node fails only if no branch completes.',
  icon: 'git-fork',
  keywords: [
    'concurrent',
    'branches',
    'at the same time',
    'simultaneous',
    'fork',
    'async',
    'fan out',
    'split',
  ],
  config: ParallelConfig,
  templates: { branches: 'literal', waitForAll: 'literal' },
  outputs: [{ name: 'out', type: 'object', description: 'The result of each branch by name' }],
  effects: 'none',
  regions: (config) =>
    (config['branches'] as JsonObject[]).map((branch, i) => ({
      name: branch['name'] as string,
      nodes: branch['nodes'] as string[],
      field: `branches[${i}].nodes`,
    })),
  check: (config) => validateBranches(config['branches'] as ParallelConfig['branches']),
  control: (config, input) => new ParallelControl(config, input),
  // With waitForAll false, a kept branch would end the node before another branch runs again.
  dependence: ({ waitForAll }) => (waitForAll === false ? () => true : null),
  examples: [
    {
      title: 'Load price and stock at the same time',
      config: {
        branches: [
          { name: 'price', nodes: ['fetch_price', 'convert'] },
          { name: 'stock', nodes: ['fetch_stock'] },
        ],
      },
      input: { sku: 'A-1' },
      outputs: { out: { price: { eur: 9.5 }, stock: { left: 3 } } },
    },
    {
      title: 'Use the faster of two sources',
      config: {
        waitForAll: false,
        branches: [
          { name: 'primary', nodes: ['ask_primary'] },
          { name: 'mirror', nodes: ['ask_mirror'] },
        ],
      },
      input: {},
      outputs: { out: { mirror: { answer: 42 } } },
    },
  ],
});

type Saved = { open: Set<string>; outputs: Map<string, Json>; firstFailure: NodeFailure | null };

/** Deterministic, so that a replay after a crash makes the same decisions. */
class ParallelControl implements BodyControl {
  readonly #names: readonly string[];
  readonly #input: Json;
  readonly #waitForAll: boolean;
  #open: Set<string>;
  #outputs = new Map<string, Json>();
  #firstFailure: NodeFailure | null = null;

  constructor(config: ParallelConfig, input: Json) {
    this.#names = config.branches.map((branch) => branch.name);
    this.#input = input;
    this.#waitForAll = config.waitForAll ?? true;
    this.#open = new Set(this.#names);
  }

  begin(): BodyStep {
    return { start: this.#names.map((name) => ({ key: name, region: name, input: this.#input })) };
  }

  settled(key: string, result: BodyResult): BodyStep {
    // Results that arrive after the decision, or twice, are ignored.
    if (!this.#open.delete(key)) return {};
    if (result.status === 'completed') {
      this.#outputs.set(key, result.output);
      if (!this.#waitForAll) return this.#end();
    } else {
      this.#firstFailure ??= result.error;
      if (this.#waitForAll) return this.#fail(result.error);
    }
    if (this.#open.size > 0) return {};
    return this.#outputs.size === 0 && this.#firstFailure !== null
      ? this.#fail(this.#firstFailure)
      : this.#end();
  }

  countRetainedBytes(measure: (value: Json) => number): number {
    return [...this.#outputs.values()].reduce<number>((sum, output) => sum + measure(output), 0);
  }

  save(): Saved {
    return { open: this.#open, outputs: this.#outputs, firstFailure: this.#firstFailure };
  }

  restore(saved: unknown): void {
    ({ open: this.#open, outputs: this.#outputs, firstFailure: this.#firstFailure } = saved as Saved);
  }

  /** In the order of the branches, not in the order of completion. */
  #end(): BodyStep {
    const completed = this.#names.filter((name) => this.#outputs.has(name));
    const result = Object.fromEntries(completed.map((name) => [name, this.#outputs.get(name) ?? null]));
    return { ...this.#stopRest(), outcome: done(result) };
  }

  #fail(error: NodeFailure): BodyStep {
    return { ...this.#stopRest(), outcome: { kind: 'failed', error } };
  }

  #stopRest(): BodyStep {
    const rest = [...this.#open];
    this.#open.clear();
    return rest.length === 0 ? {} : { stop: rest };
  }
}

function validateBranches(branches: ParallelConfig['branches']): FieldError[] {
  const errors: FieldError[] = [];
  const names = new Set<string>();
  const nodes = new Set<string>();
  for (const [i, branch] of branches.entries()) {
    if (names.has(branch.name))
      errors.push({ field: `branches[${i}].name`, issue: `${branch.name} must not be used twice` });
    if (isForbiddenKey(branch.name))
      errors.push({ field: `branches[${i}].name`, issue: `${branch.name} is a reserved name` });
    names.add(branch.name);
    for (const [k, node] of branch.nodes.entries()) {
      if (nodes.has(node))
        errors.push({ field: `branches[${i}].nodes[${k}]`, issue: `${node} must not be listed twice` });
      nodes.add(node);
    }
  }
  return errors;
}
