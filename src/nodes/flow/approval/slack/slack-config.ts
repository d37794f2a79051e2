import { Type } from 'typebox';
import type { FieldError } from '../../../../contract/errors.ts';
import type { JsonObject } from '../../../../lib/json/json.ts';
import { isObject } from '../../../../lib/json/json.ts';
import { connectionField } from '../../../connectors/credentials.ts';
import { closed, secretName } from '../../../schema.ts';
import { ui } from '../../../ui-hints.ts';

const SECRET = /^\s*\{\{\s*secrets\.[A-Za-z_]\w*\s*\}\}\s*$/;

export type SlackConfig = {
  readonly channel: string;
  readonly credentials?: string;
  readonly connection?: string;
  readonly signing_secret: string;
};

/** The field of a node that asks people: a message with buttons in a channel of Slack. */
export const slackField = Type.Optional(
  closed(
    {
      channel: Type.String({
        minLength: 1,
        maxLength: 200,
        title: 'Channel',
        ...ui({
          placeholder: '#approvals',
          hint: 'A name or an ID. The bot must be a member of the channel.',
        }),
        description: 'The id or name of the channel. The bot must be a member of it.',
      }),
      credentials: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 65_536,
          title: 'Credentials',
          ...ui({
            control: 'account',
            hint: 'A connection to Slack, or a secret with a bot token (xoxb-…).',
          }),
          description:
            'A stored secret with a bot token (xoxb-…), or JSON with token and base_url, as {{ secrets.NAME }}.',
        }),
      ),
      connection: connectionField('The name of a connection (a connected account), instead of credentials.'),
      signing_secret: secretName({
        minLength: 1,
        maxLength: 200,
        title: 'Signing secret',
        description:
          'The name of a stored secret with the signing secret of the Slack app, by which the buttons are verified.',
      }),
    },
    {
      title: 'Slack',
      ...ui({ advanced: true }),
      description:
        'Posts a message with a button for each choice to a channel of Slack. People are recognized by the e-mail address of their Slack account.',
    },
  ),
);

/** The account is used again when the decision has ended, so it must not depend on the execution. */
export function validateSlack({ slack }: JsonObject): FieldError[] {
  if (!isObject(slack)) return [];
  const { credentials, connection } = slack;
  if (credentials === undefined && connection === undefined)
    return [{ field: 'slack.credentials', issue: 'is required unless slack.connection is set' }];
  if (credentials !== undefined && connection !== undefined)
    return [{ field: 'slack.connection', issue: 'must not be set with credentials' }];
  return typeof credentials === 'string' && !SECRET.test(credentials)
    ? [{ field: 'slack.credentials', issue: 'must be exactly one stored secret, such as {{ secrets.NAME }}' }]
    : [];
}

/** The connection that a node uses for Slack. */
export function listSlackConnections({ slack }: JsonObject): { field: string; name: string }[] {
  const name = isObject(slack) ? slack['connection'] : undefined;
  return typeof name === 'string' ? [{ field: 'slack.connection', name }] : [];
}
