import { Type } from 'typebox';
import type { Mailbox, MessageHead } from '../../contract/mail.ts';
import { HttpFailure } from '../../contract/node-type.ts';
import type { FileReference, NodeContext } from '../../contract/node-type.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { DataError } from '../data/data-error.ts';
import { fileReference } from '../files/file-output.ts';
import { runDocument } from '../files/run-document.ts';

/** Bytes of a message; as `limits.mailMessage`. */
const MAX_MESSAGE = 36 * 1024 * 1024;
/** Bytes of a larger message that are read for its headers. */
const MAX_HEADERS = 256 * 1024;
const LINE_FEED = 10;
/** Types of errors that depend on the message, and not on the state of the service. */
const MESSAGE_ERRORS = new Set(['validation', 'limit', 'timeout']);

const textOrNull = Type.Union([Type.String(), Type.Null()]);
const date = Type.Union([Type.String({ format: 'date-time' }), Type.Null()]);
const address = Type.Object({ name: Type.String(), address: Type.String({ examples: ['ada@example.com'] }) });

/** The fields of a message without its content. */
export const messageHeadSchema = {
  uid: Type.Integer(),
  uid_validity: Type.String(),
  from: Type.Union([address, Type.Null()]),
  to: Type.Array(address),
  cc: Type.Array(address),
  reply_to: Type.Array(address),
  subject: textOrNull,
  date,
  received_at: date,
  message_id: textOrNull,
  in_reply_to: textOrNull,
  references: Type.Array(Type.String()),
  flags: Type.Array(Type.String()),
  size: Type.Integer({ description: 'In bytes, encoded.' }),
};

export const messageSchema = {
  ...messageHeadSchema,
  text: textOrNull,
  html: textOrNull,
  attachments: Type.Array(fileReference),
  problem: Type.Union([Type.String(), Type.Null()], {
    description: 'Why a part of the message is missing; null when it is complete.',
  }),
};

/** A message in the form that `src/runner/documents/mail.ts` writes. */
type ReadMail = JsonObject & { attachments: { name: string; type: string; size: number }[]; problem: Json };
type Content = { mail: ReadMail; attachments: Buffer };

const EMPTY: ReadMail = {
  from: null,
  to: [],
  cc: [],
  reply_to: [],
  subject: null,
  date: null,
  message_id: null,
  in_reply_to: null,
  references: [],
  text: null,
  html: null,
  attachments: [],
  problem: null,
};

/**
 * Reads a message, and saves its attachments as files. A message that is too large or cannot be read has only its headers, and
 * the reason in `problem`. Null when it no longer exists. @throws {HttpFailure} {StoppedError}
 */
export async function readMessage(
  ctx: NodeContext,
  mailbox: Mailbox,
  head: MessageHead,
): Promise<JsonObject | null> {
  const isTooLarge = head.size > MAX_MESSAGE;
  const source = await mailbox.source(head.uid, isTooLarge ? MAX_HEADERS : MAX_MESSAGE);
  if (source === null) return null;
  const { mail, attachments } = isTooLarge
    ? await parseHeaders(
        ctx,
        source,
        `The message has ${head.size} bytes; messages of more than ${MAX_MESSAGE} bytes are not read.`,
      )
    : await parseWhole(ctx, source);
  const saved = await saveAttachments(ctx, mail.attachments, attachments);
  const problems = [mail.problem, ...saved.problems].filter((one) => one !== null);
  return {
    ...describeHead(mailbox, head),
    ...mail,
    attachments: saved.files,
    problem: problems.length === 0 ? null : problems.join(' '),
  };
}

/** Reads only the headers of a message. Null when it no longer exists. */
export async function readHeaders(
  ctx: NodeContext,
  mailbox: Mailbox,
  head: MessageHead,
): Promise<JsonObject | null> {
  const source = await mailbox.source(head.uid, MAX_HEADERS);
  if (source === null) return null;
  const { mail } = await parseHeaders(ctx, source, null);
  const { text: _text, html: _html, attachments: _attachments, problem: _problem, ...headers } = mail;
  return { ...describeHead(mailbox, head), ...headers };
}

function describeHead(mailbox: Mailbox, { uid, size, receivedAt, flags }: MessageHead): JsonObject {
  return {
    uid,
    uid_validity: mailbox.validity,
    received_at: receivedAt === null ? null : new Date(receivedAt).toISOString(),
    flags,
    size,
  };
}

async function parseWhole(ctx: NodeContext, source: Uint8Array): Promise<Content> {
  try {
    return await parse(ctx, source, false);
  } catch (error) {
    if (!isMessageError(error)) throw error;
    const start = source.subarray(0, MAX_HEADERS);
    return await parseHeaders(ctx, start, `The message ${error.message}.`);
  }
}

async function parseHeaders(ctx: NodeContext, start: Uint8Array, problem: string | null): Promise<Content> {
  try {
    const { mail, attachments } = await parse(ctx, start, true);
    return { mail: { ...mail, problem }, attachments };
  } catch (error) {
    if (!isMessageError(error)) throw error;
    const text = [problem, `Its headers ${error.message}.`].filter((one) => one !== null).join(' ');
    return { mail: { ...EMPTY, problem: text }, attachments: Buffer.alloc(0) };
  }
}

function isMessageError(error: unknown): error is DataError {
  return error instanceof DataError && MESSAGE_ERRORS.has(error.type);
}

async function parse(ctx: NodeContext, content: Uint8Array, headersOnly: boolean): Promise<Content> {
  const bytes = await runDocument(ctx, { program: 'mail', task: { headersOnly }, content });
  const end = bytes.indexOf(LINE_FEED);
  return {
    mail: JSON.parse(bytes.toString('utf8', 0, end)) as ReadMail,
    attachments: bytes.subarray(end + 1),
  };
}

/** An attachment that is larger than the server allows is left out. */
async function saveAttachments(
  ctx: NodeContext,
  about: ReadMail['attachments'],
  contents: Buffer,
): Promise<{ files: FileReference[]; problems: string[] }> {
  const files: FileReference[] = [];
  const problems: string[] = [];
  let at = 0;
  for (const { name, type, size } of about) {
    const bytes = contents.subarray(at, at + size);
    at += size;
    try {
      files.push(await ctx.files.save({ name, contentType: type, bytes }));
    } catch (error) {
      if (!(error instanceof HttpFailure) || error.failure.type !== 'limit') throw error;
      problems.push(`The attachment ${name} is missing: ${error.message}.`);
    }
  }
  return { files, problems };
}
