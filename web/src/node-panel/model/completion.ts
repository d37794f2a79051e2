import { filters } from './filters.ts';
import { isRecord } from './field-path.ts';
import { resolvePath, parsePath, listRoots, type TemplateScope } from './template-scope.ts';
import { describeKind } from './format-value.ts';
import { t } from '../../i18n/index.ts';

export type Option = {
  readonly label: string;
  /** The text that replaces the typed one. */
  readonly insert: string;
  readonly detail: string;
  /** Also replaces the dot before the typed text. */
  readonly isBracket?: boolean;
};

/** The completions for the text between two offsets. */
export type Completion = { readonly from: number; readonly to: number; readonly options: readonly Option[] };

const MAX_COMPLETIONS = 50;
const IDENTIFIER_PATTERN = /^[A-Za-z_$][\w$-]*$/;
/** The path that ends at the cursor: all of it that is finished, and the name that is being typed. */
const PATH_END = /((?:[A-Za-z_$][\w$-]*|\[\s*(?:\d+|"(?:[^"\\]|\\.)*")\s*\]|\.)*?)(\.?)([\w$-]*)$/;

/** The completions at the cursor of a text with templates; null outside of braces. */
export function complete(text: string, cursor: number, scope: TemplateScope): Completion | null {
  const start = findExpressionStart(text, cursor);
  if (start === null) return null;
  const before = text.slice(start, cursor);
  const isClosed = /^[^{]*\}\}/.test(text.slice(cursor));
  const filter = /(?<!\|)\|\s*(\w*)$/.exec(before);
  if (filter !== null) {
    const typed = filter[1]!;
    const options = filters
      .filter(([name]) => name.startsWith(typed))
      .map(([name, signature]) => ({
        label: name,
        insert: isClosed ? name : `${name} }}`,
        detail: signature,
      }));
    return options.length === 0 ? null : { from: cursor - typed.length, to: cursor, options };
  }
  const found = completePath(before, scope, isClosed ? '' : ' }}');
  return found === null ? null : { from: start + found.from, to: start + found.to, options: found.options };
}

/** The completions in a field that contains an input path without braces. */
export function completeBarePath(text: string, cursor: number, scope: TemplateScope): Completion | null {
  const lead = 'input.';
  const found = completePath(lead + text.slice(0, cursor), scope, '');
  if (found === null || found.from < lead.length) return null;
  return { from: found.from - lead.length, to: found.to - lead.length, options: found.options };
}

/** The input path of a template: `customer.name` for `{{ input.customer.name }}`; otherwise null. */
export function extractInputPath(text: string, scope: TemplateScope): string | null {
  const path = /^\s*\{\{\s*([^{}|]+?)\s*\}\}\s*$/.exec(text)?.[1];
  const segments = path === undefined ? null : parsePath(path);
  if (path === undefined || segments === null) return null;
  if (segments[0] === 'input')
    return segments.length === 1 ? null : path.slice('input'.length).replace(/^\./, '');
  return listRoots(scope).some(({ name }) => name === segments[0]) ? null : path;
}

function completePath(before: string, scope: TemplateScope, closing: string): Completion | null {
  const match = PATH_END.exec(before);
  if (match === null) return null;
  const [, base = '', dot = '', typed = ''] = match;
  const from = before.length - typed.length;
  if (base === '' && dot === '') {
    if (/["'\d]$/.test(before.slice(0, from))) return null;
    return createCompletion(
      from,
      before.length,
      [...rootOptions(scope, closing), ...completeKeys(scope.input, closing)],
      typed,
    );
  }
  if (dot === '') return null;
  const segments = parsePath(base);
  if (segments === null) return null;
  const { value } = resolvePath(scope, segments);
  return createCompletion(from, before.length, completeKeys(value, closing, true), typed);
}

function createCompletion(
  from: number,
  to: number,
  options: readonly Option[],
  typed: string,
): Completion | null {
  const query = typed.toLowerCase();
  const starting = options.filter(({ label }) => label.toLowerCase().startsWith(query));
  const containing = options.filter(({ label }) => label.toLowerCase().indexOf(query) > 0);
  const matches = [...starting, ...containing].slice(0, MAX_COMPLETIONS);
  if (matches.length === 0 || (matches.length === 1 && matches[0]!.insert === typed)) return null;
  return { from, to, options: matches };
}

function rootOptions(scope: TemplateScope, closing: string): Option[] {
  return listRoots(scope).map(({ name, about }) => ({
    label: name,
    insert: name === 'nodes' || name === 'secrets' ? `${name}.` : `${name}${closing}`,
    detail: about,
  }));
}

/** The keys of an object. A key that needs a bracket replaces the dot before it. */
function completeKeys(value: unknown, closing: string, isBehindDot = false): Option[] {
  if (!isRecord(value)) return [];
  return Object.keys(value).flatMap((key): Option[] => {
    const detail = shortValue(value[key]);
    if (IDENTIFIER_PATTERN.test(key)) return [{ label: key, insert: `${key}${closing}`, detail }];
    if (!isBehindDot) return [];
    return [{ label: key, insert: `[${JSON.stringify(key)}]${closing}`, detail, isBracket: true }];
  });
}

/** Returns the text with the option inserted, and the new cursor position. */
export function applyCompletion(
  text: string,
  completion: Completion,
  option: Option,
): { text: string; cursor: number } {
  const from = completion.from - (option.isBracket === true ? 1 : 0);
  const head = text.slice(0, from) + option.insert;
  // After the name, before braces that the option closed.
  const cursor = option.insert.endsWith(' }}') ? head.length - 3 : head.length;
  return { text: head + text.slice(completion.to), cursor };
}

function shortValue(value: unknown): string {
  if (value === undefined) return t('not run yet');
  if (typeof value === 'object' && value !== null) return describeKind(value);
  const text = JSON.stringify(value);
  return text.length > 40 ? `${text.slice(0, 39)}…` : text;
}

/** The start of the expression that contains the cursor; null if there is none. */
export function findExpressionStart(text: string, cursor: number): number | null {
  const open = text.lastIndexOf('{{', cursor - 1);
  if (open < 0 || open + 2 > cursor) return null;
  const closed = text.lastIndexOf('}}', cursor - 1);
  return closed > open ? null : open + 2;
}
