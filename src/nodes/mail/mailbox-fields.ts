import { Type } from 'typebox';
import type { FieldError } from '../../contract/errors.ts';
import type { ImapServer, Mailbox, MessageCriteria } from '../../contract/mail.ts';
import { HttpFailure } from '../../contract/node-type.ts';
import type { NodeContext } from '../../contract/node-type.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { isHostName } from '../../lib/network/host-name.ts';
import { DataError } from '../data/data-error.ts';
import { connectionName, oneOfTexts } from '../schema.ts';
import { isTemplated } from '../template-mode.ts';
import { ui } from '../ui-hints.ts';

const PORTS = { implicit: 993, starttls: 143 } as const;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
/** Texts of commands. IMAP has no escape for a line break in them. */
const TEXT_FIELDS = ['user', 'password', 'mailbox', 'from', 'to', 'subject', 'text', 'message_id', 'move_to'];
const LINE_BREAK = /[\0\r\n]/;

/** The server, the account and the mailbox. */
export const mailboxFields = {
  host: Type.String({
    minLength: 1,
    maxLength: 253,
    title: 'IMAP server',
    ...ui({ order: 1, hint: '', placeholder: 'imap.example.com' }),
    description: 'The host name of the IMAP server, without a port.',
  }),
  port: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 65_535,
      title: 'Port',
      ...ui({ advanced: true, hint: 'Default: 993, or 143 with STARTTLS.' }),
      description: 'Default: 993, or 143 for tls starttls.',
    }),
  ),
  tls: Type.Optional(
    oneOfTexts(['implicit', 'starttls'], {
      default: 'implicit',
      title: 'TLS',
      ...ui({ advanced: true, hint: '', labels: { implicit: 'From the start', starttls: 'STARTTLS' } }),
      description:
        'TLS from the start, or after STARTTLS. A connection without TLS or with an invalid certificate is refused.',
    }),
  ),
  user: Type.String({
    minLength: 1,
    maxLength: 1_000,
    title: 'User name',
    ...ui({ order: 2, hint: '', placeholder: 'ada@example.com' }),
    description: 'The user name, often the email address.',
  }),
  password: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 10_000,
      title: 'Password',
      ...ui({ order: 3, control: 'secret', hint: '' }),
      description:
        'A stored secret with the password, such as {{ secrets.MAIL }}. Required unless connection is set.',
    }),
  ),
  connection: Type.Optional(
    connectionName({
      title: 'Connection',
      ...ui({ advanced: true, hint: 'A connected account whose token is used instead of a password.' }),
      description:
        'The name of a connection (a connected account) whose token is used instead of a password (XOAUTH2).',
    }),
  ),
  mailbox: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 1_000,
      default: 'INBOX',
      title: 'Mailbox',
      ...ui({ order: 5, hint: '' }),
      description: 'The name of the mailbox (folder), with its parents, such as Archive/2026.',
    }),
  ),
};

const textCriterion = (title: string, description: string, order: number) =>
  Type.Optional(
    Type.String({ minLength: 1, maxLength: 1_000, title, ...ui({ order, hint: '' }), description }),
  );
const dateCriterion = (title: string, description: string) =>
  Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 40,
      title,
      ...ui({ advanced: true, hint: '', placeholder: '2026-01-31' }),
      description,
    }),
  );

/** Conditions for messages. All of them must match. */
export const criteriaFields = {
  unseen: Type.Optional(
    Type.Boolean({
      default: false,
      title: 'Only unread messages',
      ...ui({ order: 10, hint: '' }),
      description: 'Only messages without the flag \\Seen.',
    }),
  ),
  from: textCriterion('Sender contains', 'Only messages whose sender contains this text.', 11),
  subject: textCriterion('Subject contains', 'Only messages whose subject contains this text.', 12),
  since: dateCriterion('Received since', 'Only messages received on this date (YYYY-MM-DD) or later.'),
};

export type MailboxConfig = {
  host: string;
  port?: number;
  tls?: 'implicit' | 'starttls';
  user: string;
  password?: string;
  connection?: string;
  mailbox?: string;
};

/** Validation that the schema cannot express. Values with placeholders are validated when the node runs. */
export function validateMailbox(config: JsonObject): FieldError[] {
  const { host, password, connection } = config;
  const errors: FieldError[] = [];
  if (typeof host === 'string' && !isTemplated(host) && !isHostName(host))
    errors.push({ field: 'host', issue: 'must be a host name or an IP address, without a port' });
  if (password === undefined && connection === undefined)
    errors.push({ field: 'password', issue: 'is required unless connection is set' });
  if (password !== undefined && connection !== undefined)
    errors.push({ field: 'password', issue: 'must not be set with connection' });
  if (typeof password === 'string' && !isTemplated(password))
    errors.push({
      field: 'password',
      issue: 'must be a stored secret such as {{ secrets.NAME }}, not the password itself',
    });
  for (const field of ['since', 'before'] as const) {
    const value = config[field];
    if (typeof value === 'string' && !isTemplated(value) && !isDate(value))
      errors.push({ field, issue: DATE_ISSUE });
  }
  errors.push(...validateTexts(config).filter(({ field }) => !isTemplated(config[field])));
  return errors;
}

const DATE_ISSUE = 'must be a date such as 2026-01-31';

function validateTexts(config: Readonly<Record<string, unknown>>): FieldError[] {
  const hasLineBreak = (value: unknown): boolean => typeof value === 'string' && LINE_BREAK.test(value);
  return TEXT_FIELDS.filter((field) => hasLineBreak(config[field])).map((field) => ({
    field,
    issue: 'must not contain line breaks or NUL',
  }));
}

function isDate(text: string): boolean {
  const time = DATE.test(text) ? Date.parse(text) : Number.NaN;
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

type Criteria = {
  unseen?: boolean;
  flagged?: boolean;
  from?: string;
  to?: string;
  subject?: string;
  text?: string;
  message_id?: string;
  since?: string;
  before?: string;
};

/** @throws {DataError} */
export function readCriteria(config: Criteria): MessageCriteria {
  const { unseen, message_id: messageId, ...rest } = config;
  for (const field of ['since', 'before'] as const) {
    const value = rest[field];
    if (value !== undefined && !isDate(value)) throw new DataError(field, DATE_ISSUE);
  }
  const { flagged, from, to, subject, text, since, before } = rest;
  return {
    ...(unseen === true ? { unseen } : {}),
    ...(flagged === true ? { flagged } : {}),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    ...(subject === undefined ? {} : { subject }),
    ...(text === undefined ? {} : { text }),
    ...(messageId === undefined ? {} : { messageId }),
    ...(since === undefined ? {} : { since }),
    ...(before === undefined ? {} : { before }),
  };
}

/**
 * Opens the mailbox of a configuration. If the server rejects the token of a connection, it is renewed once.
 * @throws {DataError} {HttpFailure}
 */
export async function openMailbox<T>(
  ctx: NodeContext,
  config: MailboxConfig,
  readOnly: boolean,
  work: (mailbox: Mailbox) => Promise<T>,
): Promise<T> {
  const { host, tls = 'implicit', user, password, connection, mailbox = 'INBOX' } = config;
  if (!isHostName(host)) throw new DataError('host', 'must be a host name or an IP address, without a port');
  const [wrong] = validateTexts(config);
  if (wrong !== undefined) throw new DataError(wrong.field, wrong.issue);
  const server = { host: host.toLowerCase(), port: config.port ?? PORTS[tls], tls, user };
  const open = (account: Pick<ImapServer, 'password' | 'token'>): Promise<T> =>
    ctx.mail.useMailbox({ ...server, ...account }, mailbox, readOnly, work);
  if (connection === undefined) {
    if (password === undefined) throw new DataError('password', 'is required unless connection is set');
    return open({ password });
  }
  const { token } = await ctx.http.connection(connection);
  if (token === null)
    throw new DataError('connection', 'must be a connection with a token: of OAuth, or with a bearer token');
  let isOpen = false;
  try {
    return await ctx.mail.useMailbox({ ...server, password: null, token }, mailbox, readOnly, (box) => {
      isOpen = true;
      return work(box);
    });
  } catch (error) {
    const isRejected = error instanceof HttpFailure && error.failure.type === 'client_error' && !isOpen;
    if (!isRejected) throw error;
    const { token: next } = await ctx.http.connection(connection, token);
    if (next === null || next === token) throw error;
    return open({ password: null, token: next });
  }
}
