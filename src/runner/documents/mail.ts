import { simpleParser } from 'mailparser';
import type { AddressObject, EmailAddress, ParsedMail } from 'mailparser';
import type { Json, JsonObject } from '../../lib/json/json.ts';

/** Maximum length of the text and of the HTML, in characters. Longer ones are cut. */
const MAX_TEXT_LENGTH = 2 * 1024 * 1024;
/** HTML parts longer than this many characters are not converted to text. */
const MAX_CONVERTED_HTML_LENGTH = 1024 * 1024;
const MAX_ATTACHMENTS = 100;
const MAX_ADDRESSES = 1_000;
const MAX_REFERENCES = 1_000;
/** Maximum length of a header value, in characters. */
const MAX_HEADER_LENGTH = 10_000;
const MAX_PARTS = 1_000;

/** A message in a document with several. `headersOnly`: reads only headers; it may be truncated. */
export type MailPart = { size: number; headersOnly: boolean };

/**
 * Reads messages that follow each other in a document. The result has a line of JSON for each with its
 * headers, texts and the names, types and sizes of its attachments, and then these attachments. A message
 * that cannot be read has only its headers, as far as they can be read, and the reason in `problem`.
 */
export async function* readMails(
  document: Buffer,
  parts: readonly MailPart[],
): AsyncGenerator<string | Buffer, void> {
  let at = 0;
  for (const { size, headersOnly } of parts) {
    const message = document.subarray(at, at + size);
    at += size;
    const mail = headersOnly ? await parse(cutBody(message)) : await parse(message);
    if (typeof mail !== 'string' && !headersOnly) {
      yield* printMail(mail);
      continue;
    }
    const headers = typeof mail === 'string' ? await parse(cutBody(message)) : mail;
    const head = readHead(typeof headers === 'string' ? {} : headers);
    const problem = typeof mail === 'string' ? `The message cannot be read: ${mail}.` : null;
    yield `${JSON.stringify({ ...head, text: null, html: null, attachments: [], problem })}\n`;
  }
}

function* printMail(mail: ParsedMail): Generator<string | Buffer, void> {
  const head = readHead(mail);
  const problems: string[] = [];
  const text = cut(mail.text, 'text', problems);
  const html = cut(mail.html === false ? undefined : mail.html, 'HTML', problems);
  if (mail.textConversionError !== undefined && (mail.text ?? '') === '')
    problems.push('The HTML could not be converted to text.');
  if (mail.attachments.length > MAX_ATTACHMENTS)
    problems.push(
      `The message has ${mail.attachments.length} attachments; only the first ${MAX_ATTACHMENTS} are read.`,
    );
  const attachments = mail.attachments.slice(0, MAX_ATTACHMENTS);
  const about = attachments.map(({ filename, contentType, content }, i) => ({
    name: clean(filename) ?? `attachment-${i + 1}`,
    type: contentType,
    size: content.length,
  }));
  const problem = problems.length === 0 ? null : problems.join(' ');
  yield `${JSON.stringify({ ...head, text, html, attachments: about, problem })}\n`;
  for (const { content } of attachments) yield content;
}

function cutBody(document: Buffer): Buffer {
  const ends = ['\r\n\r\n', '\n\n'].map((end) => document.indexOf(end)).filter((at) => at >= 0);
  return ends.length === 0 ? document : document.subarray(0, Math.min(...ends) + 1);
}

/** Returns the reason when the message cannot be read. */
async function parse(document: Buffer): Promise<ParsedMail | string> {
  try {
    return await simpleParser(document, {
      skipTextToHtml: true,
      skipTextLinks: true,
      keepCidLinks: true,
      checksumAlgo: false,
      maxHtmlLengthToParse: MAX_CONVERTED_HTML_LENGTH,
      maxChildNodes: MAX_PARTS,
    });
  } catch (error) {
    // A message that is nested too deeply for the library.
    if (error instanceof RangeError) return 'it is nested too deeply';
    if (error instanceof Error) return error.message;
    throw error;
  }
}

function readHead(mail: Partial<ParsedMail>): JsonObject {
  const { references, date } = mail;
  const ids = typeof references === 'string' ? [references] : (references ?? []);
  return {
    from: listAddresses(mail.from)[0] ?? null,
    to: listAddresses(mail.to),
    cc: listAddresses(mail.cc),
    reply_to: listAddresses(mail.replyTo),
    subject: clean(mail.subject),
    date: date === undefined || Number.isNaN(date.getTime()) ? null : date.toISOString(),
    message_id: clean(mail.messageId),
    in_reply_to: clean(mail.inReplyTo),
    references: ids
      .slice(0, MAX_REFERENCES)
      .map(clean)
      .filter((id) => id !== null),
  };
}

function listAddresses(header: AddressObject | AddressObject[] | undefined): Json[] {
  const found: Json[] = [];
  const add = (address: EmailAddress): void => {
    for (const member of address.group ?? []) add(member);
    if (address.group !== undefined || found.length >= MAX_ADDRESSES) return;
    if ((address.address ?? '') === '' && address.name === '') return;
    found.push({ name: clean(address.name) ?? '', address: clean(address.address) ?? '' });
  };
  for (const { value } of Array.isArray(header) ? header : header === undefined ? [] : [header])
    for (const address of value) add(address);
  return found;
}

function cut(text: string | undefined, what: string, problems: string[]): string | null {
  if (text === undefined) return null;
  const whole = text.toWellFormed();
  if (whole.length <= MAX_TEXT_LENGTH) return whole;
  problems.push(`The ${what} has ${whole.length} characters; only the first ${MAX_TEXT_LENGTH} are read.`);
  return whole.slice(0, MAX_TEXT_LENGTH).toWellFormed();
}

function clean(text: string | undefined): string | null {
  return text === undefined || text === '' ? null : text.slice(0, MAX_HEADER_LENGTH).toWellFormed();
}
