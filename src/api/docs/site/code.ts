import type { Json, JsonObject } from '../../../lib/json/json.ts';
import { markup, type Markup } from '../../oauth/markup.ts';
import { formatJson } from '../json-text.ts';
import { join } from './prose.ts';

/** A titled code panel that can be scrolled with the keyboard. */
export function renderPanel(title: Markup | string, code: Markup, note: Markup | string = ''): Markup {
  const label = typeof title === 'string' ? title : 'Code';
  return markup`<figure class="panel"><figcaption><span>${title}</span>${note}</figcaption><pre tabindex="0" aria-label="${label}"><code>${code}</code></pre></figure>`;
}

/** Maximum length of an object or list on one line. */
const MAX_LINE_LENGTH = 54;

/**
 * Formats JSON with short objects and lists on one line. `before`: the characters in front of the value on
 * its first line.
 */
export function printJson(value: Json, indent = '', before = 0): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const flat = flatText(value);
  if (indent.length + before + flat.length <= MAX_LINE_LENGTH) return flat;
  const inner = `${indent}  `;
  const parts = Array.isArray(value)
    ? value.map((one) => printJson(one, inner))
    : Object.entries(value).map(
        ([key, one]) => `${JSON.stringify(key)}: ${printJson(one, inner, key.length + 4)}`,
      );
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return `${open}\n${parts.map((part) => inner + part).join(',\n')}\n${indent}${close}`;
}

function flatText(value: Json): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(flatText).join(', ')}]`;
  const entries = Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}: ${flatText(one)}`);
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
}

/** JSON with syntax highlighting. */
export function renderJson(value: Json): Markup {
  return highlight(printJson(value));
}

/** Highlights JSON within a text, such as a body in a command; other text stays plain. */
export function highlight(text: string): Markup {
  const token = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(true|false|null)\b|(?<![\w.-])(-?\d+(?:\.\d+)?)(?![\w.-])/g;
  const parts: Markup[] = [];
  let last = 0;
  for (const match of text.matchAll(token)) {
    parts.push(markup`${text.slice(last, match.index)}`);
    const [whole, string, colon, word, number] = match;
    if (string !== undefined && colon !== undefined)
      parts.push(markup`<span class="k">${string}</span>${colon}`);
    else if (string !== undefined) parts.push(markup`<span class="s">${string}</span>`);
    else if (word !== undefined || number !== undefined) parts.push(markup`<span class="n">${whole}</span>`);
    last = match.index + whole.length;
  }
  parts.push(markup`${text.slice(last)}`);
  return join(parts);
}

export type Request = {
  readonly method: string;
  readonly url: string;
  /** Null when the request needs no credential. */
  readonly credential: 'session' | 'any' | null;
  readonly headers?: readonly string[];
  readonly body?: Json;
  /** A body sent byte for byte; `body` is formatted for readability. */
  readonly rawBody?: string;
  readonly form?: JsonObject;
};

/** The request as a curl command. */
export function renderCurl(request: Request): Markup {
  const { method, url, credential, headers = [], body, rawBody, form = {} } = request;
  const address = /[?&{}[\]*$ ]/.test(url) ? quote(url) : url;
  const all = [
    ...(credential === null ? [] : ['Authorization: Bearer $TOKEN']),
    ...headers,
    ...(body === undefined && rawBody === undefined ? [] : ['Content-Type: application/json']),
  ];
  const start = `curl${method === 'GET' ? '' : ` -X ${method}`} ${address}`;
  const parts = [
    markup`${start}`,
    ...all.map((header) => markup` \\\n  -H <span class="s">"${header}"</span>`),
  ];
  if (body !== undefined) {
    const text = printJson(body)
      .replaceAll("'", String.raw`'\''`)
      .replaceAll('\n', '\n  ');
    parts.push(markup` \\\n  -d '${highlight(text)}'`);
  }
  if (rawBody !== undefined) parts.push(markup` \\\n  -d '${highlight(rawBody)}'`);
  for (const [name, value] of Object.entries(form))
    parts.push(markup` \\\n  -d ${name}=<span class="s">${formatJson(value)}</span>`);
  return join(parts);
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
