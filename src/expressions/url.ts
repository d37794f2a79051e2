import { compilePlaceholder, References } from './compiler/compile.ts';
import { TemplateError, TemplateEvaluationError } from './errors.ts';
import type { Expression } from './compiler/expression.ts';
import { Frame } from './evaluation-context.ts';
import { MAX_PRINTED_LENGTH } from './limits.ts';
import { print, createTooLargeError } from './result-limits.ts';
import type { Placeholder, Segment } from './compiler/tokenizer.ts';
import { scanTemplate } from './compiler/tokenizer.ts';
import { compileTemplate, runExpression } from './template.ts';
import type { Template } from './template.ts';

/** `base`: the beginning of the URL, host included; `authority`: the whole host, perhaps with a port. */
type UrlPosition = 'base' | 'authority' | 'host' | 'port' | 'path' | 'query';
type Part = { place: UrlPosition; isEncoded: boolean; expression: Expression };

const START = /^\s*https?:\/\//i;
const END_OF_HOST = /[/?#\\]/;
const HOST = /^[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?$/;
const HOST_AND_PORT = /^[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?(?::\d{1,5})?$/;
const DOTS = /^(?:\.|%2e){1,2}$/i;
/** Marks the start of each value in the path that is checked for dots; no encoded text contains it. */
const MARK = '\0';

/**
 * Compiles a URL whose placeholders stay in their place: a value cannot add a segment, a query or a host. In
 * the path and the query it is percent-encoded; in the host it is refused unless it is one. A placeholder
 * that is the whole URL, or begins it, is taken as it is: there the value is meant to choose where the
 * request goes.
 * @throws {TemplateError} for a placeholder whose position in the URL is unknown.
 */
export function compileUrlTemplate(text: string): Template {
  const segments = scanTemplate(text);
  if (segments.length < 2) return compileTemplate(text);
  const references = new References();
  const places = findPositions(segments);
  const parts = segments.map((segment, i): string | Part =>
    typeof segment === 'string'
      ? segment
      : {
          place: places[i] ?? 'path',
          isEncoded: segment.filters.at(-1)?.name === 'url_encode',
          expression: compilePlaceholder(segment, references),
        },
  );
  return {
    text,
    isConstant: false,
    isPath: false,
    secretNames: [...references.secrets],
    nodeIds: [...references.nodes],
    evaluate: (scope) => write(parts, new Frame(scope)),
  };
}

function write(parts: readonly (string | Part)[], frame: Frame): string {
  let url = '';
  let marked = '';
  for (const part of parts) {
    const piece =
      typeof part === 'string'
        ? part
        : encode(part, print(runExpression(part.expression, frame), MAX_PRINTED_LENGTH));
    url += piece;
    if (url.length > MAX_PRINTED_LENGTH) throw createTooLargeError(MAX_PRINTED_LENGTH);
    if (typeof part === 'string') marked += piece;
    else if (part.place === 'path') marked += MARK + piece;
  }
  refuseDots(marked);
  return url;
}

function encode({ place, isEncoded }: Part, text: string): string {
  switch (place) {
    case 'base':
      return text;
    case 'authority':
      if (!HOST_AND_PORT.test(text))
        throw createValueError('A value that is the host of a URL must be a name with an optional port');
      return text;
    case 'host':
      if (!HOST.test(text))
        throw createValueError(
          'A value in the host of a URL must consist of letters and digits, with dots and hyphens between them',
        );
      return text;
    case 'port':
      if (!/^\d{1,5}$/.test(text)) throw createValueError('A value that is the port of a URL must be digits');
      return text;
    default:
      return isEncoded ? text : encodeURIComponent(text.toWellFormed());
  }
}

/** A dot segment leads upwards even if it is encoded (WHATWG URL §4.4), so it is rejected. */
function refuseDots(marked: string): void {
  if (!marked.includes(MARK)) return;
  for (const segment of marked.split(/[/\\?#]/)) {
    if (segment.includes(MARK) && DOTS.test(segment.replaceAll(MARK, '')))
      throw createValueError('A value in the path of a URL must not be . or .., which lead to another path');
  }
}

/** The place of each placeholder, by the index of its segment. */
function findPositions(segments: readonly Segment[]): (UrlPosition | undefined)[] {
  let position: 'start' | UrlPosition = 'start';
  /** The text of the host before the current position; null after a placeholder. */
  let host: string | null = '';
  return segments.map((segment, i): UrlPosition | undefined => {
    if (typeof segment !== 'string') {
      if (position === 'base') throw createPositionError(segment, 'another placeholder');
      if (position === 'start') position = 'base';
      else if (position === 'host') {
        const found = findHostPosition(segment, host, segments[i + 1]);
        host = null;
        return found;
      }
      return position;
    }
    let rest: string = segment;
    if (position === 'start') {
      if (segment.trim() === '') return undefined;
      const start = START.exec(segment)?.[0];
      if (start === undefined) position = 'path';
      else {
        position = 'host';
        rest = segment.slice(start.length);
      }
    } else if (position === 'base') {
      if (!/^[/?#]/.test(segment)) throw createPositionError(segments[i - 1], 'this text');
      position = 'path';
    }
    if (position === 'host') {
      const end = END_OF_HOST.exec(rest)?.index;
      if (end === undefined) host = rest;
      else position = 'path';
    }
    if (position === 'path' && /[?#]/.test(rest)) position = 'query';
    return undefined;
  });
}

/** `before`: the host's text before the placeholder; null after another placeholder. */
function findHostPosition(
  placeholder: Placeholder,
  before: string | null,
  next: Segment | undefined,
): UrlPosition {
  if (before?.endsWith(':') === true) return 'port';
  const isLast = next === undefined || (typeof next === 'string' && /^[/?#\\:]/.test(next));
  if (!isLast) return 'host';
  if (before === '') return typeof next === 'string' && next.startsWith(':') ? 'host' : 'authority';
  if (before?.endsWith('.') === true) return 'host';
  throw new TemplateError(
    'A placeholder that ends the host of a URL stands alone there, or behind a dot; a path begins with /',
    placeholder.start,
  );
}

function createPositionError(placeholder: Segment | undefined, what: string): TemplateError {
  const at = placeholder === undefined || typeof placeholder === 'string' ? 0 : placeholder.start;
  return new TemplateError(`A placeholder that begins a URL is followed by /, ? or #, not by ${what}`, at);
}

function createValueError(message: string): TemplateEvaluationError {
  return new TemplateEvaluationError(message, 'value');
}
