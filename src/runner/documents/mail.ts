import { simpleParser } from 'mailparser';
import type { AddressObject, EmailAddress, ParsedMail } from 'mailparser';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { DocumentError } from './document-messages.ts';

/** Maximum length of the text and of the HTML, in characters. Longer ones are cut. */
const MAX_TEXT = 2 * 1024 * 1024;
/** HTML parts longer than this many characters are not converted to text. */
const MAX_CONVERTED_HTML = 1024 * 1024;
const MAX_ATTACHMENTS = 100;
const MAX_ADDRESSES = 1_000;
const MAX_REFERENCES = 1_000;
/** Maximum length of a header value, in characters. */
const MAX_HEADER = 10_000;
const MAX_PARTS = 1_000;

/**
 * Reads a message: a line of JSON with its headers, texts and the names, types and sizes of its attachments, and then the
 * attachments, one after the other. With `headersOnly`, the document is the start of a message whose rest is unknown.
 * @throws {DocumentError}
 */
export async function* readMail(document: Buffer, headersOnly: boolean): AsyncGenerator<string | Buffer, void> {
  const mail = await parse(document);
  const head = readHead(mail);
  if (headersOnly) {
    yield `${JSON.stringify({ ...head, text: null, html: null, attachments: [], problem: null })}\n`;
    return;
  }
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

async function parse(document: Buffer): Promise<ParsedMail> {
  try {
    return await simpleParser(document, {
      skipTextToHtml: true,
      skipTextLinks: true,
      keepCidLinks: true,
      checksumAlgo: false,
      maxHtmlLengthToParse: MAX_CONVERTED_HTML,
      maxChildNodes: MAX_PARTS,
    });
  } catch (error) {
    if (error instanceof RangeError || !(error instanceof Error)) throw error;
    throw new DocumentError(`cannot be read: ${error.message}`);
  }
}

function readHead(mail: ParsedMail): JsonObject {
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
  if (whole.length <= MAX_TEXT) return whole;
  problems.push(`The ${what} has ${whole.length} characters; only the first ${MAX_TEXT} are read.`);
  return whole.slice(0, MAX_TEXT).toWellFormed();
}

function clean(text: string | undefined): string | null {
  return text === undefined || text === '' ? null : text.slice(0, MAX_HEADER).toWellFormed();
}
