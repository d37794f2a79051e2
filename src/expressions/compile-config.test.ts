import { describe, expect, test } from 'vitest';
import type { DeferredTemplate } from '../contract/node-type.ts';
import type { Json } from '../lib/json/json.ts';
import { compileConfig, evaluateDeferred } from './compile-config.ts';
import { TemplateEvaluationError } from './errors.ts';
import type { TemplateScope } from './scope.ts';

const scope: TemplateScope = {
  input: { id: 7, name: 'Ann', items: [1, 2] },
  secrets: (name) => (name === 'KEY' ? 's3cret' : undefined),
  now: 0,
};

test('a configuration without templates is constant: always the same frozen value', () => {
  const config = { url: 'http://x', headers: { a: 'b' }, list: [1, { c: '}} {' }] };
  const compiled = compileConfig(config);
  expect(compiled).toMatchObject({ isConstant: true, errors: [], secretReads: [], nodeUses: [] });
  const value = compiled.evaluate(scope) as typeof config;
  expect(value).toEqual(config);
  expect(compiled.evaluate({ ...scope, input: 1 })).toBe(value);
  expect(Object.isFrozen(value) && Object.isFrozen(value.headers) && Object.isFrozen(value.list[1])).toBe(
    true,
  );
  expect(Object.isFrozen(config)).toBe(false);
});

test('templates are replaced with typed values; only their containers are copied', () => {
  const compiled = compileConfig({
    url: 'http://x/{{ input.id }}',
    body: { id: '{{ id }}', deep: [{ list: '{{ input.items }}' }, 'plain'] },
    fixed: { a: [1] },
    '{{ id }}': 'keys are never templates',
  });
  expect(compiled.isConstant).toBe(false);
  const first = compiled.evaluate(scope) as { fixed: object; body: { deep: unknown[] } };
  expect(first).toEqual({
    url: 'http://x/7',
    body: { id: 7, deep: [{ list: [1, 2] }, 'plain'] },
    fixed: { a: [1] },
    '{{ id }}': 'keys are never templates',
  });
  const second = compiled.evaluate({ ...scope, input: { id: 8, items: [] } }) as typeof first;
  expect(second).toMatchObject({ url: 'http://x/8', body: { id: 8 } });
  expect(second.fixed).toBe(first.fixed);
  expect(second.body.deep).not.toBe(first.body.deep);
  expect(first).toMatchObject({ url: 'http://x/7' });
});

test('a value that looks like a template stays a value', () => {
  const compiled = compileConfig({ a: '{{ input.evil }}', b: 'x{{ input.evil }}' });
  expect(compiled.evaluate({ ...scope, input: { evil: '{{ secrets.KEY }}' } })).toEqual({
    a: '{{ secrets.KEY }}',
    b: 'x{{ secrets.KEY }}',
  });
});

test('names the secrets and nodes', () => {
  const compiled = compileConfig({
    a: '{{ secrets.A }}',
    b: ['{{ nodes.x.y }}{{ secrets.B }}', '{{ secrets.A }}'],
  });
  expect(compiled.secretReads).toEqual([
    { pointer: 'a', name: 'A', isWhole: true },
    { pointer: 'b[0]', name: 'B', isWhole: false },
    { pointer: 'b[1]', name: 'A', isWhole: true },
  ]);
  expect(compiled.nodeUses).toEqual([{ pointer: 'b[0]', id: 'x' }]);
});

test('literal parts pass as they are, and are not looked at', () => {
  const source = { source: 'const a = `{{ not a template`', nested: { x: '{{' } };
  const compiled = compileConfig(
    { code: source, url: '{{ id }}' },
    { skip: (pointer) => (pointer === 'code' ? 'literal' : undefined) },
  );
  expect(compiled.errors).toEqual([]);
  expect(compiled.evaluate(scope)).toEqual({ code: source, url: 7 });
});

test('deferred templates are evaluated by the node, with its own additions to the scope', () => {
  const compiled = compileConfig(
    {
      operations: [
        { action: 'map', transform: '{{ value | upcase }} of {{ input.name }}' },
        { transform: 'plain' },
      ],
      x: '{{ id }}',
    },
    { skip: (pointer) => (pointer.endsWith('.transform') ? 'deferred' : undefined) },
  );
  const { operations, x } = compiled.evaluate(scope) as {
    operations: { transform: DeferredTemplate; action: string }[];
    x: number;
  };
  expect(x).toBe(7);
  expect(operations[0]?.action).toBe('map');
  const given = (i: number, value: Json) => evaluateDeferred(operations[i]!.transform, { ...scope, value });
  expect([given(0, 'a'), given(0, 'b'), given(1, 'b')]).toEqual(['A of Ann', 'B of Ann', 'plain']);
});

test('all errors name their fields', () => {
  const compiled = compileConfig({
    operations: [{ transform: '{{ a | nope }}' }],
    headers: { 'X-Key': '{{ secrets }}', 'odd name': '{{' },
    fine: '{{ id }}',
  });
  expect(compiled.errors.toSorted((a, b) => (a.pointer < b.pointer ? -1 : 1))).toEqual([
    { pointer: 'headers.X-Key', message: expect.stringMatching(/secrets is used with a name/) as string },
    { pointer: 'headers["odd name"]', message: '{{ is never closed by }}' },
    { pointer: 'operations[0].transform', message: 'There is no function or filter nope' },
  ]);
});

test('an evaluation that fails names the field and the path', () => {
  const compiled = compileConfig(
    { body: { items: ['ok', '{{ input.nope.x }}'] }, t: '{{ value.x }}' },
    { skip: (p) => (p === 't' ? 'deferred' : undefined) },
  );
  const failure = (run: () => unknown): unknown => {
    try {
      return run();
    } catch (error) {
      return error;
    }
  };
  const error = failure(() => compiled.evaluate(scope));
  expect(error).toBeInstanceOf(TemplateEvaluationError);
  expect(error).toMatchObject({ field: 'body.items[1]', path: 'input.nope.x', kind: 'missing' });
  const full = compiled.evaluate({ ...scope, input: { nope: { x: 1 } } }) as { t: DeferredTemplate };
  expect(failure(() => evaluateDeferred(full.t, { ...scope, value: {} }))).toMatchObject({
    field: 't',
    path: 'value.x',
  });
});

test.each<[Json, unknown]>([
  ['{{ id }}', 7],
  ['plain', 'plain'],
  [['{{ id }}'], [7]],
  [null, null],
  [{}, {}],
  [[], []],
])('a configuration may be any JSON: %j', (config, value) => {
  expect(compileConfig(config).evaluate(scope)).toEqual(value);
});

test('a key __proto__ is an error and changes nothing', () => {
  const compiled = compileConfig(JSON.parse('{"a": {"__proto__": {"polluted": "{{ id }}"}}}') as Json);
  expect(compiled.errors).toEqual([{ pointer: 'a.__proto__', message: '__proto__ cannot be a key' }]);
  expect(({} as { polluted?: number }).polluted).toBeUndefined();
});

test('deep and wide configurations cost no stack', () => {
  let deep: Json = '{{ id }}';
  for (let i = 0; i < 20_000; i++) deep = i % 2 ? [deep] : { a: deep };
  const compiled = compileConfig({ deep, wide: Array.from({ length: 20_000 }, () => '{{ id }}') });
  expect(compiled.errors).toEqual([]);
  let value = (compiled.evaluate(scope) as { deep: unknown }).deep;
  while (typeof value === 'object') value = Object.values(value as object)[0] as unknown;
  expect(value).toBe(7);
});

describe('Markdown', () => {
  const compile = (text: string) => compileConfig({ message: text }, { skip: () => 'markdown' });
  const hostile: TemplateScope = {
    input: { bad: '[a](https://evil.example)', n: 5, lines: 'a\r\n\r\nb', list: ['*'], none: null },
    secrets: () => undefined,
    now: 0,
  };
  test.each([
    ['**{{ input.bad }}**', '**\\[a\\](https://evil.example)**'],
    ['{{ input.bad }}', '\\[a\\](https://evil.example)'],
    ['{{ input.n + 1 }} {{ input.none }}', '6 '],
    ['{{ input.list }}', '\\["\\*"\\]'],
    // A backslash of the author must not undo the first escape.
    ['a\\{{ input.bad }}', 'a\\\\\\[a\\](https://evil.example)'],
    ['a\\\\{{ input.bad }}', 'a\\\\\\[a\\](https://evil.example)'],
    // A value with several lines stays in its quote, list item, heading or cell.
    ['> {{ input.lines }}\n\nend', '> a\n> \n> b\n\nend'],
    ['1. > {{ input.lines }}', '1. > a\n   > \n   > b'],
    ['- x {{ input.lines }}', '- x a\n  \n  b'],
    ['## {{ input.lines }} x', '## a b x'],
    ['| {{ input.lines }} | x |', '| a b | x |'],
    ['{{ input.lines }}', 'a\n\nb'],
    ['*no* placeholder', '*no* placeholder'],
  ])('%s escapes its values', (text, expected) => {
    const { errors, evaluate } = compile(text);
    expect(errors).toEqual([]);
    expect(evaluate(hostile)).toEqual({ message: expected });
  });

  test('reports what it reads and its errors', () => {
    expect(compile('x {{ secrets.KEY }} {{ nodes.a.b }}')).toMatchObject({
      secretReads: [{ pointer: 'message', name: 'KEY', isWhole: false }],
      nodeUses: [{ pointer: 'message', id: 'a' }],
    });
    expect(compile('{{ input. }}').errors).toMatchObject([{ pointer: 'message' }]);
  });
});
