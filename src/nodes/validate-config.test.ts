import { Type, type TSchema } from 'typebox';
import { describe, expect, it } from 'vitest';
import type { NodeType } from '../contract/node-type.ts';
import type { JsonObject } from '../lib/json/json.ts';
import { validateConfig, validateValue } from './validate-config.ts';
import { dataTransformer } from './data/data-transformer.node.ts';
import { defineNode } from './define-node.ts';
import { condition } from './flow/condition.node.ts';
import { delay } from './flow/delay.node.ts';
import { respond } from './flow/respond.node.ts';
import { stop } from './flow/stop.node.ts';
import { closed, tagged } from './schema.ts';

const plain = defineNode({
  type: 'plain',
  version: '1.0.0',
  name: 'Plain',
  category: 'data',
  description: 'For the test.',
  icon: 'box',
  config: closed({
    count: Type.Integer({ minimum: 1 }),
    list: Type.Optional(Type.Array(Type.Integer(), { minItems: 1 })),
    either: Type.Optional(
      Type.Union([Type.Integer(), Type.Object({ a: Type.Integer() }, { additionalProperties: false })]),
    ),
    mode: Type.Optional(Type.String({ maxLength: 3 })),
  }),
  templates: { mode: 'literal' },
  outputs: [],
  effects: 'none',
  run: () => ({ kind: 'done', outputs: {} }),
  examples: [],
});

describe('errors of a saved configuration', () => {
  const cases: [string, Parameters<typeof validateConfig>[0], JsonObject, string, RegExp][] = [
    ['a missing field', plain, {}, 'count', /is required/],
    ['a wrong type', plain, { count: 'x' }, 'count', /must be a whole number/],
    [
      'an unknown field',
      plain,
      { count: 1, cuont: 2 },
      'cuont',
      /is not a known field; known are count, list/,
    ],
    ['an element', plain, { count: 1, list: [1, 'x'] }, 'list[1]', /must be a whole number/],
    ['an empty list', plain, { count: 1, list: [] }, 'list', /must have at least one entry/],
    [
      'no branch of several',
      plain,
      { count: 1, either: true },
      'either',
      /must match one of the allowed schemas/,
    ],
    [
      'the branch that was meant',
      plain,
      { count: 1, either: { a: 'x' } },
      'either.a',
      /must be a whole number/,
    ],
    ['a literal with a template', plain, { count: 1, mode: '{{ x }}' }, 'mode', /at most 3 characters/],
    [
      'a wrong retry policy',
      plain,
      { count: 1, retryPolicy: { maxAttempts: 0 } },
      'retryPolicy.maxAttempts',
      /at least 1/,
    ],
    [
      'an unknown retry field',
      plain,
      { count: 1, retryPolicy: { attempts: 2 } },
      'retryPolicy.attempts',
      /is not a known field/,
    ],
    [
      'a retry condition',
      plain,
      { count: 1, retryPolicy: { retryConditions: ['timeuot'] } },
      'retryPolicy.retryConditions[0]',
      /must be one of timeout, network/,
    ],
    [
      'a time-out without a unit',
      plain,
      { count: 1, timeout: '5' },
      'timeout',
      /must be a duration with a unit/,
    ],
    ['a time-out of nothing', plain, { count: 1, timeout: '0s' }, 'timeout', /more than 0/],
    ['a time-out by template', plain, { count: 1, timeout: '{{ x }}' }, 'timeout', /must be a duration/],
    [
      'a missing variant',
      dataTransformer,
      { operations: [{ input: 'a', output: 'b' }] },
      'operations[0].action',
      /must be one of map, combine/,
    ],
    [
      'a wrong variant',
      dataTransformer,
      { operations: [{ action: 'mpa' }] },
      'operations[0].action',
      /must be one of map, combine/,
    ],
    [
      'a field of the other variant',
      dataTransformer,
      { operations: [{ action: 'map', input: 'a', output: 'b', separator: '' }] },
      'operations[0].separator',
      /is not a known field/,
    ],
    [
      'braces in a path',
      dataTransformer,
      { operations: [{ action: 'map', input: '{{ a }}', output: 'b' }] },
      'operations[0].input',
      /must be a path/,
    ],
    [
      'a transform that is not a string',
      dataTransformer,
      { operations: [{ action: 'map', input: 'a', output: 'b', transform: 5 }] },
      'operations[0].transform',
      /must be a string/,
    ],
    [
      'a prototype in a path',
      dataTransformer,
      { operations: [{ action: 'map', input: 'a.__proto__', output: 'b' }] },
      'operations[0].input',
      /must be a path/,
    ],
    [
      'a wrong operator',
      condition,
      { condition: { field: 'a', operator: 'is', value: 1 } },
      'condition.operator',
      /must be one of equals/,
    ],
    [
      'a wrong operator in a group',
      condition,
      { condition: { all: [{ field: 'a', operator: 'is', value: 1 }] } },
      'condition.all[0].operator',
      /must be one of equals/,
    ],
    [
      'a missing value',
      condition,
      { condition: { field: 'a', operator: 'equals' } },
      'condition.value',
      /is required/,
    ],
    [
      'a list for in',
      condition,
      { condition: { field: 'a', operator: 'in', value: 'x' } },
      'condition.value',
      /must be a list/,
    ],
    ['a template as the condition', condition, { condition: '{{ x }}' }, 'condition', /must be an object/],
    ['neither duration nor until', delay, {}, 'duration', /is required unless until is set/],
    [
      'both',
      delay,
      { duration: '1s', until: '2030-01-01T00:00:00Z' },
      'until',
      /must not be set with duration/,
    ],
    [
      'a time without a zone',
      delay,
      { until: '2030-01-01T00:00:00' },
      'until',
      /must be a date and time in ISO 8601 with a time zone, such as/,
    ],
    ['a status below 200', respond, { status: 100 }, 'status', /at least 200/],
    [
      'a reserved header',
      respond,
      { headers: { 'Content-Length': '5' } },
      'headers.Content-Length',
      /is not a header that a response may set/,
    ],
    ['a header name', respond, { headers: { 'a b': '5' } }, 'headers["a b"]', /must be a valid header name/],
    ['a line break in a header', respond, { headers: { a: 'x\ny' } }, 'headers.a', /line breaks/],
    ['no outcome', stop, {}, 'outcome', /must be one of completed, failed/],
    ['a failure without a message', stop, { outcome: 'failed' }, 'message', /is required/],
    [
      'an output of a failure',
      stop,
      { outcome: 'failed', message: 'x', output: 1 },
      'output',
      /is not a known field/,
    ],
  ];
  it.each(cases)('%s', (_title, type, config, field, issue) => {
    const [first] = validateConfig(type, config);
    expect(first?.field).toBe(field);
    expect(first?.issue).toMatch(issue);
  });

  it('reports all errors at once', () => {
    expect(validateConfig(plain, { count: 0, list: ['a'], x: 1 })).toHaveLength(3);
  });
});

describe('names that every object of JavaScript has', () => {
  const define = (config: TSchema): NodeType => ({ ...plain, config });
  const operation = (name: string) =>
    closed({ operation: Type.Literal(name), body: Type.Optional(Type.String()) });

  it.each([
    ['of several operations', ['list', 'constructor', '__proto__']],
    ['of the only operation', ['constructor']],
  ])('are names %s', (_title, names) => {
    const type = define(tagged('operation', names.map(operation)));
    for (const name of names) {
      expect(validateConfig(type, { operation: name, body: 'x' })).toEqual([]);
      expect(validateValue(type, { operation: name, body: 1 })).toEqual([
        { field: 'body', issue: expect.stringMatching(/must be a/) as string },
      ]);
    }
    for (const name of ['other', 'toString'])
      expect(validateConfig(type, { operation: name })[0]?.field).toBe('operation');
  });

  it('are names of fields', () => {
    const given = { constructor: Type.Optional(Type.String()), toString: Type.String() };
    const type = define(closed(given));
    expect(validateConfig(type, { toString: 'x' })).toEqual([]);
    expect(validateConfig(type, {})).toEqual([{ field: 'toString', issue: 'is required' }]);
    expect(validateConfig(type, { toString: 'x', constructor: 1 })[0]?.field).toBe('constructor');
  });
});

describe('templates in a saved configuration', () => {
  it.each([
    [plain, { count: '{{ a }}' }],
    [plain, { count: '{{ a }}', list: '{{ b }}' }],
    [plain, { count: 1, list: [1, '{{ b }}'] }],
    [plain, { count: 1, either: '{{ x }}' }],
    [plain, { count: 1, either: { a: '{{ x }}' } }],
    [condition, { condition: { field: 'a', operator: 'in', value: '{{ input.list }}' } }],
    [condition, { condition: { any: [{ field: 'a', operator: 'matches', value: '({{ input.pattern }}' }] } }],
    [condition, { condition: { field: 'a', operator: 'in', value: ['{{ x }}', 1] } }],
    [delay, { duration: '{{ input.wait }}' }],
    [delay, { until: '{{ input.at }}' }],
    [respond, { status: '{{ input.status }}', headers: '{{ input.headers }}', body: '{{ input }}' }],
    [stop, { outcome: 'completed', output: '{{ input }}' }],
    [dataTransformer, { operations: [{ action: 'map', input: 'a', output: 'b', transform: '{{ value }}' }] }],
  ] as const)('may stand for a value of any type: %#', (type, config) => {
    expect(validateConfig(type, config as unknown as JsonObject)).toEqual([]);
  });

  it('does not hide errors beside it', () => {
    expect(validateConfig(plain, { count: '{{ a }}', list: ['{{ a }}', 'x'] })).toEqual([
      { field: 'list[1]', issue: 'must be a whole number' },
    ]);
  });
});

describe('an evaluated configuration', () => {
  it('must match its schema exactly', () => {
    expect(validateValue(plain, { count: 1 })).toEqual([]);
    expect(validateValue(plain, { count: '{{ a }}' })).toEqual([
      { field: 'count', issue: 'must be a whole number' },
    ]);
    expect(validateValue(respond, { status: 99 })).toEqual([
      { field: 'status', issue: 'must be at least 200' },
    ]);
  });

  it('leaves out what the node evaluates itself', () => {
    const operation = { action: 'map', input: 'a', output: 'b', transform: { evaluate: () => 1 } };
    expect(validateValue(dataTransformer, { operations: [operation] })).toEqual([]);
    expect(validateValue(dataTransformer, { operations: [{ ...operation, action: 'x' }] })[0]?.field).toBe(
      'operations[0].action',
    );
  });
});
