import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../lib/json.ts';
import { checkConfig } from '../config-check.ts';
import { trigger } from './trigger.node.ts';

const webhook = (more: JsonObject = {}): JsonObject => ({
  triggerType: 'webhook',
  endpoint: 'orders/:id',
  authentication: 'none',
  ...more,
});
const hmac = (more: JsonObject = {}): JsonObject =>
  webhook({ authentication: 'hmac', secret: 'KEY', ...more });
const schedule = (more: JsonObject): JsonObject => ({ triggerType: 'schedule', ...more });

describe('trigger', () => {
  it.each([
    [{ triggerType: 'manual' }],
    [webhook()],
    [webhook({ endpoint: '/a/b.c/:x_1', method: 'GET' })],
    [hmac({ scheme: 'github', deduplicate: '{{ headers["x-github-delivery"] }}' })],
    [hmac({ scheme: 'standard' })],
    [hmac({ scheme: 'stripe' })],
    [hmac({ scheme: 'slack' })],
    [hmac({ scheme: 'weft', respond: 'respond', timeout: '15m' })],
    [webhook({ authentication: 'basic', secret: 'USERS', respond: 'on_completion', timeout: '1s' })],
    [webhook({ expectedSchema: { order: 'object', 'odd name': 'array' } })],
    [webhook({ cors: ['https://shop.example.com', 'http://localhost:5173', '*'] })],
    [schedule({ cron: '0 3 * * 1', timezone: 'Europe/Berlin' })],
    [schedule({ cron: '*/5 * * * * *', overlap: 'queue', missed: 'all' })],
    [schedule({ cron: '@daily' })],
    [schedule({ interval: '1s' })],
    [schedule({ interval: '366d' })],
  ])('takes %j', (config) => {
    expect(checkConfig(trigger, config)).toEqual([]);
  });

  it.each([
    [{}, 'triggerType', /takes one of manual, webhook, schedule, event, error/],
    [{ triggerType: '{{ x }}' }, 'triggerType', /takes one of/],
    [{ triggerType: 'manual', cron: '* * * * *' }, 'cron', /is not known here/],
    [{ triggerType: 'event', on: 'stopped' }, 'on', /completed.*failed/],
    [{ triggerType: 'error', on: 'failed' }, 'on', /./],
    [{ triggerType: 'webhook', endpoint: 'a' }, 'authentication', /is required/],
    [webhook({ authentication: 'open' }), 'authentication', /takes one of none, basic/],
    [webhook({ endpoint: '' }), 'endpoint', /must not be empty/],
    [webhook({ endpoint: 'a//b' }), 'endpoint', /empty segment/],
    [webhook({ endpoint: 'a/../b' }), 'endpoint', /has the segment \.\./],
    [webhook({ endpoint: 'a?b' }), 'endpoint', /has the segment a\?b/],
    [webhook({ endpoint: ':id/:id' }), 'endpoint', /:id twice/],
    [webhook({ endpoint: 'a/{{ x }}' }), 'endpoint', /has the segment/],
    [webhook({ method: 'HEAD' }), 'method', /takes one of GET, POST/],
    [webhook({ authentication: 'hmac' }), 'secret', /is required by authentication hmac/],
    [webhook({ secret: 'KEY' }), 'secret', /must not stand beside authentication none/],
    [webhook({ authentication: 'bearer', secret: '{{ secrets.KEY }}' }), 'secret', /not a template: KEY/],
    [webhook({ authentication: 'bearer', secret: 'a b' }), 'secret', /takes the name of a stored secret/],
    [
      webhook({ authentication: 'bearer', secret: 'KEY', scheme: 'github' }),
      'scheme',
      /only for authentication hmac/,
    ],
    [hmac({ scheme: 'paypal' }), 'scheme', /takes one of weft, standard, github, stripe, slack/],
    [webhook({ expectedSchema: { a: 'text' } }), 'expectedSchema.a', /takes one of string, number/],
    [webhook({ respond: 'later' }), 'respond', /takes one of immediately/],
    [webhook({ timeout: '5s' }), 'timeout', /only for respond on_completion or respond/],
    [webhook({ respond: 'respond', timeout: '16m' }), 'timeout', /at most 15m/],
    [webhook({ respond: 'respond', timeout: '0s' }), 'timeout', /more than 0/],
    [webhook({ cors: [] }), 'cors', /at least one/],
    [webhook({ cors: 'https://a.example' }), 'cors', /takes a list/],
    ...[
      'https://a.example/',
      'https://A.example',
      'https://a.example:443',
      'a.example',
      'null',
      '{{ x }}',
    ].map((origin): [JsonObject, string, RegExp] => [
      webhook({ cors: ['*', origin] }),
      'cors[1]',
      /takes an origin such as/,
    ]),
    [schedule({}), 'cron', /is required, or interval/],
    [schedule({ cron: '* * * * *', interval: '5s' }), 'interval', /must not stand beside cron/],
    [schedule({ cron: '* * *' }), 'cron', /is not a cron expression/],
    [schedule({ cron: '2099-12-01T00:00:00' }), 'cron', /is not a cron expression/],
    [schedule({ cron: '61 * * * *' }), 'cron', /is not a cron expression/],
    [schedule({ cron: '0 0 30 2 *' }), 'cron', /never comes/],
    [schedule({ cron: '* * * * *', timezone: 'Berlin' }), 'timezone', /is not a time zone/],
    [schedule({ cron: '* * * * *', timezone: '+02:00' }), 'timezone', /is not a time zone/],
    [schedule({ interval: '500ms' }), 'interval', /at least 1s/],
    [schedule({ interval: '30' }), 'interval', /takes a duration with a unit/],
    [schedule({ interval: '30s', timezone: 'UTC' }), 'timezone', /only for cron/],
    [schedule({ interval: '30s', overlap: 'wait' }), 'overlap', /takes one of skip/],
    [schedule({ interval: '30s', missed: 'never' }), 'missed', /takes one of once/],
  ])('refuses %j', (config, field, issue) => {
    const [first] = checkConfig(trigger, config);
    expect(first?.field).toBe(field);
    expect(first?.issue).toMatch(issue);
  });
});
