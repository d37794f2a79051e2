import { appendKey } from '../../../lib/json/json-path.ts';
import { isObject, type Json } from '../../../lib/json/json.ts';
import { DataError } from '../data-error.ts';
import { describeType } from '../items.ts';
import { OutputSizeLimit } from '../output-size-limit.ts';
import { MAX_ELEMENT_DEPTH } from './xml-reader.ts';

export type XmlWriting = {
  /** Prefix of fields that are attributes. Empty: no fields are attributes. */
  attributePrefix: string;
  textName: string;
  /** Spaces per level; 0 writes a single line. */
  indent: number;
  declaration: boolean;
};

/** Elements written between two checks of the time slice. */
const ELEMENT_STRIDE = 64;
const NAME = /^[:A-Z_a-z\u0080-\uFFFF][-.:\w\u00B7\u0080-\uFFFF]*$/;
/** Characters that XML 1.0 cannot represent. */
// oxlint-disable-next-line no-control-regex -- the pattern matches control characters
const FORBIDDEN = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/;

type Element = { readonly name: string; readonly value: Json; readonly at: string; readonly depth: number };
/** Remaining work: a string, an element, or the elements of a list from `next` on. */
type Part =
  | { readonly text: string }
  | Element
  | (Omit<Element, 'value'> & { readonly list: readonly Json[]; next: number });

/**
 * Writes a value as an XML element with this name. @throws {DataError} naming the value that cannot be
 * written.
 */
export function* writeXml(name: string, value: Json, writing: XmlWriting): Generator<undefined, string> {
  const texts: string[] = [];
  const weight = new OutputSizeLimit();
  const end = writing.indent > 0 ? '\n' : '';
  const put = (text: string): void => {
    weight.spend(text.length);
    texts.push(text);
  };
  if (writing.declaration) put(`<?xml version="1.0" encoding="UTF-8"?>${end}`);
  if (Array.isArray(value))
    throw new DataError('value', `must not be a list in ${name}: a document has one root element`);
  const work: Part[] = [{ name, value, at: appendKey('', name), depth: 0 }];
  let count = 0;
  for (let part = work.pop(); part !== undefined; part = work.pop()) {
    if (++count % ELEMENT_STRIDE === 0) yield;
    if ('text' in part) put(part.text);
    else if ('value' in part) put(startElement(part, writing, work));
    else if (part.next < part.list.length) {
      const { name: tag, list, at, depth } = part;
      const index = part.next++;
      work.push(part, { name: tag, value: list[index] as Json, at: appendKey(at, index), depth });
    }
  }
  return texts.join('');
}

/** Returns the start tag or the whole element, and adds its children to the worklist. */
function startElement({ name, value, at, depth }: Element, writing: XmlWriting, work: Part[]): string {
  if (depth === MAX_ELEMENT_DEPTH)
    throw new DataError('value', `must be nested at most ${MAX_ELEMENT_DEPTH} elements deep`, 'limit');
  checkName(name, at);
  const line = writing.indent > 0 ? `\n` : '';
  const space = ' '.repeat(writing.indent * depth);
  if (!isObject(value)) {
    const text = escapeText(value, at, false);
    return text === '' ? `${space}<${name}/>${line}` : `${space}<${name}>${text}</${name}>${line}`;
  }
  const { attributes, text, children } = sortChildren(value, at, depth + 1, writing);
  if (children.length === 0)
    return text === ''
      ? `${space}<${name}${attributes}/>${line}`
      : `${space}<${name}${attributes}>${text}</${name}>${line}`;
  work.push({ text: `${space}</${name}>${line}` });
  for (const child of children.toReversed()) work.push(child);
  return `${space}<${name}${attributes}>${text}${line}`;
}

function sortChildren(value: { [key: string]: Json }, at: string, depth: number, writing: XmlWriting) {
  const { attributePrefix, textName } = writing;
  let attributes = '';
  let text = '';
  const children: Part[] = [];
  for (const key of Object.keys(value)) {
    const inner = value[key] as Json;
    const location = appendKey(at, key);
    if (key === textName) text = escapeText(inner, location, false);
    else if (attributePrefix !== '' && key.startsWith(attributePrefix)) {
      const name = key.slice(attributePrefix.length);
      checkName(name, location);
      if (inner !== null) attributes += ` ${name}="${escapeText(inner, location, true)}"`;
    } else if (!Array.isArray(inner)) children.push({ name: key, value: inner, at: location, depth });
    else if (inner.length > 0) children.push({ name: key, list: inner, next: 0, at: location, depth });
  }
  return { attributes, text, children };
}

function checkName(name: string, at: string): void {
  if (!NAME.test(name)) throw new DataError(at, `must have a valid XML name, not ${JSON.stringify(name)}`);
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};

function escapeText(value: Json, at: string, attribute: boolean): string {
  if (value === null) return '';
  if (typeof value === 'object')
    throw new DataError(at, `must be a string, number or boolean, not ${describeType(value)}`);
  if (typeof value !== 'string') return String(value);
  if (FORBIDDEN.test(value) || !value.isWellFormed())
    throw new DataError(at, 'must not contain characters that XML cannot represent');
  return value.replace(attribute ? /[&<>"\t\n\r]/g : /[&<>\r]/g, (char) => ESCAPES[char] ?? char);
}
