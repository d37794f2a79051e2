import { Type } from 'typebox';
import { defineNode } from '../define-node.ts';
import { listNamedConnection } from '../connectors/credentials.ts';
import { listNamedConnections } from '../http/authentication.ts';
import { closed, duration, listNamedWorkflow, oneOfTexts, tagged, workflowId } from '../schema.ts';
import { validatePolling } from './polling-check.ts';
import { mailboxSecrets, newEmail, validateNewEmail } from './mailbox-config.ts';
import { polling, pollSecrets } from './polling-config.ts';
import { validateForm } from './form-check.ts';
import { form } from './form-config.ts';
import { chat, validateChat } from './chat-config.ts';
import { tool, validateTool } from './tool-config.ts';
import { validateSchedule } from './schedule-check.ts';
import { checkWebhook } from './webhook-check.ts';
import { webhook } from './webhook-config.ts';
import { output } from '../output-schema.ts';
import { ui } from '../ui-hints.ts';
import { exampleMessage } from '../mail/example-message.ts';

const manual = closed({ triggerType: Type.Literal('manual') }, { title: 'Manual' });

const schedule = closed(
  {
    triggerType: Type.Literal('schedule'),
    cron: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        title: 'Schedule',
        ...ui({ control: 'schedule', order: 1 }),
        description:
          'A cron expression of five fields (minute hour day month weekday), or six with seconds first.',
      }),
    ),
    timezone: Type.Optional(
      Type.String({
        maxLength: 100,
        title: 'Time zone',
        description: 'The time zone of cron: an IANA name such as Europe/Berlin.',
      }),
    ),
    interval: Type.Optional(
      duration({ title: 'Interval', description: 'How often to run, at least 1s. Set this or cron.' }),
    ),
    overlap: Type.Optional(
      oneOfTexts(['skip', 'queue', 'allow'], {
        default: 'skip',
        title: 'If the last run is still active',
        ...ui({
          advanced: true,
          hint: '',
          labels: { skip: 'Skip this run', queue: 'Start afterwards', allow: 'Start anyway' },
        }),
        description: 'What to do if the schedule is due while an earlier execution is still running.',
      }),
    ),
    missed: Type.Optional(
      oneOfTexts(['once', 'skip', 'all'], {
        default: 'once',
        title: 'Runs missed while the service was down',
        ...ui({ advanced: true, hint: '', labels: { once: 'Run once', skip: 'Skip', all: 'Run all' } }),
        description: 'Which missed runs to start after the service was down.',
      }),
    ),
  },
  {
    title: 'Schedule',
    ...output(Type.Object({ scheduled_at: Type.String({ format: 'date-time' }) })),
  },
);

const followed = (all: string) =>
  Type.Optional(
    workflowId({
      description: `The workflow to follow. Default: all of your workflows${all}.`,
    }),
  );
const event = closed(
  {
    triggerType: Type.Literal('event'),
    workflow_id: followed(' except this one and executions started by an event or error trigger'),
    on: Type.Optional(oneOfTexts(['completed', 'failed'], { default: 'completed' })),
  },
  { title: 'Workflow completed' },
);
const error = closed(
  { triggerType: Type.Literal('error'), workflow_id: followed('') },
  {
    title: 'Error',
    ...output(
      Type.Object({
        type: Type.String({ examples: ['server_error'] }),
        message: Type.String(),
        node_id: Type.String(),
        attempt: Type.Integer({ examples: [1] }),
        execution_id: Type.String(),
        workflow_id: Type.String(),
        workflow_name: Type.String(),
      }),
    ),
  },
);

/** Example of the output of an error trigger. */
const failure = {
  type: 'server_error',
  message: 'POST https://api.example.com/invoices responded with 500',
  node_id: 'send',
  attempt: 3,
  status: 500,
  execution_id: 'ex_17',
  workflow_id: 'wf_invoices',
  workflow_name: 'Invoices',
};

/** Example of the output of a form. */
const submission = {
  fields: { name: 'Ada', email: 'ada@example.com', subject: 'Order', order: '17', message: 'Where is it?' },
  submitted_at: '2026-01-05T10:01:00.000Z',
};

/** Example of the output of a chat. */
const chatMessage = {
  message: 'Where is order A-17?',
  messages: [{ role: 'user', content: 'Where is order A-17?' }],
  model: 'support',
  user: null,
  parameters: { temperature: 0.2 },
};

/** Example of the output of an email trigger. */
const receivedEmail = { ...exampleMessage, polled_at: '2026-01-05T10:01:00.000Z' };

const variants = [manual, webhook, form, tool, chat, schedule, polling, newEmail, event, error];
const fields = variants.flatMap((variant) => Object.keys(variant.properties));
/** Polling request fields that may be templates, mainly to read secrets. */
const TEMPLATED_FIELDS = new Set(['query', 'headers', 'body', 'authentication', 'user', 'password']);

export const trigger = defineNode({
  type: 'trigger',
  version: '1.0.0',
  name: 'Trigger',
  category: 'trigger',
  description:
    'Starts executions: manually, by a webhook, by a submitted form, by a model that calls it as a tool, by a message of a chat, on a schedule, for each new item found by polling a URL or a feed, for each new email in a mailbox, when another workflow completes, or when one fails. Its output depends on the kind: the input of a manual start; {body, query, headers, params, method} of a webhook request, with raw and raw_encoding if the raw body is enabled; {fields, submitted_at} of a form; the arguments of a tool; {message, messages, tools, response_schema, model, user, parameters} of a chat; {scheduled_at} of a schedule; {item, key, polled_at} of a poll; the message of an email; or the output or error of the other execution.',
  icon: 'zap',
  keywords: [
    'start',
    'webhook',
    'schedule',
    'cron',
    'timer',
    'interval',
    'manual',
    'poll',
    'event',
    'rss',
    'feed',
    'email',
    'imap',
    'form',
    'mcp',
    'tool',
    'chat',
    'chatbot',
    'openai',
  ],
  config: tagged('triggerType', variants),
  templates: {
    ...Object.fromEntries(
      fields.filter((field) => !TEMPLATED_FIELDS.has(field)).map((field) => [field, 'literal'] as const),
    ),
    deduplicate: 'deferred',
    key: 'deferred',
    url: 'url',
    'authentication.type': 'literal',
    'authentication.grant_type': 'literal',
    'authentication.token_url': 'url',
    'authentication.credential': 'literal',
    'authentication.connection': 'literal',
  },
  outputs: [{ name: 'out', type: 'any', description: 'The data that started the execution' }],
  connections: (config) => [...listNamedConnections(config), ...listNamedConnection(config)],
  workflows: ({ workflow_id: id }) => listNamedWorkflow('workflow_id', id),
  effects: 'none',
  secrets: { ...pollSecrets, ...mailboxSecrets },
  isTrigger: true,
  check(config) {
    switch (config['triggerType']) {
      case 'webhook':
        return checkWebhook(config);
      case 'form':
        return validateForm(config);
      case 'tool':
        return validateTool(config);
      case 'chat':
        return validateChat(config);
      case 'schedule':
        return validateSchedule(config);
      case 'polling':
        return validatePolling(config);
      case 'email':
        return validateNewEmail(config);
      default:
        return [];
    }
  },
  examples: [
    {
      title: 'Manual start',
      config: { triggerType: 'manual' },
      input: { name: 'Ada' },
      outputs: { out: { name: 'Ada' } },
    },
    {
      title: 'Signed webhook with a path parameter',
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
      title: 'Contact form',
      config: {
        triggerType: 'form',
        endpoint: 'contact',
        title: 'Contact us',
        fields: [
          { type: 'text', label: 'Your name', name: 'name', required: true },
          { type: 'email', label: 'Email', name: 'email', required: true },
          { type: 'choice', label: 'Subject', name: 'subject', options: ['Order', 'Other'] },
          {
            type: 'text',
            label: 'Order number',
            name: 'order',
            show_when: { field: 'subject', equals: 'Order' },
          },
          { type: 'long_text', label: 'Message', name: 'message', required: true },
        ],
      },
      input: submission,
      outputs: { out: submission },
    },
    {
      title: 'Tool for assistants',
      config: {
        triggerType: 'tool',
        name: 'refund_order',
        description: 'Refunds an order, in full or in part.',
        inputSchema: {
          type: 'object',
          properties: { order: { type: 'string' }, amount: { type: 'number' } },
          required: ['order'],
        },
      },
      input: { order: '17', amount: 99.5 },
      outputs: { out: { order: '17', amount: 99.5 } },
    },
    {
      title: 'Model for chat clients',
      config: { triggerType: 'chat', name: 'support' },
      input: chatMessage,
      outputs: { out: chatMessage },
    },
    {
      title: 'Mondays at 3:00 in Berlin',
      config: { triggerType: 'schedule', cron: '0 3 * * 1', timezone: 'Europe/Berlin' },
      input: { scheduled_at: '2026-01-05T02:00:00.000Z' },
      outputs: { out: { scheduled_at: '2026-01-05T02:00:00.000Z' } },
    },
    {
      title: 'Every 30 seconds',
      config: { triggerType: 'schedule', interval: '30s', overlap: 'allow' },
      input: { scheduled_at: '2026-01-05T02:00:30.000Z' },
      outputs: { out: { scheduled_at: '2026-01-05T02:00:30.000Z' } },
    },
    {
      title: 'Poll for new orders every five minutes',
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
      title: 'Each new entry of a news feed',
      config: {
        triggerType: 'polling',
        url: 'https://news.example.com/feed.xml',
        format: 'feed',
        interval: '15m',
      },
      input: {
        item: { id: 'n-17', title: 'Tea is cheaper', link: 'https://news.example.com/17' },
        key: 'n-17',
        polled_at: '2026-01-05T02:05:00.000Z',
      },
      outputs: {
        out: {
          item: { id: 'n-17', title: 'Tea is cheaper', link: 'https://news.example.com/17' },
          key: 'n-17',
          polled_at: '2026-01-05T02:05:00.000Z',
        },
      },
    },
    {
      title: 'Each new email with an order',
      config: {
        triggerType: 'email',
        host: 'imap.example.com',
        user: 'orders@example.com',
        password: '{{ secrets.MAIL_PASSWORD }}',
        subject: 'Order',
        interval: '1m',
        mark_seen: true,
      },
      input: receivedEmail,
      outputs: { out: receivedEmail },
    },
    {
      title: 'After the invoice workflow completes',
      config: { triggerType: 'event', workflow_id: 'wf_invoices', on: 'completed' },
      input: { sent: 12 },
      outputs: { out: { sent: 12 } },
    },
    {
      title: 'When any workflow fails',
      config: { triggerType: 'error' },
      input: failure,
      outputs: { out: failure },
    },
  ],
});
