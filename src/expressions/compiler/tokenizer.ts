import { TemplateError } from '../errors.ts';
import { MAX_FILTERS, MAX_PLACEHOLDERS, MAX_TEMPLATE_LENGTH } from '../limits.ts';

/** A piece of source with its offset in the template. */
export interface Source {
  readonly text: string;
  readonly at: number;
}

/** A filter: `| name: argument, argument`. */
export interface FilterSource {
  readonly name: string;
  readonly at: number;
  readonly args: readonly Source[];
}

/** `{{ expression | filter }}`; `start` and `end` are the offsets of the outer braces. */
export interface Placeholder {
  readonly start: number;
  readonly end: number;
  readonly expression: Source;
  readonly filters: readonly FilterSource[];
}

/** A template's parts in order: printed text, and placeholders. */
export type Segment = string | Placeholder;

const FILTER = /^\s*([A-Za-z_]\w*)\s*(?::|$)/;

/**
 * Splits a template into text and placeholders in one pass. Only `{{` opens a placeholder; `}}` in text is
 * text, as JSON bodies need. Quotes, brackets and braces within an expression are respected, so `{{ "}}" }}`
 * and `{{ {"a": {"b": 1}} }}` work.
 * @throws {TemplateError}
 */
export function scanTemplate(text: string): Segment[] {
  if (text.length > MAX_TEMPLATE_LENGTH) {
    throw new TemplateError(
      `A template is at most ${MAX_TEMPLATE_LENGTH} characters long; this one has ${text.length}`,
    );
  }
  const segments: Segment[] = [];
  let at = 0;
  let placeholders = 0;
  while (at < text.length) {
    const open = text.indexOf('{{', at);
    if (open === -1) break;
    if (++placeholders > MAX_PLACEHOLDERS)
      throw new TemplateError(`A template has at most ${MAX_PLACEHOLDERS} placeholders`, open);
    if (open > at) segments.push(text.slice(at, open));
    const placeholder = scanPlaceholder(text, open);
    segments.push(placeholder);
    at = placeholder.end;
  }
  if (at < text.length) segments.push(text.slice(at));
  return segments;
}

/** Reads the placeholder whose `{{` is at `start`. */
function scanPlaceholder(text: string, start: number): Placeholder {
  const pipes: number[] = [];
  const commas: number[] = [];
  let braces = 0;
  let brackets = 0;
  let at = start + 2;
  for (;;) {
    const char = text[at];
    if (char === undefined) throw new TemplateError('{{ is never closed by }}', start);
    if (char === '"' || char === "'") {
      at = findEndOfQuote(text, at);
      continue;
    }
    if (char === '}' && braces === 0 && text[at + 1] === '}') break;
    if (char === '{') braces++;
    else if (char === '}') braces = Math.max(0, braces - 1);
    else if (char === '(' || char === '[') brackets++;
    else if (char === ')' || char === ']') brackets = Math.max(0, brackets - 1);
    else if (braces === 0 && brackets === 0) {
      if (char === ',') commas.push(at);
      if (char === '|') {
        if (text[at + 1] === '|') at++;
        else pipes.push(at);
      }
    }
    at++;
  }
  if (pipes.length > MAX_FILTERS)
    throw new TemplateError(`An expression has at most ${MAX_FILTERS} filters`, start);
  const bounds = [...pipes, at];
  const expression = source(text, start + 2, bounds[0] ?? at);
  if (expression.text === '') throw new TemplateError('{{ }} contains no expression', start);
  const filters = pipes.map((pipe, i) => scanFilter(text, pipe + 1, bounds[i + 1] ?? at, commas));
  return { start, end: at + 2, expression, filters };
}

function scanFilter(text: string, from: number, to: number, commas: readonly number[]): FilterSource {
  const head = FILTER.exec(text.slice(from, to));
  if (head === null)
    throw new TemplateError('A filter is written | name or | name: argument, argument', from);
  const name = head[1] ?? '';
  const at = from + head[0].indexOf(name);
  if (!head[0].endsWith(':')) return { name, at, args: [] };
  const first = from + head[0].length;
  const inside = commas.filter((comma) => comma >= first && comma < to);
  const bounds = [first - 1, ...inside, to];
  const args = bounds.slice(1).map((end, i) => source(text, (bounds[i] ?? first) + 1, end));
  const empty = args.find((arg) => arg.text === '');
  if (empty !== undefined) throw new TemplateError(`The filter ${name} lacks an argument`, empty.at);
  return { name, at, args };
}

function source(text: string, from: number, to: number): Source {
  const raw = text.slice(from, to);
  const trimmed = raw.trimStart();
  return { text: trimmed.trimEnd(), at: from + raw.length - trimmed.length };
}

/** The offset after a quoted text, which may use triple quotes; a backslash escapes the next character. */
function findEndOfQuote(text: string, start: number): number {
  const quote = text.charAt(start);
  const close = text.startsWith(quote.repeat(3), start) ? quote.repeat(3) : quote;
  let at = start + close.length;
  while (at < text.length) {
    if (text[at] === '\\') at += 2;
    else if (text.startsWith(close, at)) return at + close.length;
    else at++;
  }
  throw new TemplateError('A quoted string within {{ }} is not closed', start);
}
