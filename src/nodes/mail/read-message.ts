import { Type } from 'typebox';
import type { Mailbox, MessageHead } from '../../contract/mail.ts';
import { HttpFailure } from '../../contract/node-type.ts';
import type { FileReference } from '../../contract/byte-source.ts';
import type { NodeContext } from '../../contract/node-type.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { DataError } from '../data/data-error.ts';
import { fileReference } from '../files/file-output.ts';
import { runDocument } from '../files/run-document.ts';

/** Bytes of a message; as `limits.mailMessage`. */
const MAX_MESSAGE_BYTES = 36 * 1024 * 1024;
/** Bytes of a larger message that are read for its headers. */
const MAX_HEADERS_BYTES = 256 * 1024;
/** Bytes of messages that are parsed together. */
const MAX_TOTAL_BYTES = 16 * 1024 * 1024;
const LINE_FEED = 10;
const UNREADABLE = 'The message cannot be read: it needs too much time or memory, or is too complex.';
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
type ReadMail = JsonObject & {
  attachments: { name: string; type: string; size: number }[];
  problem: string | null;
};
type Content = { mail: ReadMail; attachments: Buffer };
type Source = { head: MessageHead; bytes: Uint8Array };

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
 * Reads messages, and saves their attachments as files. A message that is too large or cannot be read has
 * only its headers, and the reason in `problem`; null: it no longer exists. Returns at least the first
 * message, and as many as fit in memory.
 * @throws {HttpFailure} {StoppedError}
 */
export async function readMessages(
  ctx: NodeContext,
  mailbox: Mailbox,
  heads: readonly MessageHead[],
): Promise<(JsonObject | null)[]> {
  const sources = await loadSources(mailbox, heads, MAX_MESSAGE_BYTES);
  const contents = await parseEach(ctx, sources);
  const messages: (JsonObject | null)[] = [];
  for (const [i, source] of sources.entries()) {
    const content = contents[i];
    if (source === null || content === null || content === undefined) messages.push(null);
    else messages.push(await createMessage(ctx, mailbox, source.head, content));
  }
  return messages;
}

/** Like `readMessages`, but reads only headers. */
export async function readHeaders(
  ctx: NodeContext,
  mailbox: Mailbox,
  heads: readonly MessageHead[],
): Promise<(JsonObject | null)[]> {
  const sources = await loadSources(mailbox, heads, MAX_HEADERS_BYTES);
  const contents = await parseEach(ctx, sources, true);
  return sources.map((source, i) => {
    const content = contents[i];
    if (source === null || content === null || content === undefined) return null;
    const {
      text: _text,
      html: _html,
      attachments: _attachments,
      problem: _problem,
      ...headers
    } = content.mail;
    return { ...describeHead(mailbox, source.head), ...headers };
  });
}

/** The sources of the first messages that fit in memory; null for a message that no longer exists. */
async function loadSources(
  mailbox: Mailbox,
  heads: readonly MessageHead[],
  maxBytes: number,
): Promise<(Source | null)[]> {
  const sources: (Source | null)[] = [];
  let total = 0;
  for (const head of heads) {
    const wanted = head.size > maxBytes ? MAX_HEADERS_BYTES : maxBytes;
    if (sources.length > 0 && total + Math.min(head.size, wanted) > MAX_TOTAL_BYTES) break;
    const bytes = await mailbox.source(head.uid, wanted);
    total += bytes?.length ?? 0;
    sources.push(bytes === null ? null : { head, bytes });
  }
  return sources;
}

async function createMessage(
  ctx: NodeContext,
  mailbox: Mailbox,
  head: MessageHead,
  { mail, attachments }: Content,
): Promise<JsonObject> {
  const saved = await saveAttachments(ctx, mail.attachments, attachments);
  const problems = [mail.problem, ...saved.problems].filter((one) => one !== null);
  return {
    ...describeHead(mailbox, head),
    ...mail,
    attachments: saved.files,
    problem: problems.length === 0 ? null : problems.join(' '),
  };
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

/** Parses the messages in one process, or each in its own if that fails. */
async function parseEach(
  ctx: NodeContext,
  sources: readonly (Source | null)[],
  headersOnly = false,
): Promise<(Content | null)[]> {
  const found = sources.filter((source) => source !== null);
  const together = found.length > 1 ? await parse(ctx, found, headersOnly) : null;
  const contents = new Map<Source, Content>();
  for (const [i, source] of found.entries()) {
    const content = together?.[i] ?? (await parse(ctx, [source], headersOnly))?.[0];
    contents.set(
      source,
      content ?? { mail: { ...EMPTY, problem: UNREADABLE }, attachments: Buffer.alloc(0) },
    );
  }
  return sources.map((source) => (source === null ? null : (contents.get(source) ?? null)));
}

/** Null when the process failed because of the messages. */
async function parse(
  ctx: NodeContext,
  sources: readonly Source[],
  headersOnly: boolean,
): Promise<Content[] | null> {
  const parts = sources.map(({ head, bytes }) => ({
    size: bytes.length,
    headersOnly: headersOnly || head.size > MAX_MESSAGE_BYTES,
  }));
  let bytes: Buffer;
  try {
    const content = Buffer.concat(sources.map((source) => source.bytes));
    bytes = await runDocument(ctx, { program: 'mail', task: { parts }, content });
  } catch (error) {
    if (error instanceof DataError && MESSAGE_ERRORS.has(error.type)) return null;
    throw error;
  }
  let at = 0;
  const contents: Content[] = [];
  for (const { head } of sources) {
    const end = bytes.indexOf(LINE_FEED, at);
    const mail = JSON.parse(bytes.toString('utf8', at, end)) as ReadMail;
    const size = mail.attachments.reduce((sum, one) => sum + one.size, 0);
    at = end + 1 + size;
    const problem = head.size > MAX_MESSAGE_BYTES && !headersOnly ? describeSize(head.size) : mail.problem;
    contents.push({ mail: { ...mail, problem }, attachments: bytes.subarray(end + 1, at) });
  }
  return contents;
}

function describeSize(size: number): string {
  return `The message has ${size} bytes; messages of more than ${MAX_MESSAGE_BYTES} bytes are not read.`;
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
