import { Type } from 'typebox';
import type { FieldError } from '../../contract/errors.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { criteriaFields, mailboxFields, validateMailbox } from '../mail/mailbox-fields.ts';
import { messageSchema } from '../mail/read-message.ts';
import { output } from '../output-schema.ts';
import { closed, oneOfTexts } from '../schema.ts';
import { isTemplated } from '../template-mode.ts';
import { ui } from '../ui-hints.ts';
import { polling } from './polling-config.ts';
import { validateSchedule } from './schedule-check.ts';

const { interval, timezone, maxItems } = polling.properties;

/** What happens to a message after its execution has started. */
const afterwards = {
  mark_seen: Type.Optional(
    Type.Boolean({
      default: false,
      title: 'Mark as read afterwards',
      ...ui({ order: 14, hint: '' }),
      description: 'Marks a message as read when its execution has started.',
    }),
  ),
  move_to: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 1_000,
      title: 'Move to mailbox afterwards',
      ...ui({ advanced: true, hint: '', placeholder: 'Archive' }),
      description: 'Moves a message to this mailbox when its execution has started. The mailbox must exist.',
    }),
  ),
};

/** The fields of the requests to the server. */
export const mailboxPollFields = { ...mailboxFields, ...criteriaFields, ...afterwards };

/** Fields of an email trigger that may read secrets. */
export const mailboxSecrets = { user: 'request', password: 'request' } as const;

/** The trigger for new messages in a mailbox. */
export const newEmail = closed(
  {
    triggerType: Type.Literal('email'),
    ...mailboxPollFields,
    interval,
    cron: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        title: 'Schedule',
        ...ui({ control: 'schedule', order: 6 }),
        description:
          'A cron expression of five fields (minute hour day month weekday), or six with seconds first.',
      }),
    ),
    timezone,
    first: Type.Optional(
      oneOfTexts(['ignore', 'take'], {
        default: 'ignore',
        title: 'Messages that already exist',
        ...ui({ order: 13, hint: '', labels: { ignore: 'Ignore', take: 'Start executions' } }),
        description: 'Whether the first poll starts executions for messages that already exist.',
      }),
    ),
    maxItems,
  },
  {
    title: 'Email received',
    ...output(Type.Object({ ...messageSchema, polled_at: Type.String({ format: 'date-time' }) })),
  },
);

/** Validation that the schema cannot express. */
export function validateNewEmail(config: JsonObject): FieldError[] {
  const { host, mailbox = 'INBOX', move_to: target } = config;
  const errors = [...validateMailbox(config), ...validateSchedule(config)];
  if (isTemplated(host)) errors.push({ field: 'host', issue: 'must not contain a template' });
  if (target !== undefined && target === mailbox)
    errors.push({ field: 'move_to', issue: 'must be another mailbox' });
  return errors;
}
