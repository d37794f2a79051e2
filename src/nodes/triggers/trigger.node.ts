import { Type } from 'typebox';
import { defineNode } from '../define-node.ts';
import { namedConnections } from '../http/authentication.ts';
import { closed, duration, namedWorkflow, oneOfTexts, tagged, workflowId } from '../schema.ts';
import { pollingFaults } from './polling-check.ts';
import { polling, pollSecrets } from './polling-config.ts';
import { scheduleFaults } from './schedule-check.ts';
import { checkWebhook } from './webhook-check.ts';
import { webhook } from './webhook-config.ts';

const manual = closed({ triggerType: Type.Literal('manual') }, { title: 'Manual' });

const schedule = closed(
  {
    triggerType: Type.Literal('schedule'),
    cron: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'Five fields (minute hour day month weekday), or six with seconds first.',
      }),
    ),
    timezone: Type.Optional(
      Type.String({ maxLength: 100, description: 'An IANA name such as Europe/Berlin, for cron.' }),
    ),
    interval: Type.Optional(duration({ description: 'Every so often, at least 1s. Either this or cron.' })),
    overlap: Type.Optional(
      oneOfTexts(['skip', 'queue', 'allow'], {
        default: 'skip',
        description: 'When it is due while an earlier execution still runs.',
      }),
    ),
    missed: Type.Optional(
      oneOfTexts(['once', 'skip', 'all'], {
        default: 'once',
        description: 'What is made up for after the service was down.',
      }),
    ),
  },
  { title: 'Schedule' },
);

const followed = (all: string) =>
  Type.Optional(
    workflowId({
      description: `The id of the workflow that is followed. Default: all of your own${all}.`,
    }),
  );
const event = closed(
  {
    triggerType: Type.Literal('event'),
    workflow_id: followed(' but this one, and but what an event or error trigger started'),
    on: Type.Optional(oneOfTexts(['completed', 'failed'], { default: 'completed' })),
  },
  { title: "Another workflow's end" },
);
const error = closed(
  { triggerType: Type.Literal('error'), workflow_id: followed('') },
  { title: 'An error' },
);

/** What an error trigger delivers. */
const failure = {
  type: 'server_error',
  message: 'POST https://api.example.com/invoices answered 500',
  node_id: 'send',
  attempt: 3,
  status: 500,
  execution_id: 'ex_17',
  workflow_id: 'wf_invoices',
  workflow_name: 'Invoices',
};

const fields = [manual, webhook, schedule, polling, event, error].flatMap((variant) =>
  Object.keys(variant.properties),
);
/** What a poll sends may be made of templates: secrets, above all. */
const TEMPLATED = new Set(['query', 'headers', 'body', 'authentication']);

export const trigger = defineNode({
  type: 'trigger',
  version: '1.0.0',
  name: 'Trigger',
  category: 'trigger',
  description:
    "Starts executions: by hand, by a webhook, on a schedule, for each new item that polling an address finds, when another workflow ends, or when one fails. Its output is what started the execution: the input given by hand; {body, query, headers, params, method} of a webhook, and raw and raw_encoding where it asks for the raw body; {scheduled_at} of a schedule; {item, key, polled_at} of polling; the other execution's output or error.",
  icon: 'zap',
  config: tagged('triggerType', [manual, webhook, schedule, polling, event, error]),
  templates: {
    ...Object.fromEntries(
      fields.filter((field) => !TEMPLATED.has(field)).map((field) => [field, 'literal'] as const),
    ),
    deduplicate: 'deferred',
    key: 'deferred',
    url: 'url',
    'authentication.type': 'literal',
    'authentication.grant_type': 'literal',
    'authentication.token_url': 'url',
    'authentication.credential': 'literal',
  },
  outputs: [{ name: 'out', type: 'any', description: 'What started the execution' }],
  connections: namedConnections,
  workflows: ({ workflow_id: id }) => namedWorkflow('workflow_id', id),
  effects: 'none',
  secrets: pollSecrets,
  isTrigger: true,
  check(config) {
    switch (config['triggerType']) {
      case 'webhook':
        return checkWebhook(config);
      case 'schedule':
        return scheduleFaults(config);
      case 'polling':
        return pollingFaults(config);
      default:
        return [];
    }
  },
  examples: [
    {
      title: 'By hand',
      config: { triggerType: 'manual' },
      input: { name: 'Ada' },
      outputs: { out: { name: 'Ada' } },
    },
    {
      title: 'A signed webhook with a parameter in its path',
      config: {
        triggerType: 'webhook',
        endpoint: 'orders/:id',
        method: 'POST',
        authentication: 'hmac',
        secret: 'ORDERS_KEY',
        expectedSchema: { order: 'object' },
      },
      input: { body: { order: {} }, query: {}, headers: {}, params: { id: '17' }, method: 'POST' },
      outputs: { out: { body: { order: {} }, query: {}, headers: {}, params: { id: '17' }, method: 'POST' } },
    },
    {
      title: 'Mondays at three in Berlin',
      config: { triggerType: 'schedule', cron: '0 3 * * 1', timezone: 'Europe/Berlin' },
      input: { scheduled_at: '2026-01-05T02:00:00.000Z' },
      outputs: { out: { scheduled_at: '2026-01-05T02:00:00.000Z' } },
    },
    {
      title: 'Every thirty seconds',
      config: { triggerType: 'schedule', interval: '30s', overlap: 'allow' },
      input: { scheduled_at: '2026-01-05T02:00:30.000Z' },
      outputs: { out: { scheduled_at: '2026-01-05T02:00:30.000Z' } },
    },
    {
      title: 'New orders of a shop, every five minutes',
      config: {
        triggerType: 'polling',
        url: 'https://shop.example.com/orders',
        query: { sort: 'newest', limit: 50 },
        authentication: { type: 'bearer', token: '{{ secrets.SHOP_TOKEN }}' },
        interval: '5m',
        items: 'data.orders',
        key: 'id',
      },
      input: { item: { id: 17, total: 99.5 }, key: '17', polled_at: '2026-01-05T02:05:00.000Z' },
      outputs: { out: { item: { id: 17, total: 99.5 }, key: '17', polled_at: '2026-01-05T02:05:00.000Z' } },
    },
    {
      title: 'Whenever the invoices are done',
      config: { triggerType: 'event', workflow_id: 'wf_invoices', on: 'completed' },
      input: { sent: 12 },
      outputs: { out: { sent: 12 } },
    },
    {
      title: 'Whatever fails',
      config: { triggerType: 'error' },
      input: failure,
      outputs: { out: failure },
    },
  ],
});
