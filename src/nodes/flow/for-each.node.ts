import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { BodyControl, BodyResult, BodyStep } from '../../contract/node-type.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { PackedList, type SavedList } from '../../lib/packed-list.ts';
import { defineNode } from '../define-node.ts';
import { done, invalid } from '../outcome.ts';
import { closed, nodeId, oneOfTexts } from '../schema.ts';
import { isTemplated } from '../template-mode.ts';
import { ui } from '../ui-hints.ts';

const ForEachConfig = closed({
  items: Type.Unsafe<Json>({
    title: 'List',
    ...ui({ placeholder: '{{ input.items }}', hint: '' }),
    description: 'The list to iterate over, usually a template such as {{ input.items }}.',
  }),
  nodes: Type.Array(nodeId(), {
    minItems: 1,
    maxItems: 10_000,
    title: 'Steps for each item',
    ...ui({ hint: '' }),
    description:
      'Ids of the nodes to run for each item, in this order. They need no connections between them.',
  }),
  concurrency: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000,
      default: 1,
      title: 'Items at the same time',
      ...ui({ hint: '' }),
      description: 'How many items to process at once.',
    }),
  ),
  onError: Type.Optional(
    oneOfTexts(['fail', 'continue'], {
      default: 'fail',
      title: 'If an item fails',
      ...ui({ labels: { fail: 'Stop', continue: 'Continue with the next item' }, hint: '' }),
      description:
        'What happens if an item fails: fail stops the other items and fails the node; continue sets the result to null and lists the error.',
    }),
  ),
});
type ForEachConfig = Static<typeof ForEachConfig>;

/** The only region of the node. */
const BODY = 'body';

export const forEach = defineNode({
  type: 'for_each',
  version: '1.0.0',
  name: 'For each',
  category: 'flow',
  description:
    "Runs nodes for each item of a list. The first node receives {item, index}; templates in the body can use item and index. The result contains the last node's output for each item, in the order of the items.",
  icon: 'repeat',
  keywords: [
    'loop',
    'iterate',
    'iteration',
    'loop over items',
    'each',
    'every item',
    'repeat',
    'batch',
    'list',
    'array',
    'split in batches',
    'bulk',
    'map',
  ],
  config: ForEachConfig,
  templates: { nodes: 'literal', onError: 'literal' },
  output: Type.Object({ results: Type.Array(Type.Unknown()) }),
  outputs: [
    {
      name: 'out',
      type: 'object',
      description: '{results: […]}, with continue also {errors: [{index, error}]}',
    },
  ],
  effects: 'none',
  regions: (config) => [{ name: BODY, nodes: config['nodes'] as string[], field: 'nodes' }],
  check: ({ items }) =>
    Array.isArray(items) || isTemplated(items)
      ? []
      : [{ field: 'items', issue: 'must be a list, or a template such as {{ input.items }}' }],
  control: (config) => new ForEachControl(config),
  dependence: () => null,
  examples: [
    {
      title: 'Process orders, four at once',
      config: { items: '{{ input.orders }}', nodes: ['fetch', 'shorten'], concurrency: 4 },
      input: { orders: [{ id: 1 }, { id: 2 }] },
      outputs: { out: { results: [{ total: 10 }, { total: 20 }] } },
    },
    {
      title: 'Continue when an item fails',
      config: { items: [1, 2], nodes: ['check'], onError: 'continue' },
      input: {},
      outputs: {
        out: { results: [1, null], errors: [{ index: 1, error: { type: 'validation', message: 'no' } }] },
      },
    },
  ],
});

/** `results`: a list in snapshots of version 2. */
type Saved = {
  results: SavedList | Json[];
  errors: Map<number, JsonObject>;
  open: Set<string>;
  next: number;
};

/** Deterministic, so that a replay makes the same decisions. The key of an item's run is its index. */
class ForEachControl implements BodyControl {
  readonly #items: Json;
  readonly #concurrency: number;
  readonly #continues: boolean;
  readonly #results = new PackedList();
  #errors: Map<number, JsonObject> = new Map();
  #open = new Set<string>();
  #next = 0;

  constructor(config: ForEachConfig) {
    this.#items = config.items;
    this.#concurrency = config.concurrency ?? 1;
    this.#continues = config.onError === 'continue';
  }

  begin(): BodyStep {
    if (!Array.isArray(this.#items)) return { outcome: invalid('items', 'must be a list') };
    return this.#items.length === 0 ? this.#end() : { start: this.#startMore(this.#concurrency) };
  }

  settled(key: string, result: BodyResult): BodyStep {
    if (!this.#open.delete(key)) return {};
    const index = Number(key);
    if (result.status === 'completed') this.#results.set(index, result.output);
    else if (this.#continues) {
      const { type, message, status } = result.error;
      this.#results.set(index, null);
      this.#errors.set(index, { type, message, ...(status !== undefined && { status }) });
    } else {
      const stop = [...this.#open];
      this.#open.clear();
      return {
        ...(stop.length > 0 && { stop }),
        outcome: {
          kind: 'failed',
          error: { ...result.error, message: `items[${index}]: ${result.error.message}` },
        },
      };
    }
    const start = this.#startMore(1);
    if (start.length > 0) return { start };
    return this.#open.size > 0 ? {} : this.#end();
  }

  countRetainedBytes(measure: (value: Json) => number): number {
    return measure(this.#items) + this.#results.countBytes(measure);
  }

  save(): Saved {
    return { results: this.#results.save(), errors: this.#errors, open: this.#open, next: this.#next };
  }

  restore(saved: unknown): void {
    const { results, errors, open, next } = saved as Saved;
    if (Array.isArray(results)) results.forEach((result, index) => this.#results.set(index, result));
    else this.#results.restore(results);
    this.#errors = errors;
    this.#open = open;
    this.#next = next;
  }

  #startMore(count: number): NonNullable<BodyStep['start']> {
    const items = this.#items as Json[];
    const start: NonNullable<BodyStep['start']> = [];
    for (; start.length < count && this.#next < items.length; this.#next++) {
      const index = this.#next;
      const item = items[index] ?? null;
      this.#open.add(String(index));
      start.push({ key: String(index), region: BODY, input: { item, index }, item, index });
    }
    return start;
  }

  #end(): BodyStep {
    const errors = [...this.#errors].sort(([a], [b]) => a - b).map(([index, error]) => ({ index, error }));
    return { outcome: done({ results: this.#results.toArray(), ...(this.#continues && { errors }) }) };
  }
}
