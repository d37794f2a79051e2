import { describe, expect, test } from 'vitest';
import type { Entry, JsonObject } from '../../web/src/canvas/model/document.ts';
import {
  describeCron,
  describeDuration,
  describeInterval,
} from '../../web/src/canvas/model/schedule-text.ts';
import { summarizedTypes, summarizeNode, getSummary } from '../../web/src/canvas/model/summary.ts';
import { getNodeTitle } from '../../web/src/canvas/model/title.ts';
import { builtinNodes } from '../../src/nodes/registry.ts';
import { builtinCatalog as cat } from './support/builtin-catalog.ts';

describe('titles', () => {
  const cases: [Entry, string][] = [
    [{ id: 'http_request', type: 'http_request' }, 'HTTP request'],
    [{ id: 'http_request_2', type: 'http_request' }, 'HTTP request 2'],
    [{ id: 'trigger', type: 'trigger' }, 'Trigger'],
    [{ id: 'set_12', type: 'set', name: ' ' }, 'Set fields 12'],
    [{ id: 'http_request_2', type: 'http_request', name: 'Call the shop' }, 'Call the shop'],
    [{ id: 'http_request_old', type: 'http_request' }, 'Http request old'],
    [{ id: 'fetch_price', type: 'http_request' }, 'Fetch price'],
    [{ id: 'fetchPrice', type: 'http_request' }, 'Fetch price'],
    [{ id: 'überweisung', type: 'set' }, 'Überweisung'],
    [{ id: '_', type: 'set' }, '_'],
    [{ id: 'gone', type: 'no_such_type' }, 'Gone'],
    [{ id: 'no_such_type_2', type: 'no_such_type' }, 'No such type 2'],
  ];
  test.each(cases)('%o is called %s', (entry, title) => {
    expect(getNodeTitle(entry, cat)).toBe(title);
  });
});

describe('summaries', () => {
  const cases: [string, JsonObject, string][] = [
    ['trigger', { triggerType: 'manual' }, 'manual'],
    ['trigger', { triggerType: 'webhook', endpoint: '/orders', method: 'POST' }, 'POST /orders'],
    ['trigger', { triggerType: 'webhook', endpoint: 'orders/:id' }, 'POST /orders/:id'],
    ['trigger', { triggerType: 'webhook' }, 'webhook'],
    ['trigger', { triggerType: 'schedule', cron: '0 9 * * 1-5' }, 'every weekday at 09:00'],
    ['trigger', { triggerType: 'schedule', interval: '5m' }, 'every 5 min'],
    [
      'trigger',
      { triggerType: 'polling', url: 'https://api.shop.com/new', interval: '1m' },
      'polls api.shop.com · every minute',
    ],
    [
      'trigger',
      { triggerType: 'email', host: 'imap.shop.com', user: 'orders@shop.com', interval: '1m' },
      'emails to orders@shop.com',
    ],
    [
      'trigger',
      { triggerType: 'email', host: 'imap.shop.com', user: '{{ secrets.USER }}', mailbox: 'Orders' },
      'emails to secrets.USER · Orders',
    ],
    ['trigger', { triggerType: 'email' }, 'email'],
    ['imap', { operation: 'get', uid: '{{ input.uid }}' }, 'get input.uid'],
    ['trigger', { triggerType: 'event', on: 'failed' }, 'when a workflow fails'],
    ['trigger', {}, ''],
    ['http_request', { method: 'POST', url: 'https://api.shop.com/orders' }, 'POST api.shop.com/orders'],
    [
      'http_request',
      { url: 'https://api.shop.com/item/{{ item.id }}?page={{ input.page }}' },
      'GET api.shop.com/item/{item.id}',
    ],
    ['http_request', { url: 'https://ada:secret@api.shop.com/' }, 'GET api.shop.com'],
    ['http_request', { url: '{{ input.url }}' }, 'GET input.url'],
    ['http_request', { method: 'POST' }, ''],
    ['condition', { condition: { field: 'amount', operator: 'greater_than', value: 100 } }, 'amount > 100'],
    ['condition', { condition: { field: 'name', operator: 'exists' } }, 'name exists'],
    [
      'condition',
      { condition: { field: 'city', operator: 'starts_with', value: 'B' } },
      'city starts with B',
    ],
    [
      'condition',
      {
        condition: {
          any: [
            {
              all: [
                { field: 'a', operator: 'equals', value: 1 },
                { field: 'b', operator: 'equals', value: '{{ input.b }}' },
              ],
            },
            { not: { field: 'c', operator: 'in', value: ['x', 'y'] } },
          ],
        },
      },
      '(a = 1 and b = input.b) or not (c in x, y)',
    ],
    ['condition', {}, ''],
    ['condition', { condition: '{{ input.amount > 100 }}' }, 'input.amount > 100'],
    [
      'switch',
      {
        cases: [
          { name: 'small', condition: {} },
          { name: 'large', condition: {} },
        ],
      },
      'small · large',
    ],
    ['set', { fields: { a: 1, b: 2, c: 3 } }, '3 fields'],
    ['set', { fields: { total: '{{ input.body.total }}' } }, 'total = input.body.total'],
    ['set', { fields: { note: '' } }, 'note = ""'],
    ['rename', { fields: { old: 'new' } }, 'old → new'],
    ['filter', { condition: { field: 'total', operator: 'less_or_equal', value: 5 } }, 'total ≤ 5'],
    ['filter', { when: '{{ item.total > 5 }}' }, 'item.total > 5'],
    ['for_each', { items: '{{ input.items }}', nodes: [], concurrency: 5 }, 'over input.items · 5 at a time'],
    ['for_each', { items: [1, 2], nodes: [] }, '2 items'],
    ['while', { condition: { field: 'next', operator: 'exists' }, nodes: [] }, 'while next exists'],
    [
      'parallel',
      {
        branches: [
          { name: 'a', nodes: [] },
          { name: 'b', nodes: [] },
        ],
        waitForAll: false,
      },
      '2 branches · first result',
    ],
    ['merge', { mode: 'append' }, 'append lists'],
    ['code', { source: '// Totals per customer\nexport default () => 1' }, 'Totals per customer'],
    ['code', { source: 'export default () => 1' }, 'JavaScript'],
    ['data_validator', { schema: { properties: { a: {}, b: {} } } }, 'checks 2 fields'],
    ['delay', { duration: '5m' }, '5 min'],
    ['delay', { until: '{{ input.due }}' }, 'until input.due'],
    ['wait_for_event', {}, 'up to 1 day'],
    ['respond', {}, '200'],
    ['respond', { status: 202 }, '202'],
    ['stop', { outcome: 'failed', message: 'No {{ input.kind }} today' }, 'fail: No {input.kind} today'],
    [
      'error_handler',
      {
        strategies: [
          { errorType: 'any', action: 'retry' },
          { errorType: 'any', action: 'notify' },
        ],
      },
      'retry · notify',
    ],
    ['email', { template: { to: ['a@b.c', 'd@e.f'] } }, 'to a@b.c, d@e.f'],
    ['slack', { channel: 'orders', text: 'Hello' }, '#orders'],
    ['slack', { channel: 'C024BE91L' }, 'C024BE91L'],
    ['postgres', { operation: 'query', query: 'SELECT *\n  FROM orders' }, 'SELECT * FROM orders'],
    ['postgres', { operation: 'insert', table: 'orders' }, 'insert · orders'],
    ['mysql', { operation: 'query', query: 'SELECT ?' }, 'SELECT ?'],
    ['mysql', { operation: 'upsert', table: 'orders' }, 'upsert · orders'],
    ['redis', { operation: 'hash_get', key: 'user:{{ input.id }}' }, 'hash get · user:{input.id}'],
    ['redis', { operation: 'command', command: ['ZADD', 'scores', 17, 'ada'] }, 'ZADD scores 17 ada'],
    ['s3', { operation: 'get', bucket: 'reports', key: 'a/b.pdf' }, 'get · reports/a/b.pdf'],
    ['s3', { operation: 'list', bucket: 'reports' }, 'list · reports'],
    ['sort', { by: [{ field: 'total', direction: 'descending' }, { field: 'name' }] }, 'by total ↓, name'],
    ['limit', { count: 10, from: 'end' }, 'last 10'],
    ['pick', { fields: ['a', 'b', 'c', 'd'], mode: 'remove' }, 'remove a, b, c + 1'],
    ['json', { operation: 'parse', value: '{{ input.body }}' }, 'parse input.body'],
    ['crypto', { operation: 'verify_hmac', algorithm: 'sha256' }, 'verify hmac · sha256'],
    ['no_such_type', { url: 'https://example.com' }, ''],
    ['constructor', {}, ''],
  ];
  test.each(cases)('%s %j: %s', (type, config, summary) => {
    expect(summarizeNode(type, config)).toBe(summary);
  });

  test('every built-in type has a summary, and no configuration of an example breaks it', () => {
    expect(summarizedTypes.toSorted(), 'Change web/src/canvas/model/summary.ts').toEqual(
      builtinNodes.map(({ type }) => type).toSorted(),
    );
    for (const { type, examples } of builtinNodes)
      for (const { config } of examples)
        expect(
          summarizeNode(type, config as JsonObject),
          `Change web/src/canvas/model/summary.ts: no summary for an example of ${type}`,
        ).not.toBe('');
  });

  test('values of a wrong type are left out', () => {
    const wrong: JsonObject[] = [
      {},
      ...[null, 7, 'text', [null], { a: null }].map(
        (value) =>
          Object.fromEntries(
            [
              'triggerType',
              'url',
              'condition',
              'cases',
              'fields',
              'items',
              'branches',
              'operations',
              'schema',
              'template',
              'by',
              'strategies',
              'status',
            ].map((field) => [field, value]),
          ) as JsonObject,
      ),
    ];
    for (const type of summarizedTypes)
      for (const config of wrong) expect(typeof summarizeNode(type, config)).toBe('string');
  });

  test('a card without a summary shows its type, and what the type does where that is its title', () => {
    expect(getSummary({ id: 'fetch', type: 'http_request', config: {} }, cat)).toBe('HTTP request');
    expect(getSummary({ id: 'http_request', type: 'http_request', config: {} }, cat)).toMatch(/^\w+ .+/);
    expect(getSummary({ id: 'x', type: 'no_such_type' }, cat)).toBe('no_such_type');
  });
});

describe('schedules', () => {
  test.each([
    ['* * * * *', 'every minute'],
    ['*/5 * * * *', 'every 5 min'],
    ['0 * * * *', 'every hour'],
    ['15 * * * *', 'every hour at :15'],
    ['0 */2 * * *', 'every 2 h'],
    ['30 7 * * *', 'every day at 07:30'],
    ['0 9 * * 1-5', 'every weekday at 09:00'],
    ['0 9 * * MON-FRI', 'every weekday at 09:00'],
    ['0 3 * * 1', 'every Monday at 03:00'],
    ['0 3 * * 7', 'every Sunday at 03:00'],
    ['0 3 * * 1,3', 'every Mon, Wed at 03:00'],
    ['0 0 1 * *', 'day 1 of every month at 00:00'],
    ['0 0 9 * * 1-5', 'every weekday at 09:00'],
    ['0 9 * 1 *', 'cron 0 9 * 1 *'],
    ['0 9 * * 5#2', 'cron 0 9 * * 5#2'],
    ['5,10 9 * * *', 'cron 5,10 9 * * *'],
    ['nonsense', 'cron nonsense'],
  ])('%s: %s', (cron, words) => {
    expect(describeCron(cron)).toBe(words);
  });

  test('durations and intervals', () => {
    expect(['5m', '1h', '1.5h', '1d', '2d', '30s', 'soon'].map(describeDuration)).toEqual([
      '5 min',
      '1 h',
      '1.5 h',
      '1 day',
      '2 days',
      '30 s',
      'soon',
    ]);
    expect(['1m', '90s', '1d'].map(describeInterval)).toEqual(['every minute', 'every 90 s', 'every day']);
  });
});
