import { describe, expect, test } from 'vitest';
import { createSeededRandom } from '../../../test/support/seeded-random.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { ParameterError, ParametersTooLargeError } from '../errors.ts';
import { compileParameters } from './template-parameters.ts';
import { compileTemplate } from '../template.ts';
import { readThreadTime } from '../../../test/support/time/thread-time.ts';

const options = { now: 1_700_000_000_000, limit: 100_000 };

function fill(body: Json, values: JsonObject): Json {
  const compiled = compileParameters(body, 'workflow');
  expect(compiled.errors).toEqual([]);
  return compiled.fill(values, options);
}
function compileToError(text: string): string {
  const [problem] = compileParameters({ a: text }, 'workflow').errors;
  expect(problem?.pointer).toBe('workflow.a');
  return problem?.message ?? '';
}
function refusal(body: Json, values: JsonObject): ParameterError {
  try {
    fill(body, values);
  } catch (error) {
    if (error instanceof ParameterError) return error;
    throw error;
  }
  throw new Error('It was not refused.');
}

describe('what parameters become', () => {
  test('alone they keep their type, inside text they are printed', () => {
    const body = {
      n: '{{ parameters.n }}',
      list: ['{{ parameters.list }}', 'x{{parameters.n}}y'],
      text: '{{ parameters.o }}/{{ parameters.b }}',
      deep: { er: '{{ parameters.o.k }}' },
    };
    expect(fill(body, { n: 3, list: [1, 'a'], o: { k: null }, b: false })).toEqual({
      n: 3,
      list: [[1, 'a'], 'x3y'],
      text: '{"k":null}/false',
      deep: { er: null },
    });
  });

  test('expressions and filters over parameters are evaluated', () => {
    const body = {
      sum: '{{ parameters.n + 1 }}',
      up: '{{ parameters.a | upcase }}',
      or: '{{ parameters.none | default: "else" }}',
      has: '{{ has(parameters.none) }}',
      odd: '{{ parameters["a"] }}',
      list: '{{ parameters.l.map(x, x + parameters.n) }}',
    };
    expect(fill(body, { n: 1, a: 'abc', l: [1, 2] })).toEqual({
      sum: 2,
      up: 'ABC',
      or: 'else',
      has: false,
      odd: 'abc',
      list: [2, 3],
    });
  });

  test('a missing value is omitted from an object, null in a list, and empty in text', () => {
    const body = {
      a: '{{ parameters.none }}',
      list: ['{{ parameters.none }}'],
      text: 'a{{ parameters.none }}b',
    };
    expect(fill(body, {})).toEqual({ list: [null], text: 'ab' });
  });

  test('placeholders of the workflow stay as they are, beside a parameter too', () => {
    const body = {
      a: '{{ input.x }}',
      b: '{{parameters.n}} of {{  input.total | round: 2 }} and {{ "}}" }}',
      c: '{{ input.parameters.n }} {{ parameters.n }}',
      d: 'parameters {{ input.a }}',
      e: '{{ this is no template of ours',
    };
    expect(fill(body, { n: 2 })).toEqual({
      ...body,
      b: '2 of {{  input.total | round: 2 }} and {{ "}}" }}',
      c: '{{ input.parameters.n }} 2',
    });
  });

  test('keys are never templates, and no key is special', () => {
    const body = JSON.parse('{"{{ parameters.n }}":1,"__proto__":{"a":"{{ parameters.n }}"}}') as Json;
    expect(JSON.stringify(fill(body, { n: 2 }))).toBe('{"{{ parameters.n }}":1,"__proto__":{"a":2}}');
    expect(({} as Record<string, unknown>)['a']).toBeUndefined();
  });

  test('the name of a secret may be a parameter', () => {
    const body = { token: 'Bearer {{ secrets[parameters.key] | strip }}' };
    expect(fill(body, { key: 'CRM_TOKEN' })).toEqual({ token: 'Bearer {{ secrets.CRM_TOKEN | strip }}' });
    for (const key of ['a b', '', 3, 'K }} {{ x', null]) expect(refusal(body, { key }).parameter).toBe('key');
    expect(compileParameters(body, '').secretUses).toEqual([{ name: 'key', pointer: 'token' }]);
  });
});

describe('a parameter beside a value that is known later becomes a literal', () => {
  const scope = { now: 0, input: { n: 5, l: [{ p: 1 }, { p: 9 }], s: 'a-b' }, nodes: () => ({ k: 3 }) };
  test.each<[string, JsonObject, string, Json]>([
    ['{{ input.n > parameters.n }}', { n: 4 }, '{{ input.n > 4 }}', true],
    ['{{input.n - parameters.n}}', { n: -4 }, '{{input.n - (-4)}}', 9],
    ['{{ input.l | map: parameters.f | first }}', { f: 'p' }, '{{ input.l | map: "p" | first }}', 1],
    [
      '{{ input.l.filter(x, x.p > parameters.o.min) }}',
      { o: { min: 2.5 } },
      '{{ input.l.filter(x, x.p > 2.5) }}',
      [{ p: 9 }],
    ],
    [
      '{{ input.s | split: parameters.a | join: parameters.b }}',
      { a: '-', b: ', ' },
      '{{ input.s | split: "-" | join: ", " }}',
      'a, b',
    ],
    ['{{ parameters.l[input.n - 4] }}', { l: [1, 'two'] }, '{{ [1,"two"][input.n - 4] }}', 'two'],
    [
      '{{ input.none | default: parameters.o }}',
      { o: { a: [null, true] } },
      '{{ input.none | default: {"a":[null,true]} }}',
      { a: [null, true] },
    ],
    ['{{ input.none | default: parameters.none }}', {}, '{{ input.none | default: null }}', null],
    ['{{ parameters.n.round(input.n - 4) }}', { n: 2.25 }, '{{ (2.25).round(input.n - 4) }}', 2.3],
    ['{{ nodes.x.k + parameters.n }}', { n: 2 ** 60 }, '{{ nodes.x.k + 1152921504606847000.0 }}', 2 ** 60],
    ['{{ input.s + parameters.a }}', { a: '"\\ }} \n\u0000\u2028 | x' }, '', 'a-b"\\ }} \n\u0000\u2028 | x'],
  ])('%s with %j', (text, values, expected, result) => {
    const filled = fill(text, values) as string;
    if (expected !== '') expect(filled).toBe(expected);
    expect(compileTemplate(filled).evaluate(scope)).toEqual(result);
  });

  test('a text of any characters stays that text', () => {
    const pieces = [
      '"',
      "'",
      '\\',
      '}}',
      '}',
      '{',
      '|',
      ',',
      ')',
      ' + secrets.K + ',
      '\n',
      '"""',
      'r"',
      '\u{1F600}',
      '\ud800',
      '$',
    ];
    const below = createSeededRandom(7).int;
    for (let round = 0; round < 3_000; round++) {
      const a = Array.from({ length: below(6) }, () => pieces[below(pieces.length)])
        .join('')
        .replaceAll(/\{+/g, '{');
      const compiled = compileParameters('x {{ input.s + parameters.a }}', '');
      let filled: Json;
      try {
        filled = compiled.fill({ a }, options);
      } catch (error) {
        // The expression language rejects half of a surrogate pair.
        expect([error instanceof ParameterError, a.isWellFormed()], JSON.stringify(a)).toEqual([true, false]);
        continue;
      }
      const template = compileTemplate(filled as string);
      expect(template.secretNames).toEqual([]);
      expect(template.evaluate(scope), JSON.stringify(a)).toBe(`x a-b${a}`);
    }
  });

  test('large values are refused', () => {
    const text = `{{ input.n ${'+ parameters.a '.repeat(150)}}}`;
    expect(refusal(text, { a: 'x'.repeat(50_000) }).message).toMatch(/at most 65536/);
  });
});

describe('parse errors', () => {
  test.each([
    ['{{ secrets[parameters.a] + parameters.b }}', /of its own/],
    ['{{ has(parameters.n) ? input.a : input.b }}', /has: argument must be a path/],
    ['{{ input.l.map(x, parameters[x]) }}', /a name behind it/],
    ['{{ parameters }}', /a name behind it/],
    ['{{ parameters[0] }}', /a name behind it/],
    ['{{ parameters[parameters.a] }}', /a name behind it/],
    ['{{ parameters.constructor }}', /never resolves/],
    ['{{ parameters.__proto__.x }}', /never resolves/],
    ['{{ parameters.a | no_such }}', /no_such/],
    ['{{ parameters.a', /never closed/],
    ['{{ parameters.a + }}', /Wrong expression|cannot be read/],
  ])('%s', (text, message) => {
    expect(compileToError(text)).toMatch(message);
  });
});

describe('the value of a parameter is never a template', () => {
  test.each<[string, Json, JsonObject]>([
    ['alone', '{{ parameters.a }}', { a: '{{ secrets.KEY }}' }],
    ['in text', 'x {{ parameters.a }}', { a: '{{ secrets.KEY }}' }],
    ['deep in an object', '{{ parameters.a }}', { a: { b: ['{{ secrets.KEY }}'] } }],
    ['printed in an object', 'x {{ parameters.a }}', { a: { b: ['{{ secrets.KEY }}'] } }],
    ['of two halves', '{{ parameters.a }}{{ parameters.b }}', { a: '{', b: '{ secrets.KEY }}' }],
    ['with the text behind', '{{ parameters.a }}{ secrets.KEY }}', { a: '{' }],
    ['with two parameters of text', '{{ parameters.a }}{{ parameters.a }} secrets.KEY }}', { a: '{' }],
    ['decoded', '{{ parameters.a | url_decode }}', { a: '%7B%7B secrets.KEY }}' }],
    ['decoded in text', 'x{{ parameters.a | base64_decode }}', { a: 'e3sgc2VjcmV0cy5LRVkgfX0=' }],
    ['replaced', '{{ parameters.a | replace: "<", "{" }}', { a: '<< secrets.KEY }}' }],
    ['joined', '{{ parameters.a | join: "" }}', { a: ['{', '{ secrets.KEY }}'] }],
    ['as a key that is printed', 'x{{ parameters.a }}', { a: { '{{ secrets.KEY }}': 1 } }],
    ['before a placeholder that is kept', '{{ parameters.a }}{{ input.x }}', { a: '{' }],
    ['opened and never closed', '{{ parameters.a }}{{ parameters.a }}', { a: '{' }],
  ])('%s', (_name, body, values) => {
    expect(refusal({ body }, values).message).toMatch(/would make a placeholder/);
  });

  test('braces that are not placeholders are accepted', () => {
    expect(fill('{{ parameters.a }} {{ input.x }}', { a: '}} { "b": {} }' })).toBe(
      '}} { "b": {} } {{ input.x }}',
    );
  });

  // Seed 20260111.
  test('random pieces: the result contains the kept placeholders, and no others', () => {
    const { int: below, pick } = createSeededRandom(20_260_111);
    const texts = ['{', '}', '{{', '}}', ' secrets.K ', '"', "'", '|', 'x', '', '{ ', '\\'];
    let refused = 0;
    let taken = 0;
    for (let round = 0; round < 20_000; round++) {
      const values: JsonObject = {};
      for (const name of ['a', 'b'])
        values[name] = Array.from({ length: below(4) }, () => pick(texts)).join('');
      const parts = Array.from({ length: 1 + below(5) }, () =>
        pick(['{{ parameters.a }}', '{{ parameters.b }}', '{{ input.x }}', 'y', ' } ']),
      );
      const compiled = compileParameters(parts.join(''), '');
      if (compiled.errors.length > 0 || compiled.uses.length === 0) continue;
      const kept = parts.filter((part) => part === '{{ input.x }}').length;
      try {
        const filled = compiled.fill(values, options) as string;
        taken++;
        expect(filled.split('{{').length - 1, JSON.stringify([parts, values])).toBe(kept);
      } catch (error) {
        if (!(error instanceof ParameterError)) throw error;
        refused++;
      }
    }
    expect(taken).toBeGreaterThan(1_000);
    expect(refused).toBeGreaterThan(1_000);
  });
});

describe('bounds', () => {
  test('a large value put in many times is refused before it is made', () => {
    const body = Array.from({ length: 1_000 }, () => '{{ parameters.a }}');
    const compiled = compileParameters(body, '');
    const start = readThreadTime();
    expect(() => compiled.fill({ a: 'x'.repeat(50_000) }, options)).toThrow(ParametersTooLargeError);
    expect(() => compiled.fill({ a: Array.from({ length: 20_000 }, () => 1) }, options)).toThrow(
      ParametersTooLargeError,
    );
    expect(readThreadTime() - start).toBeLessThan(1_000);
  });

  test('all expressions of a body share their steps', () => {
    const body = Array.from(
      { length: 200 },
      () => '{{ parameters.l.map(x, parameters.l.map(y, y)) | size }}',
    );
    const start = readThreadTime();
    expect(refusal(body, { l: Array.from({ length: 1_000 }, () => 1) }).message).toMatch(/steps/);
    expect(readThreadTime() - start).toBeLessThan(5_000);
  });

  test('a value that does not fit names its parameter', () => {
    const error = refusal({ a: ['{{ parameters.t | plus: 1 }}'] }, { t: 'x' });
    expect([error.parameter, error.pointer]).toEqual(['t', 'workflow.a[0]']);
    expect(refusal('{{ parameters.o.missing }}', { o: {} }).parameter).toBe('o');
  });
});
