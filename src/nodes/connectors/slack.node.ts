import type { JsonObject } from '../../lib/json/json.ts';
import { readBaseUrl } from './credentials.ts';
import type { DataField, DataShape } from './data-fields.ts';
import { defineConnector } from './define-connector.ts';
import type { ConnectorService } from './connector-service.ts';
import { slackApi } from './slack-api.ts';

/** Slack's own limits. */
const MAX_TEXT_LENGTH = 40_000;
const MAX_BLOCKS = 50;

const message: Record<string, DataField> = {
  text: {
    kind: 'text',
    description: "The message in Slack's mrkdwn format. With blocks, the text shown in notifications.",
    max: MAX_TEXT_LENGTH,
    title: 'Message',
    ui: { order: 4, placeholder: 'An order of {{ input.total }} from {{ input.name }}', hint: '' },
  },
  blocks: {
    kind: 'list',
    description: 'Block Kit blocks, shown instead of the text.',
    max: MAX_BLOCKS,
    ui: { advanced: true },
  },
  thread_ts: {
    kind: 'text',
    description: 'The ts of the message to reply to.',
    title: 'Reply to message',
    ui: { advanced: true, placeholder: '{{ input.ts }}' },
  },
};
const channel: DataField = {
  kind: 'text',
  description: 'The id or name of a channel. Not used with an incoming webhook.',
  ui: {
    order: 3,
    placeholder: '#orders',
    hint: 'A name or an ID. An incoming webhook has its own channel: leave this empty.',
  },
};

const api: ConnectorService = {
  ...slackApi,
  check: validateText,
  operations: {
    post_message: {
      description: 'posts a message',
      method: 'POST',
      path: '/chat.postMessage',
      data: { fields: { channel: { ...channel, required: true }, ...message }, others: 'none' },
      body: (data) => data,
    },
  },
};

const webhookShape: DataShape = { fields: message, others: 'none' };
const webhook: ConnectorService = {
  title: 'an incoming webhook',
  holds: 'its URL',
  credentials: (secret) => ({ url: secret }),
  ofConnection: () => 'must not be set for an incoming webhook',
  baseUrl: ({ url = '' }) => readBaseUrl('webhook', url),
  authorize: () => ({}),
  problem: (status, body) => (status >= 400 && typeof body === 'string' ? { message: body } : null),
  check: validateText,
  operations: {
    post_message: {
      description: 'posts a message to the channel of the webhook',
      method: 'POST',
      path: '',
      data: webhookShape,
      body: (data) => data,
      result: () => ({ ok: true }),
    },
  },
};

export const slack = defineConnector({
  type: 'slack',
  version: '1.0.0',
  name: 'Slack',
  description:
    "Posts a message to Slack, as a bot or through an incoming webhook. The result is Slack's response {ok, channel, ts, message}, or {ok} for a webhook. If Slack rejects the message, the node fails with client_error and Slack's reason. Slack cannot detect duplicates: after a crash or a lost response, a message may be posted twice.",
  icon: 'message-square',
  keywords: ['message', 'chat', 'channel', 'send message', 'bot', 'notification'],
  services: { api, webhook },
  choose: (secret) => (/^https?:\/\//i.test(secret.trim()) ? 'webhook' : 'api'),
  connected: 'api',
  credentialsHint:
    'A connection to Slack, or a secret with a bot token (xoxb-…) or the URL of an incoming webhook.',
  dataIn: 'config',
  result: "Slack's response",
  examples: [
    {
      title: 'Announce an order',
      config: {
        operation: 'post_message',
        credentials: '{{ secrets.SLACK }}',
        channel: '#orders',
        text: 'An order of {{ input.total }} from {{ input.name }}',
      },
      input: { name: 'Ada', total: 250 },
      outputs: {
        out: {
          ok: true,
          channel: 'C024BE91L',
          ts: '1767225600.000100',
          message: { text: 'An order of 250 from Ada' },
        },
      },
    },
    {
      title: 'Reply in a thread with blocks',
      config: {
        operation: 'post_message',
        credentials: '{{ secrets.SLACK }}',
        channel: 'C024BE91L',
        text: 'Paid',
        blocks: [{ type: 'section', text: { type: 'plain_text', text: 'Paid by {{ input.name }}' } }],
        thread_ts: '{{ input.ts }}',
      },
      input: { name: 'Ada', ts: '1767225600.000100' },
      outputs: { out: { ok: true, channel: 'C024BE91L', ts: '1767225700.000200' } },
    },
  ],
});

function validateText(data: JsonObject) {
  return data['text'] === undefined && data['blocks'] === undefined
    ? [{ field: 'text', issue: 'is required unless blocks is set' }]
    : [];
}
