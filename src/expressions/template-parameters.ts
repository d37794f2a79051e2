import type { Json, JsonObject } from '../lib/json/json.ts';
import { appendKey } from '../lib/json/json-path.ts';
import { compilePlaceholder, References } from './compile.ts';
import { TemplateError, TemplateEvaluationError } from './errors.ts';
import type { Expression } from './expression.ts';
import { Frame } from './evaluation-context.ts';
import { MAX_PRINTED_LENGTH, MAX_TEMPLATE_LENGTH, MAX_VALUE_LENGTH } from './limits.ts';
import { checkSize, print } from './result-limits.ts';
import { probePath, readScope, type ScopePath } from './path.ts';
import type { Placeholder } from './tokenizer.ts';
import { scanTemplate } from './tokenizer.ts';

/*
 * Parameters are put into a body once, before it is anything that runs: `{{ parameters.NAME }}`. Every other
 * placeholder belongs to the workflow, and stays as it is for the time when that runs. So a body is read in
 * one pass, and what a parameter brings in can never become a placeholder: neither alone, nor with the
 * text around it, nor with what another parameter brings.
 */

const ROOT = 'parameters';
/**
 * `secrets[parameters.NAME]`: the name of a secret is written out when the workflow runs, so it is put in as
 * it is.
 */
const SECRET = /\bsecrets\s*\[\s*parameters\s*\.\s*([A-Za-z_]\w*)\s*\]/;

/** Parameters in one field of a body: `pointer` is the field, `names` are its distinct parameters. */
export type ParameterUse = { readonly pointer: string; readonly names: readonly string[] };
/** The error of a text that cannot be parsed. */
export type ParameterTextError = { readonly pointer: string; readonly message: string };

/** The error of a value that cannot be inserted. `name` is the parameter, `pointer` the field. */
export class ParameterError extends Error {
  override readonly name = 'ParameterError';
  readonly parameter: string;
  readonly pointer: string;
  constructor(message: string, parameter: string, pointer: string) {
    super(message);
    this.parameter = parameter;
    this.pointer = pointer;
  }
}

/** The body would be larger than allowed. */
export class ParametersTooLargeError extends Error {
  override readonly name = 'ParametersTooLarge';
}

export type ParameterBody = {
  readonly faults: readonly ParameterTextError[];
  /** All fields that contain parameters. */
  readonly uses: readonly ParameterUse[];
  /** Parameters whose values name a secret (`secrets[parameters.NAME]`), with their fields. */
  readonly secretUses: readonly { readonly name: string; readonly pointer: string }[];
  /**
   * The body with the values in it. A placeholder alone takes the value with its type; without a value its
   * field is left out (null in a list), and inside text it prints as nothing. `limit` bounds what the values
   * add, in characters of JSON.
   * @throws {ParameterError} {ParametersTooLarge}
   */
  fill(values: JsonObject, options: { now: number; limit: number }): Json;
};

type Part =
  | { readonly kind: 'text'; readonly text: string }
  | Kept
  /** `plain`: the placeholder is only the parameter of this name. */
  | {
      readonly kind: 'value';
      readonly expression: Expression;
      readonly plain: string | null;
      readonly names: readonly string[];
    };

/** What is written between two pieces: a value as a literal, or the path to a secret (`expression` null). */
type Insert = { readonly name: string; readonly expression: Expression | null };
/**
 * A placeholder of the workflow, in one piece more than inserts. `others` are the paths in it that are not
 * parameters.
 */
type Kept = {
  readonly kind: 'kept';
  readonly pieces: readonly string[];
  readonly inserts: readonly Insert[];
  readonly others: readonly string[];
};

type Hole = ParameterUse & { readonly parts: readonly Part[] };

const OMITTED = Symbol('left out');

/** Compiles a body; `root` prefixes every pointer. Never throws: errors are in `faults`. */
export function compileParameters(body: Json, root: string): ParameterBody {
  const faults: ParameterTextError[] = [];
  const holes = new Map<string, Hole>();
  mapTexts(body, root, (text, pointer) => {
    try {
      const parts = compileText(text);
      if (parts !== null)
        holes.set(pointer, { pointer, parts, names: [...new Set(parts.flatMap(listNames))] });
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      faults.push({ pointer, message: error.message });
    }
    return text;
  });
  const uses = [...holes.values()];
  return {
    faults,
    uses,
    secretUses: uses.flatMap(({ pointer, parts }) =>
      parts.flatMap((part) =>
        part.kind === 'kept'
          ? part.inserts.flatMap(({ name, expression }) => (expression === null ? [{ name, pointer }] : []))
          : [],
      ),
    ),
    fill(values, { now, limit }) {
      // One frame, so that the limit on steps applies to all expressions together.
      const frame = new Frame({ input: { [ROOT]: values }, now });
      let left = limit;
      return mapTexts(body, root, (text, pointer) => {
        const hole = holes.get(pointer);
        if (hole === undefined) return text;
        const value = fillHole(hole, values, frame);
        if (value === OMITTED) return OMITTED;
        left -= measureJson(value, left);
        if (left < 0) throw new ParametersTooLargeError();
        return value;
      });
    },
  };
}

/** Whether any text in the value contains `{{`. */
export function containsPlaceholder(value: Json): boolean {
  const work: Json[] = [value];
  for (let next = work.pop(); next !== undefined; next = work.pop()) {
    if (typeof next === 'string') {
      if (next.includes('{{')) return true;
    } else if (typeof next === 'object' && next !== null) {
      for (const inner of Array.isArray(next) ? next : Object.values(next)) work.push(inner);
    }
  }
  return false;
}

/** Null when the text contains no parameter. @throws {TemplateError} */
function compileText(text: string): Part[] | null {
  if (!text.includes('{{') || !text.includes(ROOT)) return null;
  const parts = scanTemplate(text).map((segment): Part => {
    if (typeof segment === 'string') return { kind: 'text', text: segment };
    return compilePart(text.slice(segment.start, segment.end), segment);
  });
  return parts.some((part) => listNames(part).length > 0) ? parts : null;
}

function compilePart(raw: string, placeholder: Placeholder): Part {
  const untouched: Kept = { kind: 'kept', pieces: [raw], inserts: [], others: [] };
  if (!raw.includes(ROOT)) return untouched;
  const split = raw.split(new RegExp(SECRET, 'g'));
  if (split.length > 1) {
    const pieces = split.filter((_, i) => i % 2 === 0);
    const inserts = split.filter((_, i) => i % 2 === 1).map((name): Insert => ({ name, expression: null }));
    return checkPaths({ kind: 'kept', pieces, inserts, others: [] }, placeholder);
  }
  const references = new References();
  const expression = compilePlaceholder(placeholder, references);
  const own = references.paths.filter(({ path }) => path.name === ROOT);
  if (own.length === 0) return untouched;
  const names = own.map(({ path }) => readName(path, placeholder));
  if (own.length < references.paths.length) return compileMixed(raw, placeholder, own);
  const [first] = own;
  const isPlain =
    own.length === 1 &&
    first?.path.steps.length === 1 &&
    placeholder.filters.length === 0 &&
    first.path.text === placeholder.expression.text;
  return { kind: 'value', expression, plain: isPlain ? (names[0] ?? null) : null, names };
}

function readName(path: ScopePath, placeholder: Placeholder): string {
  const [first] = path.steps;
  if (first !== undefined && !first.isIndex) return first.key;
  throw new TemplateError(
    'parameters is used with a name behind it, such as parameters.url',
    placeholder.start,
  );
}

/** A placeholder that also reads runtime values: its parameters become literals. */
function compileMixed(raw: string, placeholder: Placeholder, own: References['paths']): Kept {
  const pieces: string[] = [];
  const inserts: Insert[] = [];
  let at = placeholder.start;
  for (const { path, start, end } of own.toSorted((a, b) => a.start - b.start)) {
    pieces.push(raw.slice(at - placeholder.start, start - placeholder.start));
    inserts.push({ name: readName(path, placeholder), expression: createProbe(path) });
    at = end;
  }
  pieces.push(raw.slice(at - placeholder.start));
  return checkPaths({ kind: 'kept', pieces, inserts, others: [] }, placeholder);
}

/** Reads the value at a path; null when an optional parameter has no value. */
function createProbe(path: ScopePath): Expression {
  return {
    run: (frame) =>
      path.steps.length === 1 ? (probePath(path, frame.scope) ?? null) : readScope(path, frame.scope),
    weight: 1,
    made: false,
  };
}

/** Adds the paths that remain when the parameters are literals. @throws {TemplateError} */
function checkPaths(kept: Kept, placeholder: Placeholder): Kept {
  const text = joinPieces(
    kept.pieces,
    kept.inserts.map(({ name, expression }) => (expression === null ? `secrets.${name}` : 'null')),
  );
  const others = listPaths(text);
  if (others.some((path) => path.startsWith(`${ROOT} `))) {
    throw new TemplateError('secrets[parameters.…] is used in a placeholder of its own', placeholder.start);
  }
  return { ...kept, others: kept.inserts.some(({ expression }) => expression === null) ? [] : others };
}

/**
 * Lists the paths that a text with one placeholder reads, prefixed with their first names. @throws
 * {TemplateError}
 */
function listPaths(text: string): string[] {
  const segments = scanTemplate(text);
  const [only] = segments;
  const references = new References();
  if (segments.length !== 1 || typeof only !== 'object')
    throw new TemplateError('The placeholder cannot be read');
  compilePlaceholder(only, references);
  return references.paths.map(({ path }) => `${path.name} ${path.text}`);
}

function listNames(part: Part): readonly string[] {
  if (part.kind === 'text') return [];
  return part.kind === 'kept' ? part.inserts.map(({ name }) => name) : part.names;
}

function joinPieces(pieces: readonly string[], inserted: readonly string[]): string {
  return pieces.map((piece, i) => (i === 0 ? piece : `${inserted[i - 1]}${piece}`)).join('');
}

/** The placeholder of the resulting workflow. It reads the same paths as before and no others. */
function printKept(kept: Kept, values: JsonObject, hole: Hole, frame: Frame): string {
  if (kept.inserts.length === 0) return kept.pieces.join('');
  let left = MAX_TEMPLATE_LENGTH;
  const inserted = kept.inserts.map(({ name, expression }, i) => {
    if (expression === null) return secretPath(values[name], hole, name);
    const value = evaluate(expression, hole, name, frame);
    left -= measureJson(value, left);
    if (left < 0)
      throw createParameterError(hole, name, `a template is at most ${MAX_TEMPLATE_LENGTH} characters long`);
    return printLiteral(value, kept.pieces[i + 1] ?? '');
  });
  const text = joinPieces(kept.pieces, inserted);
  if (kept.inserts.every(({ expression }) => expression === null)) return text;
  const [{ name }] = kept.inserts as [Insert, ...Insert[]];
  let others: string[];
  try {
    others = listPaths(text);
  } catch (error) {
    if (error instanceof TemplateError) throw createParameterError(hole, name, error.message);
    throw error;
  }
  if (others.length !== kept.others.length || others.some((path, i) => path !== kept.others[i]))
    throw createPlaceholderError(hole, name);
  return text;
}

function secretPath(value: Json | undefined, hole: Hole, name: string): string {
  if (typeof value !== 'string' || !/^[A-Za-z_]\w*$/.test(value))
    throw createParameterError(hole, name, 'it must name a secret');
  return `secrets.${value}`;
}

/**
 * A value as a literal of the expression language: JSON, except for numbers. `next` is the text after it.
 */
function printLiteral(value: Json, next: string): string {
  if (typeof value !== 'number') return JSON.stringify(value);
  const plain = JSON.stringify(value);
  // A whole number beyond what is exact is written as a decimal one; JSON has it as such too.
  const text =
    Number.isInteger(value) && !Number.isSafeInteger(value) && !plain.includes('e') ? `${plain}.0` : plain;
  return value < 0 || /^\s*[.[]/.test(next) ? `(${text})` : text;
}

function fillHole(hole: Hole, values: JsonObject, frame: Frame): Json | typeof OMITTED {
  const [first] = hole.parts;
  if (hole.parts.length === 1 && first?.kind === 'value') {
    const { plain } = first;
    if (plain !== null && !Object.hasOwn(values, plain)) return OMITTED;
    const value = evaluate(first.expression, hole, first.names[0], frame);
    if (containsPlaceholder(value)) throw createPlaceholderError(hole, first.names[0]);
    return value;
  }
  const kept: string[] = [];
  let text = '';
  for (const part of hole.parts) {
    if (part.kind === 'text') text += part.text;
    else if (part.kind === 'kept') {
      kept.push(printKept(part, values, hole, frame));
      text += kept.at(-1);
    } else if (part.plain === null || Object.hasOwn(values, part.plain)) {
      text += printValue(evaluate(part.expression, hole, part.names[0], frame), part.names[0], hole);
    }
    if (text.length > MAX_PRINTED_LENGTH) throw new ParametersTooLargeError();
  }
  requireSame(text, kept, hole);
  return text;
}

function evaluate(expression: Expression, hole: Hole, name: string | undefined, frame: Frame): Json {
  try {
    const value = expression.run(frame);
    if (expression.made) checkSize(value, MAX_VALUE_LENGTH);
    return value;
  } catch (error) {
    if (error instanceof TemplateEvaluationError) throw createParameterError(hole, name, error.message);
    if (error instanceof RangeError)
      throw createParameterError(hole, name, 'the expression is too deep or its result too large');
    throw error;
  }
}

function printValue(value: Json, name: string | undefined, hole: Hole): string {
  try {
    return print(value, MAX_PRINTED_LENGTH);
  } catch (error) {
    if (error instanceof TemplateEvaluationError) throw createParameterError(hole, name, error.message);
    throw error;
  }
}

function createParameterError(hole: Hole, name: string | undefined, message: string): ParameterError {
  return new ParameterError(`does not fit at ${hole.pointer}: ${message}`, name ?? '', hole.pointer);
}

function createPlaceholderError(hole: Hole, name = ''): ParameterError {
  return new ParameterError(
    `would make a placeholder ({{ … }}) at ${hole.pointer}; what a parameter brings is never one`,
    name,
    hole.pointer,
  );
}

/** The text must contain exactly the kept placeholders: joined pieces could have formed another one. */
function requireSame(text: string, kept: readonly string[], hole: Hole): void {
  if (kept.length === 0 && !text.includes('{{')) return;
  let found: string[];
  try {
    found = scanTemplate(text).flatMap((part) =>
      typeof part === 'string' ? [] : [text.slice(part.start, part.end)],
    );
  } catch {
    throw createPlaceholderError(hole, hole.names[0]);
  }
  if (found.length !== kept.length || found.some((one, i) => one !== kept[i]))
    throw createPlaceholderError(hole, hole.names[0]);
}

/** Characters of the value's JSON; more than `limit` when the value is too large to print. */
function measureJson(value: Json, limit: number): number {
  try {
    checkSize(value, limit);
  } catch (error) {
    if (error instanceof TemplateEvaluationError) return limit + 1;
    throw error;
  }
  return JSON.stringify(value).length;
}

type Container = Json[] | JsonObject;

/** A copy of the body with each text changed; walked by a worklist, so depth costs no stack. Keys stay. */
function mapTexts(
  body: Json,
  root: string,
  change: (text: string, pointer: string) => Json | typeof OMITTED,
): Json {
  const top: JsonObject = {};
  const work: { source: Container; copy: Container; pointer: string }[] = [];
  const enter = (copy: Container, key: string | number, value: Json, pointer: string): void => {
    if (typeof value === 'string') {
      const changed = change(value, pointer);
      if (changed !== OMITTED) put(copy, key, changed);
      else if (Array.isArray(copy)) put(copy, key, null);
    } else if (typeof value === 'object' && value !== null) {
      const inner: Container = Array.isArray(value) ? [] : {};
      put(copy, key, inner);
      work.push({ source: value, copy: inner, pointer });
    } else put(copy, key, value);
  };
  enter(top, 'body', body, root);
  for (let next = work.pop(); next !== undefined; next = work.pop()) {
    const { source, copy, pointer } = next;
    const entries: Iterable<[string | number, Json]> = Array.isArray(source)
      ? source.entries()
      : Object.entries(source);
    for (const [key, value] of entries) enter(copy, key, value, appendKey(pointer, key));
  }
  return top['body'] ?? null;
}

/** Sets an own property for any key, including `__proto__`. */
function put(container: Container, key: string | number, value: Json): void {
  Object.defineProperty(container, key, { value, enumerable: true, writable: true, configurable: true });
}
