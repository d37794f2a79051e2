import { Type } from 'typebox';
import { MAX_ASSIGNEES } from '../../../contract/decisions/decisions.ts';
import type { FieldError } from '../../../contract/errors.ts';
import { roles } from '../../../contract/principal.ts';
import { isObject, type JsonObject } from '../../../lib/json/json.ts';
import { parseDuration } from '../../../lib/time/duration.ts';
import { validateCredentials } from '../../connectors/credentials.ts';
import { readAddresses } from '../../connectors/mail-address.ts';
import { closed, duration } from '../../schema.ts';
import { isTemplated } from '../../template-mode.ts';
import { ui } from '../../ui-hints.ts';
import { slackField, validateSlack } from './slack/slack-config.ts';

/** The configuration that nodes which ask people have in common. */

export const MAX_TITLE_LENGTH = 200;
export const DEFAULT_DEADLINE = '30d';
export const PERSON_ISSUE = `must be an e-mail address or one of: ${roles.map((role) => `role:${role}`).join(', ')}`;

export const peopleFields = {
  assignees: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 320 }), {
      maxItems: MAX_ASSIGNEES,
      ...ui({ order: 3 }),
      description:
        'Who is asked: e-mail addresses of users or of other people, role:admin or role:member. Users with a role are determined when the node asks. Default: you.',
    }),
  ),
};

export const noticeFields = {
  email: Type.Optional(
    closed(
      {
        credentials: Type.String({
          minLength: 1,
          ...ui({ control: 'secret' }),
          description:
            'The SMTP server: a secret with smtp://user:password@host:port, or smtps:// for implicit TLS, as in the node Email.',
        }),
        from: Type.String({
          minLength: 1,
          ...ui({ placeholder: 'Weft <weft@example.com>', hint: '' }),
          description: 'The sender: one address such as Weft <weft@example.com>.',
        }),
      },
      {
        title: 'E-mail',
        ...ui({ advanced: true }),
        description:
          'Sends each person an e-mail with a link to a page with the question. Required for people without an account, unless they respond in Slack.',
      },
    ),
  ),
  slack: slackField,
  reminders: Type.Optional(
    Type.Array(duration(), {
      maxItems: 10,
      ...ui({ advanced: true }),
      description:
        'When people who have not responded get the e-mail again: durations since the question, in ascending order, such as 1d and 3d.',
    }),
  ),
};

/** How the fields of notices are treated, for each node type that has them. */
export const noticeTemplates = { 'slack.signing_secret': 'literal', 'slack.connection': 'literal' } as const;
export const noticeSecrets = { 'email.credentials': 'request', 'slack.credentials': 'request' } as const;

/** Validates who is asked, and how they are notified. */
export function validateNotices(config: JsonObject): FieldError[] {
  const { assignees, email, reminders } = config;
  const errors = [...validatePeople(assignees, 'assignees'), ...validateSlack(config)];
  if (isObject(email)) errors.push(...validateEmail(email));
  const times = (Array.isArray(reminders) ? reminders : []).map((text) =>
    typeof text === 'string' ? parseDuration(text) : null,
  );
  for (const [i, time] of times.entries())
    if (time !== null && i > 0 && time <= (times[i - 1] ?? time))
      errors.push({ field: `reminders[${i}]`, issue: 'must be longer than the reminder before it' });
  if (times.length > 0 && email === undefined)
    errors.push({ field: 'email', issue: 'is required for reminders' });
  return errors;
}

export function validatePeople(people: unknown, field: string): FieldError[] {
  return (Array.isArray(people) ? people : []).flatMap((person, i) =>
    typeof person === 'string' && !isTemplated(person) && !isPerson(person)
      ? [{ field: `${field}[${i}]`, issue: PERSON_ISSUE }]
      : [],
  );
}

function validateEmail({ credentials, from }: JsonObject): FieldError[] {
  const errors = validateCredentials({ credentials: credentials ?? null }).map(({ issue }) => ({
    field: 'email.credentials',
    issue,
  }));
  if (typeof from === 'string' && !isTemplated(from) && toAddress(from) === null)
    errors.push({ field: 'email.from', issue: 'must be exactly one address' });
  return errors;
}

export function isPerson(text: string): boolean {
  return roles.some((role) => text === `role:${role}`) || toAddress(text) !== null;
}

/** Null unless the text is exactly one e-mail address. */
export function toAddress(text: string): string | null {
  const found = readAddresses(text);
  return typeof found === 'string' || found.length !== 1 ? null : (found[0]?.address ?? null);
}
