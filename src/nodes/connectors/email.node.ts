import { createHash } from 'node:crypto';
import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { FieldError } from '../../contract/errors.ts';
import type { Mail, MailAddress, MailServer, SentMail } from '../../contract/mail.ts';
import { HttpFailure } from '../../contract/node-type.ts';
import type { NodeContext, Outcome } from '../../contract/node-type.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { isObject } from '../../lib/json/json.ts';
import { defineNode } from '../define-node.ts';
import { done, invalid, invalidFields } from '../outcome.ts';
import { closed, oneOfTexts } from '../schema.ts';
import { isTemplated } from '../template-mode.ts';
import {
  connectionField,
  validateCredentials,
  credentialsField,
  CredentialsError,
  listNamedConnection,
} from './credentials.ts';
import { readAddresses } from './mail-address.ts';
import { validateAttachments, loadAttachments } from './mail-attachment.ts';
import { readSmtpUrl } from './smtp-url.ts';
import { ui, type UiHints } from '../ui-hints.ts';

const MAX_SUBJECT_LENGTH = 2_000;
const LISTS = ['from', 'to', 'cc', 'bcc', 'reply_to'] as const;

const addresses = (description: string, hints: UiHints = {}) =>
  Type.Unsafe<string | string[]>({
    type: ['string', 'array'],
    items: { type: 'string' },
    description,
    ...ui(hints),
  });

const EmailConfig = closed({
  service: oneOfTexts(['smtp'], ui({ hidden: true })),
  operation: oneOfTexts(['send'], ui({ hidden: true })),
  credentials: credentialsField(
    'The secret contains smtp://user:password@host:port, or smtps:// for implicit TLS. ?tls=required requires STARTTLS, ?tls=off disables it',
  ),
  connection: connectionField(
    'The name of a connection (a connected account) whose token is used instead of the password (XOAUTH2). The secret then contains smtp://user@host:port.',
  ),
  template: closed(
    {
      from: Type.String({
        minLength: 1,
        ...ui({ order: 1, placeholder: 'Shop <shop@example.com>', hint: '' }),
        description: 'The sender: one address such as Ada Lovelace <ada@example.com>.',
      }),
      to: Type.Optional(
        addresses('Recipients: one address, several separated by commas, or a list.', {
          order: 2,
          placeholder: 'ada@example.com, bob@example.com',
          hint: '',
        }),
      ),
      cc: Type.Optional(
        addresses('Copy recipients, in the same format as to.', { advanced: true, hint: '' }),
      ),
      bcc: Type.Optional(
        addresses('Blind copy recipients, in the same format as to. They are not visible in the email.', {
          advanced: true,
          hint: '',
        }),
      ),
      reply_to: Type.Optional(
        addresses('The address for replies, in the same format as to.', { advanced: true, hint: '' }),
      ),
      subject: Type.Optional(Type.String({ maxLength: MAX_SUBJECT_LENGTH })),
      text: Type.Optional(Type.String()),
      html: Type.Optional(
        Type.String({
          ...ui({ advanced: true }),
          description: 'The HTML body. Escape external data: {{ input.name | escape_html }}.',
        }),
      ),
      attachments: Type.Optional(
        Type.Unsafe<Json[]>({
          type: 'array',
          ...ui({ advanced: true }),
          description:
            'Files ({"$file": …}) or {filename, content, content_type, encoding}. content is a string or a file; encoding is utf-8 (default) or base64.',
        }),
      ),
    },
    { title: 'Message' },
  ),
});
type EmailConfig = Static<typeof EmailConfig>;

export const email = defineNode({
  type: 'email',
  version: '1.0.0',
  name: 'Email',
  category: 'connector',
  description:
    'Sends an email by SMTP. The result is {message_id, accepted, rejected}. The node fails if the server rejects all recipients. A 4xx reply of the server fails with server_error, 5xx with client_error, which is not retried. The Message-ID stays the same across retries and restarts. SMTP cannot detect duplicates, so an email may arrive twice if the connection or the process ends before the reply of the server.',
  icon: 'mail',
  keywords: ['mail', 'smtp', 'send email', 'send mail', 'message', 'gmail', 'attachment'],
  config: EmailConfig,
  templates: { service: 'literal', operation: 'literal', connection: 'literal' },
  connections: listNamedConnection,
  output: Type.Object({
    message_id: Type.String(),
    accepted: Type.Array(Type.String()),
    rejected: Type.Array(Type.String()),
  }),
  outputs: [{ name: 'out', type: 'object', description: '{message_id, accepted, rejected}' }],
  effects: 'external',
  secrets: { credentials: 'request' },
  timeout: 120_000,
  check: (config) => [
    ...validateCredentials(config),
    ...(isObject(config['template']) ? validateTemplate(config['template'], isTemplated) : []),
  ],
  run: send,
  examples: [
    {
      title: 'Send a receipt',
      config: {
        service: 'smtp',
        operation: 'send',
        credentials: '{{ secrets.MAIL }}',
        template: {
          from: 'Shop <shop@example.com>',
          to: '{{ input.email }}',
          subject: 'Your order {{ input.id }}',
          text: 'Dear {{ input.name }}, your order is on its way.',
          html: '<p>Dear {{ input.name | escape_html }}, your order is on its way.</p>',
        },
      },
      input: { id: 'o-17', name: 'Ada', email: 'ada@example.com' },
      outputs: {
        out: {
          message_id: '<5f3c2a@example.com>',
          accepted: ['ada@example.com'],
          rejected: [],
        },
      },
    },
    {
      title: 'Send to several recipients with attachments',
      config: {
        service: 'smtp',
        operation: 'send',
        credentials: '{{ secrets.MAIL }}',
        template: {
          from: 'reports@example.com',
          to: ['ada@example.com', '"Babbage, Charles" <cb@example.com>'],
          reply_to: 'desk@example.com',
          subject: 'Weekly report',
          text: 'See the attachment.',
          attachments: [
            { filename: 'report.csv', content: '{{ input.csv }}', content_type: 'text/csv' },
            '{{ input.chart }}',
          ],
        },
        retryPolicy: { maxAttempts: 4, retryConditions: ['network', 'timeout', 'server_error'] },
      },
      input: {
        csv: 'day,orders\nMonday,17\n',
        chart: { $file: { id: 'file_1', name: 'chart.png', content_type: 'image/png', size: 2048 } },
      },
      outputs: {
        out: {
          message_id: '<91bb07@example.com>',
          accepted: ['ada@example.com', 'cb@example.com'],
          rejected: [],
        },
      },
    },
  ],
});

/** Output of templates is data: braces in it are not placeholders. */
const isNever = (): boolean => false;

/** Validates the template. Values for which `isOpen` returns true are validated later. */
function validateTemplate(template: JsonObject, isOpen: (value: unknown) => boolean): FieldError[] {
  const errors: FieldError[] = LISTS.flatMap((name) => {
    const read = readList(template[name], isOpen);
    if (typeof read === 'string') return [{ field: `template.${name}`, issue: read }];
    return name === 'from' && read !== null && read.length !== 1
      ? [{ field: 'template.from', issue: 'must be exactly one address' }]
      : [];
  });
  if (
    ['to', 'cc', 'bcc'].every((name) => template[name] === undefined || isEmptyList(template[name], isOpen))
  )
    errors.push({ field: 'template.to', issue: 'is required unless cc or bcc is set' });
  const { subject } = template;
  if (typeof subject === 'string' && !isOpen(subject) && /[\p{Cc}\p{Cs}\u2028\u2029]/u.test(subject))
    errors.push({
      field: 'template.subject',
      issue: 'must not contain line breaks or other control characters',
    });
  return [...errors, ...validateAttachments(template['attachments'], isOpen)];
}

function isEmptyList(value: Json | undefined, isOpen: (value: unknown) => boolean): boolean {
  const read = readList(value, isOpen);
  return read !== null && typeof read !== 'string' && read.length === 0;
}

/**
 * The addresses of a field; null while it contains a placeholder; a string with the error if it is invalid.
 */
function readList(
  value: Json | undefined,
  isOpen: (value: unknown) => boolean,
): MailAddress[] | null | string {
  if (value === undefined) return [];
  const found: MailAddress[] = [];
  for (const one of Array.isArray(value) ? value : [value]) {
    if (isOpen(one)) return null;
    const read = typeof one === 'string' ? readAddresses(one) : 'must be a string or a list of strings';
    if (typeof read === 'string') return read;
    found.push(...read);
  }
  return found;
}

async function send(ctx: NodeContext, config: EmailConfig): Promise<Outcome> {
  const { template } = config;
  const errors = validateTemplate(template as unknown as JsonObject, isNever);
  if (errors.length > 0) return invalidFields(errors);
  const [fromList, to, cc, bcc, replyTo] = LISTS.map((name) => parseAddresses(template[name]));
  const from = fromList?.[0];
  if (from === undefined) return invalid('template.from', 'must be exactly one address');
  const server = readServer(config.credentials);
  if (typeof server === 'string') return invalid('credentials', server);
  if (config.connection !== undefined && (server.user === null || server.password !== null))
    return invalid(
      'credentials',
      'the secret must contain smtp://user@host:port without a password when connection is set',
    );
  const attachments = await loadAttachments(ctx, template.attachments ?? []);
  if (!Array.isArray(attachments)) return invalid(attachments.field, attachments.issue);
  const messageId = createMessageId(ctx.idempotencyKey, from.address);
  const mail: Mail = {
    messageId,
    date: ctx.now(),
    from,
    to: to ?? [],
    cc: cc ?? [],
    bcc: bcc ?? [],
    replyTo: replyTo ?? [],
    subject: template.subject ?? '',
    text: template.text ?? null,
    html: template.html ?? null,
    attachments,
  };
  const sent =
    config.connection === undefined
      ? await ctx.mail.send(server, mail)
      : await sendConnected(ctx, server, mail, config.connection);
  if (sent === null)
    return invalid('connection', 'must be a connection with a token: of OAuth, or with a bearer token');
  const { accepted, rejected } = sent;
  if (rejected.length > 0)
    ctx.log('warning', `The server rejected ${rejected.length} recipients`, { rejected });
  return done({ message_id: `<${messageId}>`, accepted, rejected });
}

/**
 * If the server rejects the token (5xx to AUTH), it has accepted nothing yet, so the node tries once more
 * with a new token. Null: the connection has no token.
 */
async function sendConnected(
  ctx: NodeContext,
  server: MailServer,
  mail: Mail,
  connection: string,
): Promise<SentMail | null> {
  const { token } = await ctx.http.connection(connection);
  if (token === null) return null;
  try {
    return await ctx.mail.send({ ...server, token }, mail);
  } catch (error) {
    if (!(error instanceof HttpFailure) || error.failure.status !== 535) throw error;
    const { token: next } = await ctx.http.connection(connection, token);
    if (next === null || next === token) throw error;
    return ctx.mail.send({ ...server, token: next }, mail);
  }
}

/** The addresses of a validated field. */
function parseAddresses(value: string | string[] | undefined): MailAddress[] {
  const read = readList(value, isNever);
  return Array.isArray(read) ? read : [];
}

function readServer(credentials: string) {
  try {
    return readSmtpUrl(credentials);
  } catch (error) {
    if (error instanceof CredentialsError) return error.message;
    throw error;
  }
}

/** The same for every attempt of a node run, so that the recipient can detect duplicates. */
function createMessageId(idempotencyKey: string, from: string): string {
  const hash = createHash('sha256').update(idempotencyKey).digest('hex').slice(0, 40);
  return `${hash}@${from.slice(from.lastIndexOf('@') + 1)}`;
}
