import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json } from '../lib/json/json.ts';
import { TemplateError, TemplateEvaluationError } from './errors.ts';
import { FILTER_GROUPS } from './filters.ts';
import { compileTemplate } from './template.ts';

const names = FILTER_GROUPS.flatMap((group) => group.functions).map((fn) => fn.name);
const forbidden = ['__proto__', 'constructor', 'prototype'];
const inherited = [
  'toString',
  'valueOf',
  'hasOwnProperty',
  '__defineGetter__',
  'length',
  'push',
  'call',
  'apply',
  'then',
];

/** Own fields with the names of prototypes' fields, as a hostile body may hold them. */
const hostile = JSON.parse(
  '{"__proto__": {"secret": 1}, "constructor": {"name": "x", "prototype": 1}, "prototype": {}, "a": [{"b": "t", "constructor": 1}, 2, null], "s": "text", "n": 3, "o": {"__proto__": 1, "x": {}}}',
) as Json;
const scope = {
  input: hostile,
  nodes: () => hostile,
  secrets: () => 'S3CRET',
  trigger: hostile,
  item: hostile,
  index: 1,
  value: hostile,
  now: 0,
};

const token = fc.oneof(
  fc.constantFrom(
    'input',
    'nodes.x',
    'item',
    'a',
    's',
    'n',
    'o',
    'x',
    'i',
    'trigger',
    'value',
    'true',
    'null',
    '1',
    '2.5',
    '"s"',
    "'a'",
    '[]',
    '{}',
  ),
  fc.constantFrom(
    '.',
    '[',
    ']',
    '(',
    ')',
    ',',
    '|',
    ':',
    '?',
    '+',
    '-',
    '*',
    '/',
    '%',
    '==',
    '<',
    '>',
    '&&',
    '||',
    '!',
    ' in ',
    ' ',
  ),
  fc.constantFrom(
    ...names.map((name) => ` | ${name}`),
    ...names.map((name) => `.${name}(`),
    ...names.map((name) => `${name}(`),
  ),
  fc.constantFrom(
    '.map(i, ',
    '.filter(i, ',
    '.exists(i, ',
    '.all(i, ',
    'has(',
    '{{',
    '}}',
    '"',
    "'",
    '\\',
    '`',
    '${',
    'function',
    '=>',
    ';',
  ),
  fc.constantFrom(
    ...forbidden,
    ...inherited,
    ...forbidden.map((name) => `["${name}"]`),
    ...inherited.map((name) => `.${name}`),
  ),
  fc.string({ maxLength: 4 }),
);

/** Expressions that mostly compile, so that the evaluation is reached. */
const { expression } = fc.letrec<{ expression: string; path: string; literal: string }>((tie) => ({
  path: fc
    .tuple(
      fc.constantFrom('input', 'nodes.x', 'item', 'a', 'o', 's', 'value'),
      fc.array(
        fc.oneof(
          fc.constantFrom('.a', '.b', '.o', '.x', '[0]', '["n"]', '.s'),
          fc.constantFrom(...inherited.map((name) => `.${name}`)),
          tie('expression').map((inner) => `[${inner}]`),
          fc.constantFrom(...forbidden).map((name) => `["${name.slice(0, 3)}" + "${name.slice(3)}"]`),
        ),
        { maxLength: 4 },
      ),
    )
    .map(([root, steps]) => root + steps.join('')),
  literal: fc.oneof(
    fc.constantFrom(
      '1',
      '0',
      '-2',
      '0.5',
      'true',
      'null',
      '[]',
      '{}',
      '"__proto__"',
      '"constructor"',
      '"a"',
      '[1, "b", null]',
      '{"k": [1]}',
    ),
    fc.string({ maxLength: 5 }).map((text) => JSON.stringify(text)),
  ),
  expression: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    tie('literal'),
    tie('path'),
    fc
      .tuple(
        tie('expression'),
        fc.constantFrom('+', '-', '*', '/', '%', '==', '!=', '<', '>=', '&&', '||', 'in'),
        tie('expression'),
      )
      .map(([a, op, b]) => `(${a} ${op} ${b})`),
    fc
      .tuple(tie('expression'), tie('expression'), tie('expression'))
      .map(([a, b, c]) => `(${a} ? ${b} : ${c})`),
    fc
      .tuple(fc.constantFrom(...names), fc.array(tie('expression'), { minLength: 1, maxLength: 3 }))
      .map(([name, args]) => `${name}(${args.join(', ')})`),
    fc
      .tuple(
        tie('expression'),
        fc.constantFrom('map', 'filter', 'exists', 'all', 'exists_one'),
        tie('expression'),
      )
      .map(([list, macro, body]) => `(${list}).${macro}(i, ${body})`),
    tie('path').map((path) => `has(${path})`),
    fc.tuple(tie('expression'), tie('expression')).map(([a, b]) => `{"k": ${a}, ${b}: 1}`),
  ),
}));

/** Only JSON: no function, no prototype of the engine, no undefined, no BigInt, no number that JSON lacks. */
function expectJson(value: unknown): void {
  const work = [value];
  for (let next = work.pop(), first = true; first || next !== undefined; next = work.pop(), first = false) {
    if (typeof next === 'number') expect(Number.isFinite(next)).toBe(true);
    else if (typeof next === 'object' && next !== null) {
      expect([Object.prototype, Array.prototype]).toContain(Object.getPrototypeOf(next));
      expect([Object.prototype, Array.prototype, Function.prototype]).not.toContain(next);
      work.push(...(Object.values(next) as unknown[]));
    } else expect(['string', 'boolean', 'object']).toContain(typeof next);
  }
}

function check(template: string): 'refused' | 'failed' | 'evaluated' {
  let compiled;
  try {
    compiled = compileTemplate(template);
  } catch (error) {
    if (error instanceof TemplateError) return 'refused';
    throw error;
  }
  try {
    expectJson(compiled.evaluate(scope));
    return 'evaluated';
  } catch (error) {
    if (error instanceof TemplateEvaluationError) return 'failed';
    throw error;
  } finally {
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(({} as { secret?: number }).secret).toBeUndefined();
  }
}

test('any text compiles and evaluates, or throws one of the two errors', () => {
  fc.assert(
    fc.property(fc.array(token, { maxLength: 20 }), (tokens) => {
      check(tokens.join(''));
      check(`{{ ${tokens.join('')} }}`);
      check(`x{{ ${tokens.slice(0, 6).join('')} }}{{ ${tokens.slice(6).join('')} }}`);
    }),
    { numRuns: 3000 },
  );
});

test('expressions give JSON, or throw one of the two errors', () => {
  const outcomes = { refused: 0, failed: 0, evaluated: 0 };
  fc.assert(
    fc.property(expression, (text) => {
      outcomes[check(`{{ ${text} }}`)]++;
      outcomes[check(`a {{ ${text} | json }} b`)]++;
    }),
    { numRuns: 3000 },
  );
  // The test is worth something only while evaluations are reached.
  expect(outcomes.evaluated).toBeGreaterThan(300);
  expect(outcomes.failed).toBeGreaterThan(300);
});

const roots = [
  'input',
  'nodes.x',
  'trigger',
  'item',
  'value',
  'input.a[0]',
  '{}',
  '[]',
  '"text"',
  '1',
  'true',
  '{"a": 1}',
  'size',
];

test.each(forbidden)('%s never resolves, however it is spelled', (key) => {
  const half = Math.ceil(key.length / 2);
  const escaped = Array.from(key, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
  const steps = [
    `.${key}`,
    `["${key}"]`,
    `['${key}']`,
    `["${escaped}"]`,
    `[r"${key}"]`,
    `["""${key}"""]`,
    `["${key.slice(0, half)}" + "${key.slice(half)}"]`,
    `[["${key}"][0]]`,
    `[join(["${key.slice(0, half)}", "${key.slice(half)}"], "")]`,
    `[downcase("${key.toUpperCase()}")]`,
  ];
  for (const root of roots) {
    for (const step of steps) {
      const read = `${root}${step}`;
      expect(check(`{{ ${read} }}`), read).not.toBe('evaluated');
      expect(check(`{{ (${root})${step}.name }}`), read).not.toBe('evaluated');
      for (const guarded of [`has(${read})`, `${read} | default: false`]) {
        let value: Json = false;
        try {
          value = compileTemplate(`{{ ${guarded} }}`).evaluate(scope);
        } catch (error) {
          expect(error instanceof TemplateError || error instanceof TemplateEvaluationError).toBe(true);
        }
        expect(value, guarded).toBe(false);
      }
    }
    expect(check(`{{ [${root}] | map: "${key}" }}`)).not.toBe('evaluated');
    expect(check(`{{ [${root}] | where: "a.${key}" }}`)).not.toBe('evaluated');
  }
  expect(check(`{{ ${key} }}`)).not.toBe('evaluated');
  expect(check(`{{ {"${key}": 1} }}`)).not.toBe('evaluated');
  expect(check(`{{ {"${key.slice(0, 4)}" + "${key.slice(4)}": 1} }}`)).not.toBe('evaluated');
  expect(compileTemplate(`{{ "${key}" in input }}`).evaluate(scope)).toBe(false);
});

test.each(inherited)('%s is not inherited by any value', (key) => {
  for (const root of roots) {
    expect(check(`{{ (${root}).${key} }}`)).not.toBe('evaluated');
    expect(check(`{{ (${root})["${key}"] }}`)).not.toBe('evaluated');
    expect(check(`{{ (${root}).${key}() }}`)).not.toBe('evaluated');
  }
});

test.each([
  'process',
  'globalThis',
  'require("fs")',
  'this',
  'eval("1")',
  'Function("return 1")()',
  'import("fs")',
  '(() => 1)()',
  'new Date()',
  'input = 1',
  'input.a.push(1)',
  '`${1}`',
  'cel',
  'google.protobuf.Timestamp',
  'type(1)',
  'dyn(1)',
  'timestamp("2024-01-01T00:00:00Z")',
  'bytes("x")',
])('%s is no way to run code', (text) => {
  expect(check(`{{ ${text} }}`)).not.toBe('evaluated');
});
