import { expect, test } from 'vitest';
import type { Json } from '../lib/json/json.ts';
import { TemplateError, TemplateEvaluationError } from './errors.ts';
import {
  MAX_EXPRESSION_DEPTH,
  MAX_FILTERS,
  MAX_PLACEHOLDERS,
  MAX_PRINTED_LENGTH,
  MAX_TEMPLATE_LENGTH,
} from './limits.ts';
import type { TemplateScope } from './scope.ts';
import { compileTemplate } from './template.ts';
import { readThreadTime } from '../../test/support/time/thread-time.ts';

const scope: TemplateScope = {
  input: {
    count: 2,
    a: 7,
    k: 'count',
    email: 'e@x.org',
    none: null,
    yes: true,
    'odd name': 1,
    größe: 5,
    customer: { name: 'Ann' },
    tags: ['x', 'y'],
    items: [{ price: 5, name: 'p' }, { price: 20, name: 'q' }, { name: 'r' }],
    trigger: 'not this one',
    item: 'item of the input',
  },
  trigger: { body: { id: 9 } },
  nodes: (id) => (id === 'fetch' ? { body: { v: 1 }, list: [1, 2] } : id === 'my-node' ? 'text' : undefined),
  secrets: (name) => (name === 'KEY' ? 's3cret' : undefined),
  execution: () => ({ id: 'ex_1' }),
  workflow: { name: 'Orders' },
  now: 1_700_000_000_000,
};

function evaluate(template: string, extra: Partial<TemplateScope> = {}): Json {
  return compileTemplate(template).evaluate({ ...scope, ...extra });
}

function failure(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return error;
  }
}

test.each<[string, Json]>([
  ['{{ input.customer.name }}', 'Ann'],
  ['{{input.customer}}', { name: 'Ann' }],
  ['{{ input["odd name"] }}', 1],
  ["{{ input['odd name'] }}", 1],
  ['{{ input.größe }}', 5],
  ['{{ input.items[1].price }}', 20],
  ['{{ input.items.1.price }}', 20],
  ['{{ email }}', 'e@x.org'],
  ['{{ input.none }}', null],
  ['{{ trigger.body.id }}', 9],
  ['{{ input.trigger }}', 'not this one'],
  ['{{ nodes.fetch.body.v }}', 1],
  ['{{ nodes["my-node"] }}', 'text'],
  ['{{ secrets.KEY }}', 's3cret'],
  ['{{ execution.id }}/{{ workflow.name }}', 'ex_1/Orders'],
  ['{{ item }}', 'item of the input'],
  ['{{ input[k] }}', 2],
  ['{{ input.items[count - 1].name }}', 'q'],
  ['{{ nodes.fetch.list[input.count - 2] }}', 1],
])('%s reads a path', (template, value) => {
  expect(evaluate(template)).toEqual(value);
});

test('a path alone returns the value itself, not a copy', () => {
  expect(evaluate('{{ input }}')).toBe(scope.input);
});

test('item, index and value are names where the scope has them', () => {
  expect(evaluate('{{ item.x }} {{ index }} {{ value }}', { item: { x: 1 }, index: 0, value: false })).toBe(
    '1 0 false',
  );
  expect(evaluate('{{ value }}', { value: null })).toBe(null);
  expect(failure(() => evaluate('{{ value }}'))).toMatchObject({
    message: 'value is missing: input has no such field',
  });
});

test.each<[string, string]>([
  ['plain', 'plain'],
  ['', ''],
  ['Dear {{ input.customer.name }}!', 'Dear Ann!'],
  ['{{ count }}{{ count }}', '22'],
  [' {{ count }}', ' 2'],
  ['[{{ none }}] {{ yes }} {{ customer }} {{ tags }}', '[] true {"name":"Ann"} ["x","y"]'],
  ['{"a":{"b":{{ count }}}}', '{"a":{"b":2}}'],
  ['}} { {x} {{ "}}" }}', '}} { {x} }}'],
  ['{{ "{{ count }}" }}', '{{ count }}'],
  ['a {{ "{{" }} b', 'a {{ b'],
])('%s prints', (template, text) => {
  expect(evaluate(template)).toBe(text);
});

test('the result of a template is never evaluated as a template', () => {
  const evil = '{{ secrets.KEY }}';
  const input = { evil, list: [evil] };
  expect(evaluate('{{ input.evil }}', { input })).toBe(evil);
  expect(evaluate('x{{ input.evil }}', { input })).toBe(`x${evil}`);
  expect(evaluate('{{ input.list | join: "{{ secrets.KEY }}" | default: "a" }}', { input })).toBe(evil);
  expect(evaluate('{{ input.evil | replace: "secrets", "secrets" | to_string }}', { input })).toBe(evil);
});

test.each<[string, Json]>([
  ['{{ input.count + 1 }}', 3],
  ['{{ 1 + input.count * 2 }}', 5],
  ['{{ input.count > 2 }}', false],
  ['{{ input.count >= 2.0 }}', true],
  ['{{ size(input.items) > 2 }}', true],
  ['{{ input.a / 2 }}', 3.5],
  ['{{ 7 % 4 }}', 3],
  ['{{ a-count }}', 5],
  ['{{ -input.a }}', -7],
  ['{{ 0x10 + 5u }}', 21],
  ['{{ 1 == 1.0 }}', true],
  ['{{ "a" == 1 }}', false],
  ['{{ {"a": [1, 2]} == {"a": [1.0, 2]} }}', true],
  ['{{ "a" + "b" }}', 'ab'],
  ['{{ [1] + [2] }}', [1, 2]],
  ['{{ "b" > "a" && true }}', true],
  ['{{ !yes || count == 2 }}', true],
  ['{{ count > 1 ? "many" : "one" }}', 'many'],
  ['{{ "x" in tags }}', true],
  ['{{ "name" in customer }}', true],
  ['{{ "constructor" in customer }}', false],
  ['{{ "@" in email }}', true],
  ['{{ items.filter(i, has(i.price) && i.price > 10).map(i, i.name) }}', ['q']],
  ['{{ items.map(i, has(i.price), i.price * 2) }}', [10, 40]],
  ['{{ items.exists(i, i.price > 10) }}', true],
  ['{{ items.all(i, i.price > 10) }}', false],
  ['{{ items.exists_one(i, i.name == "q") }}', true],
  [
    '{{ tags.map(t, tags.map(u, t + u)) }}',
    [
      ['xx', 'xy'],
      ['yx', 'yy'],
    ],
  ],
  ['{{ tags.map(t, tags.map(t, t)[0] + t) }}', ['xx', 'xy']],
  ['{{ customer.map(k, k) }}', ['name']],
  ['{{ {"total": count + 1, "list": [a, "z"]} }}', { total: 3, list: [7, 'z'] }],
  ['{{ {"a": {"b": 1}}.a.b }}', 1],
  ['{{ [1, 2][1] }}', 2],
  ['{{ has(input.customer.name) }}', true],
  ['{{ has(input.none) }}', true],
  ['{{ has(input.customer.x.y) }}', false],
  ['{{ has(input["odd name"]) }}', true],
  ['{{ has(email) ? email : "-" }}', 'e@x.org'],
  ['{{ has(input.items[9]) }}', false],
  ['{{ has(nodes.other.body) }}', false],
  ['{{ missing.path == 1 || true }}', true],
  ['{{ false && missing.path }}', false],
  ['{{ email.matches("^[a-z]@") }}', true],
  ['{{ null }}', null],
  ['{{ """a"b""" }}', 'a"b'],
  ["{{ 'it\\'s | }}' | upcase }}", "IT'S | }}"],
  ['{{ a // the rest\n }}', 7],
])('%s is computed', (template, value) => {
  expect(evaluate(template)).toEqual(value);
});

test.each<[string, Json]>([
  ['{{ tags | join: ", " }}', 'x, y'],
  ['{{ tags | join: "|" | upcase }}', 'X|Y'],
  ['{{ yes || false | to_string }}', 'true'],
  ['{{ count > 1 ? "y" : "n" | upcase }}', 'Y'],
  ['{{ items | map: "name" | concat: [count + 1, {"a": 1}] | size }}', 5],
  ['{{ tags | contains: (count > 1 ? "x" : "z") }}', true],
  ['{{ input.x | default: "d" }}', 'd'],
  ['{{ input.x.y.z | upcase | default: "d" | upcase }}', 'D'],
  ['{{ none | default: [] }}', []],
  ['{{ "" | default: count }}', 2],
  ['{{ false | default: true }}', false],
  ['{{ 0 | default: 1 }}', 0],
  ['{{ input.x | default: input.y | default: "z" }}', 'z'],
  ['{{ default(input.x, default(input.y, count)) }}', 2],
  ['{{ input.items[7].name | default: "none" }}', 'none'],
  ['{{ customer[input.nope] | default: "none" }}', 'none'],
])('%s goes through filters', (template, value) => {
  expect(evaluate(template)).toEqual(value);
});

test.each<[string, string, string | undefined]>([
  [
    '{{ input.customer.nme }}',
    'input.customer.nme is missing: input.customer has no such field',
    'input.customer.nme',
  ],
  ['x {{ customer.nme.x }}', 'customer.nme.x is missing: customer has no such field', 'customer.nme.x'],
  ['{{ nope }}', 'nope is missing: input has no such field', 'nope'],
  ['{{ input.items[5] }}', 'input.items[5] is missing: input.items is a list of 3', 'input.items[5]'],
  ['{{ items.length }}', 'items.length is missing: items is a list of 3', 'items.length'],
  ['{{ email.length }}', 'email.length is missing: email is a string', 'email.length'],
  ['{{ none.x + 1 }}', 'none.x is missing: none is null', 'none.x'],
  ['{{ nodes.other.body }}', 'nodes.other.body is missing: this node has no output here', 'nodes.other.body'],
  ['{{ secrets.OTHER }}', 'secrets.OTHER is missing: no such secret is stored', 'secrets.OTHER'],
  ['{{ items.map(i, i.price) }}', 'i.price is missing', 'i.price'],
  ['{{ items.all(i, i.price > 1) }}', 'i.price is missing', 'i.price'],
  ['{{ input["no" + "pe"] }}', 'input["no" + "pe"] is missing', 'input["no" + "pe"]'],
  ['{{ tags[0 - 1] }}', 'tags[0 - 1] is missing', 'tags[0 - 1]'],
  ['{{ tags[0.5] }}', 'tags[0.5] is missing', 'tags[0.5]'],
  [
    '{{ trigger.headers.x-api-key }}',
    'trigger.headers.x is missing: trigger has no such field (trigger.headers.x-api is a difference; a name with a hyphen is written as in headers["content-type"])',
    'trigger.headers.x',
  ],
  ['{{ a - nope }}', 'nope is missing: input has no such field', 'nope'],
  ['{{ 1 / 0 }}', 'Division by zero', undefined],
  ['{{ 1e308 * 10 }}', 'The result is not a finite number', undefined],
  [
    '{{ "a" + 1 }}',
    '+: operands must be two numbers, two strings or two lists, got a string and a number (to_string converts a value to a string)',
    undefined,
  ],
  ['{{ "a" < 1 }}', '<: operands must be two numbers or two strings, got a string and a number', undefined],
  ['{{ count ? 1 : 2 }}', '? :: operand must be a boolean, got a number', undefined],
  ['{{ count && true }}', '&&: operand must be a boolean, got a number', undefined],
  ['{{ email.map(i, i) }}', 'map: argument must be a list, got a string', undefined],
  ['{{ items.filter(i, i.name) }}', 'The condition of filter must be a boolean, got a string', undefined],
  ['{{ count | upcase }}', 'upcase: argument must be a string, got a number', undefined],
  ['{{ {"__pro" + "to__": 1} }}', '__proto__ cannot be a key of an object', undefined],
  ['{{ email.matches("(") }}', 'Invalid regular expression "(": missing closing ): `(`', undefined],
])('%s fails on its data', (template, message, path) => {
  const error = failure(() => evaluate(template));
  expect(error).toBeInstanceOf(TemplateEvaluationError);
  expect(error).toMatchObject({ message, path });
});

test.each<[string, string | RegExp, number]>([
  ['{{ a', '{{ is never closed by }}', 0],
  ['x {{ "a }}', /quoted string .* is not closed/, 5],
  ['{{ }}', '{{ }} contains no expression', 0],
  ['{{ | upcase }}', '{{ }} contains no expression', 0],
  ['{{ a | }}', /A filter is written/, 6],
  ['{{ a | 1 }}', /A filter is written/, 6],
  ['{{ a | join: }}', 'The filter join lacks an argument', 13],
  ['{{ a | replace: "x",, "y" }}', 'The filter replace lacks an argument', 20],
  ['{{ a | upcas }}', 'There is no function or filter upcas; there is upcase', 7],
  ['{{ a | constructor }}', 'There is no function or filter constructor', 7],
  ['{{ eval("1") }}', /no function or filter eval/, 3],
  ['{{ "a".toString() }}', /no function or filter toString; there is to_string/, 3],
  ['{{ cel.bind(x, 1, x) }}', /no function or filter bind/, 3],
  ['{{ a | replace: "x" }}', 'replace is used as: value | replace: search, replacement', 7],
  ['{{ upcase() }}', /upcase is used as/, 3],
  ['{{ (a | upcase) + "x" }}', 'A filter must follow the whole expression', 6],
  ['{{ a + }}', /Wrong expression/, 6],
  ['{{ a b }}', /Wrong expression/, 5],
  ['{{ a = b }}', /Wrong expression: Unexpected character: =/, 5],
  ['{{ a; b }}', /Wrong expression/, 4],
  ['{{ a?.b }}', /Wrong expression/, 5],
  ['{{ package + 1 }}', 'package is a reserved word; a field of this name is read by input.package', 3],
  ['{{ input.__proto__ }}', '__proto__ never resolves in a template', 3],
  ['{{ input["constructor"].name }}', 'constructor never resolves in a template', 3],
  ['{{ constructor }}', 'constructor never resolves in a template', 3],
  ['{{ tags.map(t, t.prototype) }}', 'prototype never resolves in a template', 15],
  ['{{ {"__proto__": 1} }}', '__proto__ never resolves in a template', 4],
  ['{{ secrets }}', 'secrets is used with a name behind it, such as secrets.API_KEY', 3],
  ['{{ secrets | json }}', /secrets is used with a name/, 3],
  ['{{ secrets[k] }}', 'The name behind secrets is written out, not computed', 3],
  ['{{ secrets["K" + "EY"] }}', 'The name behind secrets is written out, not computed', 3],
  ['{{ secrets[0] }}', /secrets is used with a name/, 3],
  ['{{ secrets.KEY.x }}', 'secrets.KEY is a string and has no fields', 3],
  ['{{ [secrets].map(s, s.KEY) }}', /secrets is used with a name/, 4],
  ['{{ nodes }}', 'nodes is used with a name behind it, such as nodes.fetch', 3],
  ['{{ nodes[k].body }}', 'The name behind nodes is written out, not computed', 3],
  ['{{ tags.map(input, 1) }}', 'The variable of map cannot be called input', 3],
  ['{{ has(1 + 1) }}', /has: argument must be a path/, 3],
  ['{{ 12345678901234567890 }}', /too large to be exact/, 3],
  ['{{ b"x" }}', /Bytes are not supported/, 3],
])('%s is refused', (template, message, position) => {
  const error = failure(() => compileTemplate(template));
  expect(error).toBeInstanceOf(TemplateError);
  expect((error as TemplateError).message).toMatch(message);
  expect((error as TemplateError).position).toBe(position);
});

test.each<[string, string, RegExp]>([
  ['a long path', `{{ a${'.b'.repeat(33)} }}`, /A path has at most 32 steps/],
  ['a long path among others', `{{ 1 + a${'.b'.repeat(33)} }}`, /A path has at most 32 steps/],
  ['deep brackets', `{{ ${'('.repeat(200)}1${')'.repeat(200)} }}`, /too large/],
  ['many negations', `{{ ${'!'.repeat(60_000)}true }}`, /nested too deep/],
  ['many additions', `{{ ${'1+'.repeat(30_000)}1 }}`, /too large/],
  ['many choices', `{{ ${'a?1:'.repeat(15_000)}1 }}`, /too large/],
  ['many digits', `{{ ${'9'.repeat(65_000)} }}`, /too large to be exact/],
  ['many lists', `{{ ${'['.repeat(65_000)} }}`, /too large/],
  ['many quotes', `{{ ${'"'.repeat(65_000)} }}`, /Wrong expression/],
  ['many openings', '{{'.repeat(30_000), /never closed/],
])('%s are refused soon', (_, template, message) => {
  const start = readThreadTime();
  expect(() => compileTemplate(template)).toThrow(message);
  expect(readThreadTime() - start).toBeLessThan(500);
});

test('lists the secrets and nodes that it names, and whether it is constant', () => {
  const template = compileTemplate(
    '{{ secrets.A }} {{ secrets["B"] | upcase }} {{ [nodes.x.y, nodes["z"]].map(i, secrets.C + nodes.x.q) }} {{ "a" | default: secrets.A }}',
  );
  expect(template.secretNames).toEqual(['A', 'B', 'C']);
  expect(template.nodeIds).toEqual(['x', 'z']);
  expect(template.isConstant).toBe(false);
  expect(compileTemplate('{{ secrets.A }}').secretNames).toEqual(['A']);
  expect(compileTemplate('secrets.A }}')).toMatchObject({ isConstant: true, secretNames: [], nodeIds: [] });
});

test('reads only the nodes and secrets that it needs', () => {
  const asked: string[] = [];
  const nodes = (id: string): Json => {
    asked.push(id);
    return 1;
  };
  evaluate('{{ count == 2 ? nodes.a : nodes.b }}', { nodes });
  expect(asked).toEqual(['a']);
});

test('an error from the scope is passed on unchanged', () => {
  const broken = new TypeError('the store is gone');
  const nodes = (): Json => {
    throw broken;
  };
  expect(failure(() => evaluate('{{ nodes.a | default: 1 }}', { nodes }))).toBe(broken);
});

test('limits hold at the limit and are refused past it', () => {
  expect(compileTemplate('x'.repeat(MAX_TEMPLATE_LENGTH)).isConstant).toBe(true);
  expect(() => compileTemplate('x'.repeat(MAX_TEMPLATE_LENGTH + 1))).toThrow(/at most 65536 characters/);
  expect(compileTemplate('{{a}}'.repeat(MAX_PLACEHOLDERS)).isConstant).toBe(false);
  expect(() => compileTemplate('{{a}}'.repeat(MAX_PLACEHOLDERS + 1))).toThrow(/at most 1000 placeholders/);
  expect(evaluate(`{{ "a" ${'| strip '.repeat(MAX_FILTERS)} }}`)).toBe('a');
  expect(() => compileTemplate(`{{ "a" ${'| strip '.repeat(MAX_FILTERS + 1)} }}`)).toThrow(
    /at most 50 filters/,
  );
  expect(evaluate(`{{ ${'1+'.repeat(MAX_EXPRESSION_DEPTH - 1)}1 }}`)).toBe(MAX_EXPRESSION_DEPTH);
  expect(() => compileTemplate(`{{ ${'1+'.repeat(MAX_EXPRESSION_DEPTH)}1 }}`)).toThrow(/at most 200 deep/);
  const input = { full: 'x'.repeat(MAX_PRINTED_LENGTH), over: 'x'.repeat(MAX_PRINTED_LENGTH + 1) };
  expect(evaluate('{{ input.full }}{{ "" }}', { input })).toBe(input.full);
  expect(evaluate('{{ input.over }}', { input })).toBe(input.over);
  expect(() => evaluate('{{ input.over }}{{ "" }}', { input })).toThrow(/larger than 1048576/);
  expect(() => evaluate('{{ input.full }}{{ input.full }}', { input })).toThrow(/larger than 1048576/);
});

test.each([
  ['nested loops', '{{ input.l.filter(a, input.l.exists(b, b == a - 1)) }}', /more than 2000000 steps/],
  [
    'amplified texts',
    `{{ input.t ${'| replace: "x", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" '.repeat(10)} }}`,
    /larger than|more than/,
  ],
  ['amplified lists', '{{ input.l.map(a, input.l) | json }}', /larger than|more than/],
  ['an amplified value', '{{ input.l.map(a, input.l) }}', /larger than|more than/],
  ['joined lists', '{{ input.l.map(a, input.t) | join | split: "" | join: input.t }}', /larger than|steps/],
  [
    'doubling',
    `{{ "${'x'.repeat(20_000)}" ${'| replace: "x", "xx" '.repeat(40)} }}`,
    /larger than|more than/,
  ],
  ['hashing', '{{ input.l.map(a, sha256(input.t)).size() }}', /steps/],
])('%s are stopped soon', (_, template, message) => {
  const input = { l: Array.from({ length: 5000 }, (__, i) => i), t: 'x'.repeat(100_000) };
  const start = readThreadTime();
  expect(() => evaluate(template, { input })).toThrow(message);
  expect(readThreadTime() - start).toBeLessThan(2000);
});

test('regular expressions are linear-time', () => {
  const start = readThreadTime();
  expect(evaluate('{{ input.t.matches("^(a+)+$") }}', { input: { t: `${'a'.repeat(100_000)}!` } })).toBe(
    false,
  );
  expect(readThreadTime() - start).toBeLessThan(1000);
});
