import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../lib/json/json.ts';
import { validateConfig } from '../validate-config.ts';
import { trigger } from './trigger.node.ts';

const webhook = (more: JsonObject = {}): JsonObject => ({
  triggerType: 'webhook',
  endpoint: 'orders/:id',
  authentication: 'none',
  ...more,
});
const hmac = (more: JsonObject = {}): JsonObject =>
  webhook({ authentication: 'hmac', secret: 'KEY', ...more });
const polling = (more: JsonObject = {}): JsonObject => ({
  triggerType: 'polling',
  url: 'https://shop.example.com/orders',
  interval: '5m',
  ...more,
});
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
    [polling()],
    [polling({ interval: undefined as never, cron: '*/5 * * * *', timezone: 'Europe/Berlin' })],
    [
      polling({
        method: 'POST',
        body: { since: 1 },
        items: 'data.list',
        key: 'id',
        first: 'take',
        maxItems: 1000,
      }),
    ],
    [polling({ key: '{{ item.id }}-{{ item.version }}', timeout: '5m', query: { a: [1, 2] } })],
    [
      polling({
        url: '{{ secrets.BASE }}/orders',
        headers: { 'x-token': '{{ secrets.TOKEN }}' },
        authentication: { type: 'bearer', token: '{{ secrets.TOKEN }}' },
      }),
    ],
  ])('takes %j', (config) => {
    expect(validateConfig(trigger, config)).toEqual([]);
  });

  it.each([
    [
      {},
      'triggerType',
      /must be one of manual, webhook, form, tool, chat, schedule, polling, email, event, error/,
    ],
    [{ triggerType: '{{ x }}' }, 'triggerType', /must be one of/],
    [{ triggerType: 'manual', cron: '* * * * *' }, 'cron', /is not a known field/],
    [{ triggerType: 'event', on: 'stopped' }, 'on', /completed.*failed/],
    [{ triggerType: 'error', on: 'failed' }, 'on', /./],
    [{ triggerType: 'webhook', endpoint: 'a' }, 'authentication', /is required/],
    [webhook({ authentication: 'open' }), 'authentication', /must be one of none, basic/],
    [webhook({ endpoint: '' }), 'endpoint', /must not be empty/],
    [webhook({ endpoint: 'a//b' }), 'endpoint', /empty segment/],
    [
      webhook({ endpoint: 'a/../b' }),
      'endpoint',
      /must have segments of letters, digits and _~\.\+@=-, or parameters such/,
    ],
    [
      webhook({ endpoint: 'a?b' }),
      'endpoint',
      /must have segments of letters, digits and _~\.\+@=-, or parameters such/,
    ],
    [webhook({ endpoint: ':id/:id' }), 'endpoint', /:id twice/],
    [
      webhook({ endpoint: 'a/{{ x }}' }),
      'endpoint',
      /must have segments of letters, digits and _~\.\+@=-, or parameters such/,
    ],
    [webhook({ method: 'HEAD' }), 'method', /must be one of GET, POST/],
    [webhook({ authentication: 'hmac' }), 'secret', /is required by authentication hmac/],
    [webhook({ secret: 'KEY' }), 'secret', /must not be set with authentication none/],
    [webhook({ authentication: 'bearer', secret: '{{ secrets.KEY }}' }), 'secret', /not a template: KEY/],
    [webhook({ authentication: 'bearer', secret: 'a b' }), 'secret', /must be the name of a stored secret/],
    [
      webhook({ authentication: 'bearer', secret: 'KEY', scheme: 'github' }),
      'scheme',
      /is only allowed with authentication hmac/,
    ],
    [hmac({ scheme: 'paypal' }), 'scheme', /must be one of weft, standard, github, stripe, slack/],
    [webhook({ expectedSchema: { a: 'text' } }), 'expectedSchema.a', /must be one of string, number/],
    [webhook({ respond: 'later' }), 'respond', /must be one of immediately/],
    [webhook({ timeout: '5s' }), 'timeout', /is only allowed with respond on_completion or respond/],
    [webhook({ respond: 'respond', timeout: '16m' }), 'timeout', /at most 15m/],
    [webhook({ respond: 'respond', timeout: '0s' }), 'timeout', /more than 0/],
    [webhook({ cors: [] }), 'cors', /at least one/],
    [webhook({ cors: 'https://a.example' }), 'cors', /must be a list/],
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
      /must be an origin such as/,
    ]),
    [{ triggerType: 'polling', interval: '5m' }, 'url', /is required/],
    [polling({ url: 'ftp://a.example' }), 'url', /http or https/],
    [polling({ url: 'https://u:p@a.example' }), 'url', /must not contain credentials; use authentication/],
    [polling({ method: 'PUT' }), 'method', /must be one of GET, POST/],
    [polling({ body: {} }), 'body', /is only allowed with method POST/],
    [polling({ headers: { host: 'x' } }), 'headers.host', /./],
    [polling({ authentication: { type: 'oauth2', client_id: 'x' } }), 'authentication.token_url', /required/],
    [polling({ items: 'a..b' }), 'items', /./],
    [
      polling({ key: 'a..b' }),
      'key',
      /must be a path: Wrong step at 2 of the path a\.\.b: a name is expected/,
    ],
    [polling({ first: 'all' }), 'first', /must be one of ignore, take/],
    [polling({ maxItems: 0 }), 'maxItems', /./],
    [polling({ maxItems: 1001 }), 'maxItems', /./],
    [polling({ timeout: '6m' }), 'timeout', /at most 5m/],
    [polling({ timeout: '0s' }), 'timeout', /more than 0/],
    [polling({ interval: '500ms' }), 'interval', /at least 1s/],
    [polling({ cron: '* * * * *' }), 'interval', /must not be set with cron/],
    [polling({ interval: undefined as never }), 'cron', /is required unless interval is set/],
    [polling({ overlap: 'allow' }), 'overlap', /is not a known field/],
    [schedule({}), 'cron', /is required unless interval is set/],
    [schedule({ cron: '* * * * *', interval: '5s' }), 'interval', /must not be set with cron/],
    [schedule({ cron: '* * *' }), 'cron', /must be a cron expression/],
    [schedule({ cron: '2099-12-01T00:00:00' }), 'cron', /must be a cron expression/],
    [schedule({ cron: '61 * * * *' }), 'cron', /must be a cron expression/],
    [schedule({ cron: '0 0 30 2 *' }), 'cron', /must match a date in the future/],
    [
      schedule({ cron: '* * * * *', timezone: 'Berlin' }),
      'timezone',
      /must be an IANA time zone such as Europe\/Berlin, not/,
    ],
    [
      schedule({ cron: '* * * * *', timezone: '+02:00' }),
      'timezone',
      /must be an IANA time zone such as Europe\/Berlin, not/,
    ],
    [schedule({ interval: '500ms' }), 'interval', /at least 1s/],
    [schedule({ interval: '30' }), 'interval', /must be a duration with a unit/],
    [schedule({ interval: '30s', timezone: 'UTC' }), 'timezone', /is only allowed with cron/],
    [schedule({ interval: '30s', overlap: 'wait' }), 'overlap', /must be one of skip/],
    [schedule({ interval: '30s', missed: 'never' }), 'missed', /must be one of once/],
  ])('refuses %j', (config, field, issue) => {
    const [first] = validateConfig(trigger, config);
    expect(first?.field).toBe(field);
    expect(first?.issue).toMatch(issue);
  });
});
