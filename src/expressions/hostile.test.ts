import { describe, expect, test } from 'vitest';
import type { Json } from '../lib/json/json.ts';
import { compileConfig } from './compile-config.ts';
import { TemplateError, TemplateEvaluationError } from './errors.ts';
import { MAX_PRINTED_LENGTH, MAX_VALUE_LENGTH } from './limits.ts';
import { compileTemplate } from './template.ts';
import { readThreadTime } from '../../test/support/time/thread-time.ts';

/* Templates, and data, of people who mean harm. */

const secret = 'S3CRET-of-the-owner';
const evaluate = (template: string, input: Json = { a: { b: 1 }, list: [1, 2], text: 'x' }): Json =>
  compileTemplate(template).evaluate({ input, secrets: () => secret, now: 0 });

/** Refused when it is saved, or an error when it is evaluated; never a value. */
function outcome(template: string, input?: Json): 'refused' | 'failed' {
  try {
    const value = evaluate(template, input);
    throw new Error(`${template} gave ${JSON.stringify(value)?.slice(0, 200)}`);
  } catch (error) {
    if (error instanceof TemplateError) return 'refused';
    if (error instanceof TemplateEvaluationError) return 'failed';
    throw error;
  }
}

describe('walks to a prototype lead nowhere', () => {
  test.each([
    '{{ input.__proto__ }}',
    '{{ input.constructor }}',
    '{{ input.constructor.constructor("return process")() }}',
    '{{ input["__proto__"] }}',
    '{{ input["__pro" + "to__"] }}',
    '{{ input["const" + "ructor"]["constructor"] }}',
    '{{ input.a.__proto__.polluted }}',
    '{{ input.list.constructor }}',
    '{{ input.list["__proto__"] }}',
    '{{ input.text.constructor }}',
    '{{ input.text["length"] }}',
    '{{ input.list.length }}',
    '{{ input.toString }}',
    '{{ input.hasOwnProperty("a") }}',
    '{{ input.list.map(i, i.constructor) }}',
    '{{ input.list.map(constructor, constructor) + input.constructor }}',
    '{{ input | map: "__proto__" }}',
    '{{ list | map: "constructor" }}',
    '{{ __proto__ }}',
    '{{ constructor }}',
    '{{ prototype }}',
    '{{ globalThis }}',
    '{{ process.env }}',
    '{{ require("fs") }}',
    '{{ this }}',
    '{{ (() => 1)() }}',
    '{{ `${1}` }}',
    '{{ import("node:fs") }}',
    '{{ secrets.__proto__ }}',
    '{{ secrets["X"] + secrets[input.text] }}',
    '{{ nodes.__proto__ }}',
    '{{ workflow.constructor }}',
    '{{ execution.__proto__ }}',
  ])('%s', (template) => {
    expect(['refused', 'failed']).toContain(outcome(template));
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  test('fields of a hostile body with such names are no way in either', () => {
    const input = JSON.parse(
      '{"__proto__": {"admin": true}, "constructor": {"prototype": {"admin": true}}, "o": {"__proto__": {"x": 1}}}',
    ) as Json;
    for (const template of ['{{ input.admin }}', '{{ input.__proto__.admin }}', '{{ input.o.x }}'])
      expect(['refused', 'failed']).toContain(outcome(template, input));
    for (const template of [
      '{{ input | pick: "__proto__" }}',
      '{{ input | omit: "o" }}',
      '{{ input | json | parse_json }}',
    ]) {
      try {
        const made = evaluate(template, input) as Record<string, unknown>;
        expect(Object.getPrototypeOf(made)).toBe(Object.prototype);
        expect(made['admin']).toBeUndefined();
      } catch (error) {
        expect(error).toBeInstanceOf(TemplateEvaluationError);
      }
    }
    expect(({} as Record<string, unknown>)['admin']).toBeUndefined();
  });
});

describe('deep or long input is rejected before it is evaluated', () => {
  const many = (text: string, count: number): string => text.repeat(count);
  test.each<[string, string]>([
    ['a path of a thousand names', `{{ input${many('.a', 1_000)} }}`],
    ['a path of a thousand brackets', `{{ input${many('["a"]', 1_000)} }}`],
    ['brackets within brackets', `{{ ${many('(', 5_000)}1${many(')', 5_000)} }}`],
    ['lists within lists', `{{ ${many('[', 5_000)}${many(']', 5_000)} }}`],
    ['objects within objects', `{{ ${many('{"a":', 1_000)}1${many('}', 1_000)} }}`],
    ['a chain of operators', `{{ 1${many(' + 1', 5_000)} }}`],
    ['not not not', `{{ ${many('!', 20_000)}true }}`],
    ['questions within questions', `{{ ${many('true ? 1 : ', 2_000)}2 }}`],
    ['a thousand filters', `{{ input.text${many(' | upcase', 1_000)} }}`],
    ['ten thousand placeholders', many('{{ input.text }}', 10_000)],
    ['macros within macros', `{{ ${many('list.map(i, ', 300)}1${many(')', 300)} }}`],
    ['a placeholder that never ends', `{{ ${many('a', 65_000)}`],
    ['only openings', many('{{', 30_000)],
    ['a text that never ends', `{{ "${many('a', 60_000)} }}`],
    ['a million characters', many('x', 1_000_000)],
  ])('%s', (_what, template) => {
    const began = readThreadTime();
    expect(['refused', 'failed']).toContain(outcome(template));
    expect(readThreadTime() - began).toBeLessThan(1_000);
  });
});

describe('what would be giant ends at a limit', () => {
  const doubled = (times: number): string =>
    `{{ input.text${' | replace: "x", "xx"'.repeat(times)} | size }}`;
  const nested = (levels: number): string => {
    let inner = '1';
    for (let level = 0; level < levels; level++) inner = `list.map(v${level}, ${inner})`;
    return `{{ ${inner} }}`;
  };
  const list = Array.from({ length: 1_000 }, (_, i) => i);
  test.each<[string, string, Json]>([
    ['a text that doubles and doubles', doubled(45), { text: 'x'.repeat(100) }],
    ['a list in a list in a list', nested(4), { list }],
    ['a value printed again and again', '{{ input.text }}'.repeat(900), { text: 'x'.repeat(10_000) }],
    ['joined by what is long', '{{ list | join: input.text }}', { list, text: 'x'.repeat(100_000) }],
    ['a list of itself', '{{ list.map(a, list.map(b, list)) | json }}', { list }],
    [
      'a text added to itself',
      '{{ list.map(i, input.text + input.text) }}',
      { list, text: 'x'.repeat(100_000) },
    ],
  ])('%s', (_what, template, input) => {
    const began = readThreadTime();
    const before = process.memoryUsage().rss;
    expect(['refused', 'failed']).toContain(outcome(template, input));
    expect(readThreadTime() - began).toBeLessThan(5_000);
    expect(process.memoryUsage().rss - before).toBeLessThan(600 * 1024 * 1024);
  });

  test('up to the limit it is printed, and one more is not', () => {
    const input = { text: 'x'.repeat(MAX_PRINTED_LENGTH - 1) };
    expect(evaluate('a{{ input.text }}', input)).toHaveLength(MAX_PRINTED_LENGTH);
    expect(outcome('ab{{ input.text }}', input)).toBe('failed');
    // A value that is there already is given as it is, whatever its size.
    const long = 'x'.repeat(MAX_VALUE_LENGTH + 1);
    expect(evaluate('{{ input.text }}', { text: long })).toBe(long);
    expect(outcome('{{ input.text + "" }}', { text: long })).toBe('failed');
  });

  test('a pattern that would run for ever in another engine does not', () => {
    const input = { text: `${'a'.repeat(50_000)}!` };
    const began = readThreadTime();
    for (const template of [
      '{{ input.text | replace: "(a+)+$", "" | size }}',
      '{{ input.text | split: "(a|a)*b" | size }}',
    ])
      evaluate(template, input);
    expect(readThreadTime() - began).toBeLessThan(1_000);
  });
});

describe('text in data that looks like a template stays text', () => {
  const attack = '{{ secrets.TOKEN }}';
  const parts = { a: '{{ secre', b: 'ts.TOKEN }}', attack };

  test.each<[string, Json]>([
    ['{{ input.attack }}', attack],
    ['Dear {{ input.attack }}!', `Dear ${attack}!`],
    ['{{ input.a }}{{ input.b }}', attack],
    ['{{ input.a + input.b }}', attack],
    ['{{ [input.a, input.b] | join: "" }}', attack],
    ['{{ input.attack | upcase }}', attack.toUpperCase()],
    ['{{ input.attack | replace: "TOKEN", "TOKEN" }}', attack],
    ['{{ {"x": input.attack} }}', { x: attack }],
    ['{{ {"x": input.attack} | json }}', JSON.stringify({ x: attack })],
    ['{{ input | json | parse_json }}', parts],
    ['{{ input.attack | base64 | base64_decode }}', attack],
    ['{{ input["attack"] | default: "" }}', attack],
    ['{{ true ? input.attack : "" }}', attack],
  ])('%s', (template, expected) => {
    expect(evaluate(template, parts)).toEqual(expected);
  });

  test('through a whole configuration, URL and header and key of an object', () => {
    const compiled = compileConfig(
      {
        url: 'https://api.example.com/{{ input.attack }}?q={{ input.attack }}',
        headers: { 'x-a': '{{ input.attack }}' },
        body: { deep: [{ text: 'and {{ input.attack }}' }] },
      },
      { skip: (pointer) => (pointer === 'url' ? 'url' : undefined) },
    );
    const scope = { input: parts, secrets: () => secret, now: 0 };
    const text = JSON.stringify(compiled.evaluate(scope));
    expect(text).not.toContain(secret);
    expect(text).toContain('and {{ secrets.TOKEN }}');
    expect(compiled.secretReads).toEqual([]);
    // The result is not compiled again, even when it is put through once more as data.
    const again = compileConfig({ text: '{{ input.text }}' });
    expect(JSON.stringify(again.evaluate({ ...scope, input: { text } }))).not.toContain(secret);
  });
});
