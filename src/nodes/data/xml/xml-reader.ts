import { isForbiddenKey } from '../../../lib/json/json-path.ts';
import type { Json, JsonObject } from '../../../lib/json/json.ts';
import { DataError } from '../data-error.ts';
import { convertText } from '../text/typed-text.ts';

export type XmlReading = {
  attributePrefix: string;
  textName: string;
  /** Names of elements that are always a list, even if there is only one. */
  lists: ReadonlySet<string>;
  trim: boolean;
  typed: boolean;
};

/** Maximum element depth. Each level may be a list of objects, and JSON values nest up to 200 levels. */
export const MAX_ELEMENT_DEPTH = 100;
/** Maximum length of the text in characters. */
export const MAX_XML_LENGTH = 8 * 1024 * 1024;
/** Maximum number of attributes per element. */
export const MAX_ATTRIBUTES = 10_000;
/** Tags read between two checks of the time slice. */
const TAG_STRIDE = 64;

const NAME = String.raw`[:A-Z_a-z\u0080-\uFFFF][-.:\w\u00B7\u0080-\uFFFF]*`;
const START = new RegExp(NAME, 'y');
const ATTRIBUTE = new RegExp(String.raw`\s+(${NAME})\s*=\s*("[^"<]*"|'[^'<]*')`, 'y');
const END = /\s*(\/?)>/y;
const CLOSING = new RegExp(String.raw`</(${NAME})\s*>`, 'y');
/** An element that is not closed yet. `content` is created with the first attribute or child. */
type Open = { name: string; content: JsonObject | null; hasChild: boolean; text: string };

/**
 * Parses XML into an object with the root element as its only field. Only the five predefined entities and
 * character references are supported. Entity definitions are rejected and nothing external is loaded, so
 * entity expansion attacks are impossible. @throws {DataError} naming the line.
 */
export function* readXml(text: string, reading: XmlReading): Generator<undefined, JsonObject> {
  if (text.length > MAX_XML_LENGTH)
    throw new DataError('value', `must have at most ${MAX_XML_LENGTH} characters`, 'limit');
  const reader = new XmlReader(text, reading);
  for (let count = 1; reader.step(); count++) if (count % TAG_STRIDE === 0) yield;
  return reader.result();
}

class XmlReader {
  readonly #text: string;
  readonly #reading: XmlReading;
  readonly #open: Open[] = [];
  #root: JsonObject | null = null;
  #at: number;

  constructor(text: string, reading: XmlReading) {
    this.#text = text;
    this.#reading = reading;
    this.#at = text.startsWith('\uFEFF') ? 1 : 0;
  }

  /** Reads to the end of the next tag. Returns false at the end of the text. */
  step(): boolean {
    const text = this.#text;
    const start = text.indexOf('<', this.#at);
    this.#characters(text.slice(this.#at, start < 0 ? text.length : start));
    if (start < 0) return false;
    this.#at = start;
    if (text.startsWith('</', start)) this.#close();
    else if (text.startsWith('<!--', start)) this.#skip('-->', start + 4, 'a comment');
    else if (text.startsWith('<![CDATA[', start)) this.#cdata();
    else if (text.startsWith('<?', start)) this.#skip('?>', start + 2, 'a processing instruction');
    else if (text.startsWith('<!', start)) this.#doctype();
    else this.#element();
    return true;
  }

  result(): JsonObject {
    const open = this.#open.at(-1);
    if (open !== undefined) throw this.#fault(`the element ${open.name} is not closed`);
    if (this.#root === null) throw this.#fault('there is no root element');
    return this.#root;
  }

  #characters(raw: string): void {
    const open = this.#open.at(-1);
    if (open !== undefined) open.text += this.#decoded(raw);
    else if (/\S/.test(raw)) throw this.#fault('text is not allowed outside the root element');
  }

  #cdata(): void {
    const open = this.#open.at(-1);
    if (open === undefined) throw this.#fault('text is not allowed outside the root element');
    const start = this.#at + '<![CDATA['.length;
    this.#skip(']]>', start, 'a CDATA section');
    open.text += this.#text.slice(start, this.#at - 3).replaceAll('\r\n', '\n');
  }

  #skip(end: string, from: number, what: string): void {
    const found = this.#text.indexOf(end, from);
    if (found < 0) throw this.#fault(`${what} is not closed`);
    this.#at = found + end.length;
  }

  /** Skips a DOCTYPE that only names a type. A DOCTYPE with definitions contains a bracket. */
  #doctype(): void {
    const text = this.#text;
    let end = this.#at;
    if (this.#root === null && this.#open.length === 0 && /^<!DOCTYPE\s/.test(text.slice(end, end + 10))) {
      for (; end < text.length; end++) {
        const char = text[end] as string;
        if (char === '>') {
          this.#at = end + 1;
          return;
        }
        if (char === '[') break;
        // Brackets within quotes are part of a literal.
        if (char === '"' || char === "'") end = text.indexOf(char, end + 1);
        if (end < 0) break;
      }
    }
    throw this.#fault('declarations are not supported (a DOCTYPE must not contain definitions)');
  }

  #element(): void {
    const name = this.#match(START, this.#at + 1)?.[0];
    if (name === undefined) throw this.#fault('a name must follow < (use &lt; in text)');
    if (this.#open.length === 0 && this.#root !== null) throw this.#fault(`${name} is a second root element`);
    if (this.#open.length === MAX_ELEMENT_DEPTH)
      throw new DataError('value', `must be nested at most ${MAX_ELEMENT_DEPTH} elements deep`, 'limit');
    this.#checkName(name);
    this.#at += 1 + name.length;
    const open: Open = { name, content: this.#attributes(), hasChild: false, text: '' };
    const end = this.#match(END, this.#at);
    if (end === null) throw this.#fault(`the tag ${name} is malformed`);
    this.#at += end[0].length;
    this.#open.push(open);
    if (end[1] === '/') this.#leave();
  }

  #attributes(): JsonObject | null {
    let attributes: JsonObject | null = null;
    let count = 0;
    for (
      let found = this.#match(ATTRIBUTE, this.#at);
      found !== null;
      found = this.#match(ATTRIBUTE, this.#at)
    ) {
      const [whole, name = '', quoted = ''] = found;
      const key = `${this.#reading.attributePrefix}${name}`;
      this.#checkName(key);
      attributes ??= {};
      if (++count > MAX_ATTRIBUTES)
        throw new DataError('value', `must have at most ${MAX_ATTRIBUTES} attributes per element`, 'limit');
      if (Object.hasOwn(attributes, key)) throw this.#fault(`the attribute ${name} occurs twice`);
      attributes[key] = this.#typed(this.#decoded(quoted.slice(1, -1)));
      this.#at += whole.length;
    }
    return attributes;
  }

  #close(): void {
    const name = this.#match(CLOSING, this.#at)?.[1];
    const open = this.#open.at(-1);
    if (name === undefined || name !== open?.name)
      throw this.#fault(
        open === undefined
          ? 'there is no open element to close'
          : `</${open.name}> is expected to close the element`,
      );
    this.#at += this.#match(CLOSING, this.#at)?.[0].length ?? 0;
    this.#leave();
  }

  /** Adds the closed element to its parent. */
  #leave(): void {
    const open = this.#open.pop() as Open;
    const value = this.#valueOf(open);
    const parent = this.#open.at(-1);
    if (parent === undefined) {
      this.#root = { [open.name]: value };
      return;
    }
    parent.hasChild = true;
    parent.content ??= {};
    const { content } = parent;
    if (!Object.hasOwn(content, open.name))
      content[open.name] = this.#reading.lists.has(open.name) ? [value] : value;
    else {
      const known = content[open.name] as Json;
      if (Array.isArray(known)) known.push(value);
      else content[open.name] = [known, value];
    }
  }

  #valueOf({ content, hasChild, text }: Open): Json {
    const own = this.#reading.trim ? text.trim() : text;
    if (content === null) return this.#typed(own);
    // White space between elements is formatting only.
    if (hasChild ? /\S/.test(own) : own !== '') content[this.#reading.textName] = this.#typed(own);
    return content;
  }

  #typed(text: string): Json {
    return this.#reading.typed && text !== '' ? convertText(text) : text;
  }

  #decoded(raw: string): string {
    const text = raw.includes('\r') ? raw.replace(/\r\n?/g, '\n') : raw;
    let decoded = '';
    let from = 0;
    for (let at = text.indexOf('&'); at >= 0; at = text.indexOf('&', from)) {
      REFERENCE.lastIndex = at;
      const [whole = '', decimal, hex, name] = REFERENCE.exec(text) ?? [];
      const code =
        name !== undefined
          ? ENTITIES[name]
          : decimal === undefined
            ? Number.parseInt(hex ?? '', 16)
            : Number(decimal);
      if (code === undefined || !isCharacter(code))
        throw this.#fault(
          `${text.slice(at, at + 20).split(/[\s<]/)[0]} is not a known character reference or entity`,
        );
      decoded += text.slice(from, at) + String.fromCodePoint(code);
      from = at + whole.length;
    }
    return from === 0 ? text : decoded + text.slice(from);
  }

  #checkName(name: string): void {
    if (isForbiddenKey(name)) throw this.#fault(`${name} is a reserved name`);
  }

  #match(pattern: RegExp, at: number): RegExpExecArray | null {
    pattern.lastIndex = at;
    return pattern.exec(this.#text);
  }

  #fault(issue: string): DataError {
    let line = 1;
    for (let i = this.#text.indexOf('\n'); i >= 0 && i < this.#at; i = this.#text.indexOf('\n', i + 1))
      line++;
    return new DataError('value', `must be valid XML: ${issue} (line ${line})`);
  }
}

const REFERENCE = /&(?:#(\d{1,7})|#x([\da-fA-F]{1,6})|(amp|lt|gt|quot|apos));/y;
const ENTITIES: Readonly<Record<string, number>> = { amp: 38, lt: 60, gt: 62, quot: 34, apos: 39 };

/** The definition of a character in XML 1.0. */
function isCharacter(code: number): boolean {
  if (code < 0x20) return code === 9 || code === 10 || code === 13;
  return code <= 0xd7ff || (code >= 0xe000 && code <= 0xfffd) || (code >= 0x10000 && code <= 0x10ffff);
}
