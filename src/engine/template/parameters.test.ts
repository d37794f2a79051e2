import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../lib/json.ts';
import { compileParameters, ParameterError, ParametersTooLarge } from './parameters.ts';

const options = { now: 1_700_000_000_000, limit: 100_000 };

function fill(body: Json, values: JsonObject): Json {
  const compiled = compileParameters(body, 'workflow');
  expect(compiled.faults).toEqual([]);
  return compiled.fill(values, options);
}
function faultOf(text: string): string {
  const [fault] = compileParameters({ a: text }, 'workflow').faults;
  expect(fault?.pointer).toBe('workflow.a');
  return fault?.message ?? '';
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

  test('what has no value is left out, null in a list, nothing in text', () => {
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
    expect(compileParameters(body, '').secretUses).toEqual([{ name: 'key', pointer: 'token' }]);
  });
});

describe('what is refused when it is read', () => {
  test.each([
    ['{{ parameters.n > input.n }}', /cannot mix parameters with input.n/],
    ['{{ parameters.n | plus: nodes.a.b }}', /cannot mix/],
    ['{{ secrets[parameters.a] + parameters.b }}', /cannot mix/],
    ['{{ parameters }}', /a name behind it/],
    ['{{ parameters[0] }}', /a name behind it/],
    ['{{ parameters[parameters.a] }}', /a name behind it/],
    ['{{ parameters.constructor }}', /never resolves/],
    ['{{ parameters.__proto__.x }}', /never resolves/],
    ['{{ parameters.a | no_such }}', /no_such/],
    ['{{ parameters.a', /never closed/],
    ['{{ parameters.a + }}', /Wrong expression|cannot be read/],
  ])('%s', (text, message) => {
    expect(faultOf(text)).toMatch(message);
  });
});

describe('what a parameter brings is never a template', () => {
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

  test('braces that make none are taken', () => {
    expect(fill('{{ parameters.a }} {{ input.x }}', { a: '}} { "b": {} }' })).toBe(
      '}} { "b": {} } {{ input.x }}',
    );
  });

  // Seed 20260111.
  test('random pieces: what comes out holds the kept placeholders, and no others', () => {
    let state = 20_260_111;
    const below = (n: number): number => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((state / 2 ** 32) * n);
    };
    const pick = <T>(list: readonly T[]): T => list[below(list.length)]!;
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
      if (compiled.faults.length > 0 || compiled.uses.length === 0) continue;
      const kept = parts.filter((part) => part === '{{ input.x }}').length;
      try {
        const filled = String(compiled.fill(values, options));
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
    const start = performance.now();
    expect(() => compiled.fill({ a: 'x'.repeat(50_000) }, options)).toThrow(ParametersTooLarge);
    expect(() => compiled.fill({ a: Array.from({ length: 20_000 }, () => 1) }, options)).toThrow(
      ParametersTooLarge,
    );
    expect(performance.now() - start).toBeLessThan(1_000);
  });

  test('all expressions of a body share their steps', () => {
    const body = Array.from(
      { length: 200 },
      () => '{{ parameters.l.map(x, parameters.l.map(y, y)) | size }}',
    );
    const start = performance.now();
    expect(refusal(body, { l: Array.from({ length: 1_000 }, () => 1) }).message).toMatch(/steps/);
    expect(performance.now() - start).toBeLessThan(5_000);
  });

  test('a value that does not fit names its parameter', () => {
    const error = refusal({ a: ['{{ parameters.t | plus: 1 }}'] }, { t: 'x' });
    expect([error.parameter, error.pointer]).toEqual(['t', 'workflow.a[0]']);
    expect(refusal('{{ parameters.o.missing }}', { o: {} }).parameter).toBe('o');
  });
});
