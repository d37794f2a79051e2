import { expect, test } from 'vitest';
import type { Json } from '../lib/json/json.ts';
import { TemplateEvaluationError } from './errors.ts';
import { FILTER_GROUPS, findFunction, findSimilarFunction } from './filters.ts';
import { compileTemplate } from './template.ts';

/** 2023-11-14T22:13:20Z */
const NOW = 1_700_000_000_000;

function evaluate(template: string, input: Json = null): Json {
  return compileTemplate(template).evaluate({ input, now: NOW });
}

const functions = FILTER_GROUPS.flatMap((group) => group.functions);

test.each(functions.map((fn) => [fn.name, fn] as const))('the example of %s is true', (_, fn) => {
  expect(fn.description).toMatch(/^[A-Z].*\.$/);
  expect(fn.usage).toMatch(new RegExp(`^${fn.name}(: |$)`));
  expect(evaluate(fn.example.template, fn.example.input)).toEqual(fn.example.result);
});

test('every documented filter is there, and every name once', () => {
  const documented =
    'default, upcase, downcase, capitalize, strip, split, join, replace, slice, size, first, last, map, where, sort, uniq, compact, concat, plus, minus, times, divided_by, modulo, round, floor, ceil, abs, date, to_number, to_string, to_boolean, json, parse_json, base64, base64_decode, url_encode, url_decode, escape_html, sha256, hmac_sha256, keys, values, pick, omit, flatten, contains, truncate';
  for (const name of documented.split(', ')) expect(findFunction(name)?.name).toBe(name);
  expect(new Set(functions.map((fn) => fn.name)).size).toBe(functions.length);
});

const FILTERED = /^\{\{ (.*?) \| (\w+)(?:: ([^|]*))? \}\}$/;
const filtered = functions.filter((fn) => FILTERED.test(fn.example.template));

test.each(filtered.map((fn) => [fn.name, fn] as const))(
  '%s works as a filter, a function and a method',
  (_, fn) => {
    const [, value = '', name = '', args] = FILTERED.exec(fn.example.template) ?? [];
    const rest = args === undefined ? [] : [args];
    expect(evaluate(`{{ ${name}(${[value, ...rest].join(', ')}) }}`, fn.example.input)).toEqual(
      fn.example.result,
    );
    expect(evaluate(`{{ (${value}).${name}(${rest.join(', ')}) }}`, fn.example.input)).toEqual(
      fn.example.result,
    );
  },
);

test('the error for an unknown name suggests the nearest one', () => {
  expect(findSimilarFunction('upcas')).toBe('upcase');
  expect(findSimilarFunction('toNumber')).toBe('to_number');
  expect(findSimilarFunction('bind')).toBeUndefined();
  expect(findSimilarFunction('x'.repeat(60_000))).toBeUndefined();
});

test.each<[string, Json]>([
  ['{{ "straße" | upcase }}', 'STRASSE'],
  ['{{ "" | capitalize }}', ''],
  ['{{ "élan VITAL" | capitalize }}', 'Élan vital'],
  ['{{ "a😀b" | size }}', 3],
  ['{{ "a😀" | split: "" }}', ['a', '😀']],
  ['{{ "" | split: "," }}', ['']],
  ['{{ "a.b" | replace: ".", "$&" }}', 'a$&b'],
  ['{{ "abc" | replace: "", "x" }}', 'abc'],
  ['{{ "abc" | slice: -2, 2 }}', 'bc'],
  ['{{ "abc" | slice: 1 }}', 'b'],
  ['{{ "abc" | slice: -9, 2 }}', 'ab'],
  ['{{ [1, 2, 3] | slice: 1, 5 }}', [2, 3]],
  ['{{ "abcdef" | truncate: 5, "…" }}', 'abcd…'],
  ['{{ "ab" | truncate: 2 }}', 'ab'],
  ['{{ "abcdef" | truncate: 2 }}', '...'],
  ['{{ "a😀bcdef" | truncate: 5, "..." }}', 'a😀...'],
  ['{{ "😀😀😀" | truncate: 3 }}', '😀😀😀'],
  ['{{ "a😀b" | slice: 1 }}', '😀'],
  ['{{ "a😀b" | slice: -2, 2 }}', '😀b'],
  ['{{ [1, null, true, {"a": 1}] | join: "-" }}', '1--true-{"a":1}'],
  ['{{ ["a", "b"] | join }}', 'a b'],
  ['{{ [] | first }}', null],
  ['{{ [] | last | default: "none" }}', 'none'],
  ['{{ [{"a": {"b": 1}}, {}] | map: "a.b" }}', [1, null]],
  ['{{ [{"a": 0}, {"a": null}, {"a": false}, {}] | where: "a" }}', [{ a: 0 }]],
  ['{{ [{"a": [1]}, {"a": 1}] | where: "a", [1] }}', [{ a: [1] }]],
  ['{{ [{"a": null}, {"a": 1}] | where: "a", null }}', [{ a: null }]],
  ['{{ [10, 9, 1] | sort }}', [1, 9, 10]],
  ['{{ ["b", null, "a"] | sort }}', ['a', 'b', null]],
  [
    '{{ [1, 1.0, "1", true, null, null, [1], [1], {"a": 1, "b": 2}, {"b": 2, "a": 1}] | uniq }}',
    [1, '1', true, null, [1], { a: 1, b: 2 }],
  ],
  ['{{ [{"k": 1, "v": 1}, {"k": 1, "v": 2}] | uniq: "k" }}', [{ k: 1, v: 1 }]],
  ['{{ [[1, [2, [3]]]] | flatten: 3 }}', [1, 2, 3]],
  ['{{ [[1]] | flatten: 0 }}', [[1]]],
  ['{{ {"a": 1} | contains: "a" }}', true],
  ['{{ {"a": 1} | contains: "toString" }}', false],
  ['{{ [{"a": 1}] | contains: {"a": 1} }}', true],
  ['{{ 0.1 + 0.2 | round: 2 }}', 0.3],
  ['{{ 1.005 | round: 2 }}', 1.01],
  ['{{ -2.5 | round }}', -3],
  ['{{ -0.2 | round }}', 0],
  ['{{ 1e20 | round: 2 }}', 1e20],
  ['{{ 1.5e-7 | round: 7 }}', 2e-7],
  ['{{ -7 | modulo: 3 }}', -1],
  ['{{ "-.5e1" | to_number }}', -5],
  ['{{ true | to_number }}', 1],
  ['{{ null | to_boolean }}', false],
  ['{{ "OFF" | to_boolean }}', false],
  ['{{ null | to_string }}', ''],
  ['{{ string(1.0) + string(true) }}', '1true'],
  ['{{ double("2.5") + int("2.9") }}', 4.5],
  ['{{ bool("true") }}', true],
  ['{{ {"a": 1} | json: 2 }}', '{\n  "a": 1\n}'],
  ['{{ "text" | json }}', '"text"'],
  ['{{ "[1, 2.0]" | parse_json }}', [1, 2]],
  ['{{ "ü😀" | base64 | base64_decode }}', 'ü😀'],
  ['{{ "w7w_" | base64_decode }}', 'ü?'],
  ['{{ "a b&c/ü" | url_encode | url_decode }}', 'a b&c/ü'],
  ['{{ "abc" | sha256: "base64" }}', 'ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0='],
  ['{{ {"a": 1, "b": 2} | pick: ["b", "x"] }}', { b: 2 }],
  ['{{ {"a": 1, "b": 2} | omit: ["b"], "x" }}', { a: 1 }],
])('%s', (template, result) => {
  expect(evaluate(template)).toEqual(result);
});

test.each<[string, Json]>([
  ['{{ "now" | date }}', '2023-11-14T22:13:20.000Z'],
  ['{{ "now" | date: "%s" | to_number }}', 1_700_000_000],
  ['{{ 1700000000 | date }}', '2023-11-14T22:13:20.000Z'],
  ['{{ 1700000000000 | date }}', '2023-11-14T22:13:20.000Z'],
  ['{{ 0 | date: "%F" }}', '1970-01-01'],
  ['{{ "2024-01-05" | date }}', '2024-01-05T00:00:00.000Z'],
  ['{{ "2024-01-05 10:00" | date }}', '2024-01-05T10:00:00.000Z'],
  ['{{ "2024-01-05T10:00:00.5+02:00" | date }}', '2024-01-05T08:00:00.500Z'],
  ['{{ "2024-01-05T10:00:00-0130" | date }}', '2024-01-05T11:30:00.000Z'],
  ['{{ "Tue, 15 Nov 1994 08:12:31 GMT" | date }}', '1994-11-15T08:12:31.000Z'],
  ['{{ "2024-02-29" | date: "%j %u %w %a %A %b %B %y" }}', '060 4 4 Thu Thursday Feb February 24'],
  [
    '{{ "2024-01-05T15:04:09Z" | date: "%-d.%-m.%Y %I:%M %p %-H|%e|%D|%R|%T|%%" }}',
    '5.1.2024 03:04 PM 15| 5|01/05/24|15:04|15:04:09|%',
  ],
  ['{{ "2021-01-03" | date: "%G-W%V" }}', '2020-W53'],
  ['{{ "2024-12-30" | date: "%G-W%V" }}', '2025-W01'],
  [
    '{{ "2024-07-05T10:00:00.123456Z" | date: "%F %T.%L %z %Z", "America/New_York" }}',
    '2024-07-05 06:00:00.123 -0400 -04:00',
  ],
  ['{{ "2024-03-31T00:59:59Z" | date: "%T %z", "Europe/Berlin" }}', '01:59:59 +0100'],
  ['{{ "2024-03-31T01:00:00Z" | date: "%T %z", "Europe/Berlin" }}', '03:00:00 +0200'],
  ['{{ "2024-01-01T00:00:00Z" | date: "%F %R %z", "Asia/Kathmandu" }}', '2024-01-01 05:45 +0545'],
])('%s', (template, result) => {
  expect(evaluate(template)).toEqual(result);
});

test.each<[string, string | RegExp]>([
  ['{{ "2024-02-30" | date }}', /ISO 8601/],
  ['{{ "2024-13-05" | date }}', /ISO 8601/],
  ['{{ "yesterday" | date }}', /ISO 8601/],
  ['{{ null | date }}', /ISO 8601/],
  ['{{ 1e300 | date }}', /ISO 8601/],
  ['{{ 1 | date: "%Q" }}', 'date does not support the directive %Q'],
  ['{{ 1 | date: "100%" }}', 'date does not support the directive %'],
  ['{{ 1 | date: "%Y", "Mars/Olympus" }}', /time zone such as/],
  [
    '{{ "1" | plus: 1 }}',
    'plus: argument must be a number (to_number converts a string to a number), got a string',
  ],
  ['{{ 1 | divided_by: 0 }}', 'Division by zero'],
  ['{{ 1 | round: 99 }}', 'round: the number of digits must be 0 to 15'],
  ['{{ 1 | round: 0.5 }}', /whole number/],
  ['{{ "12a" | to_number }}', /string that contains one/],
  ['{{ "" | to_number }}', /string that contains one/],
  ['{{ "0x10" | to_number }}', /string that contains one/],
  ['{{ "Infinity" | to_number }}', /string that contains one/],
  ['{{ null | to_number }}', /got null/],
  ['{{ "maybe" | to_boolean }}', /to_boolean: argument must be/],
  ['{{ [1, "a"] | sort }}', 'sort: elements must be numbers or strings, got a number and a string'],
  ['{{ [[1]] | sort }}', /sort: elements must be numbers or strings/],
  ['{{ 1 | size }}', 'size: argument must be a string, a list or an object, got a number'],
  ['{{ "abc" | first }}', 'first: argument must be a list, got a string'],
  ['{{ [1] | map: "a..b" }}', /map: Wrong step/],
  ['{{ [1] | map: "__proto__" }}', /never resolves/],
  ['{{ "{" | parse_json }}', 'parse_json: argument must be valid JSON'],
  ['{{ "a*b" | base64_decode }}', 'base64_decode: argument must be a Base64 string'],
  ['{{ "/w==" | base64_decode }}', 'base64_decode: the bytes must be UTF-8'],
  ['{{ "%zz" | url_decode }}', /URL-encoded/],
  ['{{ "a" | sha256: "md5" }}', /encoding must be hex, base64/],
  ['{{ {"a": 1} | pick: 1 }}', 'pick: argument must be a string, got a number'],
])('%s fails', (template, message) => {
  expect(() => evaluate(template)).toThrow(TemplateEvaluationError);
  expect(() => evaluate(template)).toThrow(message);
});

test('results of filters have no prototype', () => {
  const input = JSON.parse('{"__proto__": {"polluted": 1}, "a": 1}') as Json;
  expect(evaluate('{{ input | omit: "x" }}', input)).toEqual({ a: 1 });
  expect(evaluate('{{ input | pick: "__proto__", "a" }}', input)).toEqual({ a: 1 });
  const parsed = evaluate(
    '{{ input | parse_json }}',
    '{"\\u005f_proto__": {"polluted": 1}, "a": [{"__proto__": 1}]}',
  );
  expect(JSON.stringify(parsed)).toBe('{"a":[{}]}');
  expect(({} as { polluted?: number }).polluted).toBeUndefined();
});
