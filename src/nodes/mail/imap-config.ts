import { Type } from 'typebox';
import { output } from '../output-schema.ts';
import { closed, tagged } from '../schema.ts';
import { ui } from '../ui-hints.ts';
import { criteriaFields, mailboxFields } from './mailbox-fields.ts';
import type { MailboxConfig, readCriteria } from './mailbox-fields.ts';
import { messageSchema } from './read-message.ts';

export const DEFAULT_LIMIT = 50;
/** Maximum number of messages of one search, and of UIDs. */
export const MAX_LIMIT = 1_000;

const optionalText = (title: string, description: string) =>
  Type.Optional(
    Type.String({ minLength: 1, maxLength: 1_000, title, ...ui({ advanced: true, hint: '' }), description }),
  );

const uidValidity = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 20,
    title: 'UID validity',
    ...ui({ advanced: true }),
    description:
      'The uid_validity of the message. If the server has assigned new UIDs since, the node fails instead of using another message.',
  }),
);
const uids = Type.Unsafe<number | number[]>({
  type: ['integer', 'array'],
  items: { type: 'integer' },
  title: 'UIDs',
  ...ui({ order: 10, hint: '', placeholder: '{{ input.uid }}' }),
  description:
    'The UID of a message, or a list of at most 1,000 UIDs. Messages that no longer exist are skipped.',
});
const flags = (title: string, description: string, order: number) =>
  Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 101 }), {
      maxItems: 20,
      title,
      ...ui({ order, hint: '' }),
      description,
    }),
  );

/** The operations of the `imap` node. */
export const imapConfig = tagged('operation', [
  closed(
    {
      operation: Type.Literal('search'),
      ...mailboxFields,
      ...criteriaFields,
      to: optionalText('Recipient contains', 'Only messages with this text in the To header.'),
      text: optionalText(
        'Message contains',
        'Only messages that contain this text in their headers or content.',
      ),
      message_id: optionalText('Message-ID', 'Only messages whose Message-ID contains this text.'),
      before: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 40,
          title: 'Received before',
          ...ui({ advanced: true, hint: '', placeholder: '2026-01-31' }),
          description: 'Only messages received before this date (YYYY-MM-DD).',
        }),
      ),
      flagged: Type.Optional(
        Type.Boolean({
          default: false,
          title: 'Only flagged messages',
          ...ui({ advanced: true, hint: '' }),
          description: 'Only messages with the flag \\Flagged.',
        }),
      ),
      limit: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: MAX_LIMIT,
          default: DEFAULT_LIMIT,
          title: 'Maximum messages',
          ...ui({ order: 20, hint: '' }),
          description: 'The maximum number of messages to return, newest first.',
        }),
      ),
      content: Type.Optional(
        Type.Boolean({
          default: false,
          title: 'Read texts and attachments',
          ...ui({ order: 21, hint: '' }),
          description: 'Whether to read the whole messages. Otherwise, only their headers are read.',
        }),
      ),
    },
    {
      title: 'Search messages',
      ...output(Type.Object({ messages: Type.Array(Type.Object(messageSchema)), total: Type.Integer() })),
    },
  ),
  closed(
    {
      operation: Type.Literal('get'),
      ...mailboxFields,
      uid: Type.Integer({
        minimum: 1,
        title: 'UID',
        ...ui({ order: 10, hint: '', placeholder: '{{ input.uid }}' }),
        description: 'The UID of the message.',
      }),
      uid_validity: uidValidity,
    },
    { title: 'Get a message', ...output(Type.Object(messageSchema)) },
  ),
  closed(
    {
      operation: Type.Literal('move'),
      ...mailboxFields,
      uids,
      move_to: Type.String({
        minLength: 1,
        maxLength: 1_000,
        title: 'Move to mailbox',
        ...ui({ order: 11, hint: '', placeholder: 'Archive' }),
        description: 'The mailbox to move the messages to. It must exist.',
      }),
      uid_validity: uidValidity,
    },
    { title: 'Move messages', ...output(Type.Object({ moved: Type.Array(Type.Integer()) })) },
  ),
  closed(
    {
      operation: Type.Literal('flag'),
      ...mailboxFields,
      uids,
      add: flags('Flags to add', 'Flags to add, such as \\Seen, \\Flagged or a keyword.', 11),
      remove: flags('Flags to remove', 'Flags to remove, such as \\Seen.', 12),
      uid_validity: uidValidity,
    },
    { title: 'Flag messages', ...output(Type.Object({ flagged: Type.Array(Type.Integer()) })) },
  ),
]);
export type ImapConfig = MailboxConfig & {
  operation: 'search' | 'get' | 'move' | 'flag';
  uid?: number;
  uids?: number | number[];
  uid_validity?: string;
  move_to?: string;
  add?: string[];
  remove?: string[];
  limit?: number;
  content?: boolean;
} & Parameters<typeof readCriteria>[0];
