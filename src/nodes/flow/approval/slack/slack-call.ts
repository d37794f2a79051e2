import type { NodeType } from '../../../../contract/node-type.ts';
import { defineConnector } from '../../../connectors/define-connector.ts';
import type { DataField } from '../../../connectors/data-fields.ts';
import { slackApi } from '../../../connectors/slack-api.ts';

/** Slack's own limits. */
const MAX_TEXT_LENGTH = 40_000;
const MAX_BLOCKS = 50;

const channel: DataField = { kind: 'text', description: 'The channel.', required: true };
const message = {
  channel,
  text: { kind: 'text', description: 'The text in notifications.', max: MAX_TEXT_LENGTH, required: true },
  blocks: { kind: 'list', description: 'Block Kit blocks.', max: MAX_BLOCKS },
} as const;
const ts: DataField = { kind: 'text', description: 'The ts of the message.', required: true };
const user: DataField = { kind: 'text', description: 'The id of the user.', required: true };

export type SlackOperation = 'post_message' | 'update_message' | 'post_ephemeral' | 'get_user';

const connector = defineConnector({
  type: 'slack_call',
  version: '1.0.0',
  name: 'Slack',
  description: 'The calls of Slack that messages about decisions need.',
  icon: 'message-square',
  services: {
    api: {
      ...slackApi,
      title: 'Slack',
      operations: {
        post_message: {
          description: 'posts a message',
          method: 'POST',
          path: '/chat.postMessage',
          data: { fields: message, others: 'none' },
          body: (data) => data,
        },
        update_message: {
          description: 'updates a message',
          method: 'POST',
          path: '/chat.update',
          data: { fields: { ...message, ts }, others: 'none' },
          body: (data) => data,
        },
        post_ephemeral: {
          description: 'posts a message that only one user sees',
          method: 'POST',
          path: '/chat.postEphemeral',
          data: { fields: { ...message, user }, others: 'none' },
          body: (data) => data,
        },
        get_user: {
          description: 'reads a user',
          method: 'GET',
          path: '/users.info',
          data: { fields: { user }, others: 'none' },
          query: (data) => data,
        },
      },
    },
  },
  choose: () => 'api',
  connected: 'api',
  dataIn: 'data',
  result: "Slack's response",
  examples: [],
});

/** Not in the catalog. `data` contains texts of an execution, which are not templates. */
export const slackCall: NodeType = {
  ...connector,
  templates: { ...connector.templates, data: 'literal' },
};
