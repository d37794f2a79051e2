import { Environment } from '@marcbachmann/cel-js';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { TemplateEvaluationError } from './errors.ts';
import { compileTemplate } from './template.ts';

/**
 * The evaluator of the library whose parser we use is the reference: with every number written as a double it
 * knows no integers, and must agree with ours, where the numbers are written any way.
 */
const reference = new Environment({ unlistedVariablesAreDyn: true, homogeneousAggregateLiterals: false });

const fields = { two: 2, half: 0.5, minus: -3, zero: 0, big: 9_007_199_254_740_991, values: [1, 2.5, -4] };

interface Pair {
  readonly ours: string;
  readonly theirs: string;
}

const literal = fc
  .oneof(
    fc.integer({ min: 0, max: 100 }),
    fc.constantFrom(2 ** 31, 2 ** 40),
    fc.constantFrom(0.5, 1.25, 1e10),
  )
  .chain((n) => {
    const theirs = Number.isInteger(n) ? `${n}.0` : String(n);
    const spellings = Number.isInteger(n)
      ? [String(n), `${n}.0`, `0x${n.toString(16)}`, `${n}u`]
      : [String(n)];
    return fc.constantFrom(...spellings).map((ours) => ({ ours, theirs }));
  });

const field = fc
  .constantFrom(...Object.keys(fields).filter((name) => name !== 'values'))
  .map((name) => ({ ours: name, theirs: name }));

const both = (template: (...parts: string[]) => string, ...parts: Pair[]): Pair => ({
  ours: template(...parts.map((part) => part.ours)),
  theirs: template(...parts.map((part) => part.theirs)),
});

const { number, truth } = fc.letrec<{ number: Pair; truth: Pair }>((tie) => ({
  number: fc.oneof(
    { maxDepth: 5 },
    literal,
    field,
    fc
      .tuple(tie('number'), fc.constantFrom('+', '-', '*', '/'), tie('number'))
      .map(([a, op, b]) => both((x, y) => `(${x} ${op} ${y})`, a, b)),
    tie('number').map((a) => both((x) => `(-${x})`, a)),
    fc
      .tuple(tie('truth'), tie('number'), tie('number'))
      .map(([c, a, b]) => both((x, y, z) => `(${x} ? ${y} : ${z})`, c, a, b)),
    tie('number').map((a) => both((x) => `values.map(i, i * ${x})[1]`, a)),
  ),
  truth: fc.oneof(
    { maxDepth: 5 },
    fc
      .tuple(tie('number'), fc.constantFrom('<', '<=', '>', '>=', '==', '!='), tie('number'))
      .map(([a, op, b]) => both((x, y) => `(${x} ${op} ${y})`, a, b)),
    fc
      .tuple(tie('truth'), fc.constantFrom('&&', '||'), tie('truth'))
      .map(([a, op, b]) => both((x, y) => `(${x} ${op} ${y})`, a, b)),
    tie('truth').map((a) => both((x) => `(!${x})`, a)),
    tie('number').map((a) => both((x) => `values.exists(i, i > ${x})`, a)),
    tie('number').map((a) => both((x) => `(${x} in values)`, a)),
  ),
}));

function theirs(text: string): unknown {
  const result = reference.evaluate(text, fields) as unknown;
  return typeof result === 'number' && result === 0 ? 0 : result;
}

test('numbers agree with the reference, however they are written', () => {
  let compared = 0;
  fc.assert(
    fc.property(fc.oneof(number, truth), (pair) => {
      let ours: unknown;
      try {
        ours = compileTemplate(`{{ ${pair.ours} }}`).evaluate({ input: fields, now: 0 });
      } catch (error) {
        // The reference continues with infinities, which JSON lacks.
        expect(error).toBeInstanceOf(TemplateEvaluationError);
        expect((error as Error).message).toMatch(/finite|Division by zero/);
        return;
      }
      expect(ours).toBe(theirs(pair.theirs));
      compared++;
    }),
    { numRuns: 2000 },
  );
  expect(compared).toBeGreaterThan(1000);
});

test.each<[string, number]>([
  ['{{ 7 / 2 }}', 3.5],
  ['{{ 7 % 2 }}', 1],
  ['{{ -7 % 2.5 }}', -2],
  ['{{ 1 + 1 }}', 2],
  ['{{ 0.1 + 0.2 }}', 0.1 + 0.2],
  ['{{ -0.0 }}', 0],
  ['{{ 0 * -1 }}', 0],
  ['{{ size(values) }}', 3],
  ['{{ values[size(values) - 1] }}', -4],
  ['{{ values[4 / 2] }}', -4],
  ['{{ values[two / 2 + 1.0 - 1] }}', 2.5],
  ['{{ big + 1 }}', 9_007_199_254_740_992],
  ['{{ 9007199254740991 }}', Number.MAX_SAFE_INTEGER],
  ['{{ -9007199254740991 }}', Number.MIN_SAFE_INTEGER],
  ['{{ two * 1e3 }}', 2000],
])('%s is a plain JSON number', (template, result) => {
  expect(compileTemplate(template).evaluate({ input: fields, now: 0 })).toBe(result);
});
