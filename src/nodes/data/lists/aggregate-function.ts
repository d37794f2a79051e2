import type { Json } from '../../../lib/json/json.ts';
import { createEqualityKey } from '../equality-key.ts';
import { describeType } from '../items.ts';
import { compareKeys } from './sort-key.ts';

/**
 * Aggregates the values of one group. `add` returns an error message if a value does not fit, otherwise null.
 */
export type Aggregator = { add(value: Json): string | null; result(): Json };

/** One result field of a group: the operation applied to the values of a field. */
export type AggregateField = {
  operation: string;
  field?: string;
  separator?: string;
  unique?: boolean;
};

export function createAggregator(spec: AggregateField): Aggregator {
  switch (spec.operation) {
    case 'count':
      return new Count();
    case 'count_unique':
      return new CountUnique();
    case 'sum':
      return new Sum((sum) => sum);
    case 'average':
      return new Sum((sum, count) => (count === 0 ? null : sum / count));
    case 'min':
      return new Extreme(-1);
    case 'max':
      return new Extreme(1);
    case 'first':
      return new Edge(false);
    case 'last':
      return new Edge(true);
    case 'join':
      return new Join(spec.separator ?? ', ');
    default:
      return new List(spec.unique === true);
  }
}

class Count implements Aggregator {
  #count = 0;
  add(): null {
    this.#count++;
    return null;
  }
  result(): Json {
    return this.#count;
  }
}

class CountUnique implements Aggregator {
  readonly #seen = new Set<string>();
  add(value: Json): null {
    this.#seen.add(createEqualityKey(value));
    return null;
  }
  result(): Json {
    return this.#seen.size;
  }
}

/** Sums with Neumaier's compensation of rounding errors, so that ten times 0.1 is 1. */
class Sum implements Aggregator {
  readonly #finish: (sum: number, count: number) => number | null;
  #sum = 0;
  #lost = 0;
  #count = 0;
  constructor(finish: (sum: number, count: number) => number | null) {
    this.#finish = finish;
  }
  add(value: Json): string | null {
    if (typeof value !== 'number') return `must be a number, not ${describeType(value)}`;
    const sum = this.#sum + value;
    if (!Number.isFinite(sum)) return 'must not make the sum exceed about 1.8e308';
    this.#lost += Math.abs(this.#sum) >= Math.abs(value) ? this.#sum - sum + value : value - sum + this.#sum;
    this.#sum = sum;
    this.#count++;
    return null;
  }
  result(): Json {
    return this.#finish(this.#sum + this.#lost, this.#count);
  }
}

class Extreme implements Aggregator {
  readonly #sign: 1 | -1;
  #best: number | string | null = null;
  constructor(sign: 1 | -1) {
    this.#sign = sign;
  }
  add(value: Json): string | null {
    if (typeof value !== 'number' && typeof value !== 'string')
      return `must be a number or a string, not ${describeType(value)}`;
    if (this.#best !== null && typeof this.#best !== typeof value)
      return `must have the same type as the other values, ${describeType(this.#best).replace(/^a /, '')}, not ${describeType(value)}`;
    if (this.#best === null || compareKeys(value, this.#best, 'auto') * this.#sign > 0) this.#best = value;
    return null;
  }
  result(): Json {
    return this.#best;
  }
}

class Edge implements Aggregator {
  readonly #last: boolean;
  #value: Json = null;
  #any = false;
  constructor(last: boolean) {
    this.#last = last;
  }
  add(value: Json): null {
    if (this.#last || !this.#any) this.#value = value;
    this.#any = true;
    return null;
  }
  result(): Json {
    return this.#value;
  }
}

class Join implements Aggregator {
  readonly #separator: string;
  readonly #parts: string[] = [];
  constructor(separator: string) {
    this.#separator = separator;
  }
  add(value: Json): string | null {
    if (typeof value === 'object') return `must be a string, number or boolean, not ${describeType(value)}`;
    this.#parts.push(String(value));
    return null;
  }
  result(): Json {
    return this.#parts.join(this.#separator);
  }
}

class List implements Aggregator {
  readonly #values: Json[] = [];
  readonly #seen: Set<string> | null;
  constructor(unique: boolean) {
    this.#seen = unique ? new Set() : null;
  }
  add(value: Json): null {
    if (this.#seen !== null) {
      const key = createEqualityKey(value);
      if (this.#seen.has(key)) return null;
      this.#seen.add(key);
    }
    this.#values.push(value);
    return null;
  }
  result(): Json {
    return this.#values;
  }
}
