// Evaluates a path of three names repeatedly in one thread, and compares it with a lower bound: the same walk
// written by hand, with the check for own properties that makes it safe.
import { compileTemplate } from '../src/expressions/template.ts';
import type { Json, JsonObject } from '../src/lib/json/json.ts';
import type { FigureRow } from './report.ts';
import { LIMITS } from './targets.ts';

const COUNT = 2_000_000;
const ROUNDS = 5;

const inputs: Json[] = Array.from({ length: 64 }, (_, i) => ({
  customer: { address: { city: `city ${i}` }, name: 'x' },
  id: i,
}));

/** The minimum of any expression language: each step is an own property of the object. */
function walk(value: Json): Json {
  let found: Json | undefined = value;
  for (const name of ['customer', 'address', 'city']) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name))
      throw new Error('nothing is there');
    found = (found as JsonObject)[name];
  }
  return found ?? null;
}

/** Runs of `one` per second: the best of several rounds after a warm-up round. */
function measurePerSecond(one: (input: Json) => Json): number {
  let best = 0;
  for (let round = 0; round <= ROUNDS; round += 1) {
    let texts = 0;
    const began = performance.now();
    for (let i = 0; i < COUNT; i += 1)
      if (typeof one(inputs[i % inputs.length] ?? null) === 'string') texts += 1;
    const rate = COUNT / ((performance.now() - began) / 1000);
    if (texts !== COUNT) throw new Error('something was not read');
    if (round > 0) best = Math.max(best, rate);
  }
  return best;
}

export function measureExpressions(say: (line: string) => void): FigureRow[] {
  const baseline = measurePerSecond(walk);
  const texts = {
    'a path of three names': '{{ input.customer.address.city }}',
    'the same with a filter': '{{ input.customer.address.city | default: "none" }}',
    'the same within text': 'to {{ input.customer.address.city }}',
  };
  const rows: FigureRow[] = [];
  for (const [what, text] of Object.entries(texts)) {
    const template = compileTemplate(text);
    const rate = measurePerSecond((input) => template.evaluate({ input, now: 0 }));
    say(
      `${what}: ${(rate / 1e6).toFixed(2)} million evaluations/s; by hand ${(baseline / 1e6).toFixed(2)} million`,
    );
    rows.push({ what: `${what}: time of an evaluation / by hand`, value: baseline / rate, unit: '×' });
    rows.push({
      what: `${what}: ns of one evaluation`,
      value: 1e9 / rate,
      unit: '',
      // One million per second.
      ...(text === texts['a path of three names'] && { limit: LIMITS.evaluation }),
    });
  }
  return rows;
}
