import type { Json, JsonObject } from '../../lib/json.ts';
import { appendKey } from '../../lib/json-path.ts';
import { compilePlaceholder, References } from './compile.ts';
import { TemplateError, TemplateEvaluationError } from './errors.ts';
import type { Expression } from './expression.ts';
import { Frame } from './frame.ts';
import { MAX_PRINTED_LENGTH, MAX_VALUE_LENGTH } from './limits.ts';
import { checkSize, print } from './measure.ts';
import type { Placeholder } from './scan.ts';
import { scanTemplate } from './scan.ts';

/*
 * Parameters are put into a body once, before it is anything that runs: `{{ parameters.NAME }}`. Every other placeholder
 * belongs to the workflow, and stays as it is for the time when that runs. So a body is read in one pass, and what a
 * parameter brings in can never become a placeholder: neither by itself, nor with the text around it, nor with what
 * another parameter brings.
 */

const ROOT = 'parameters';
/** `secrets[parameters.NAME]` in a placeholder of the workflow: the one way in which a parameter takes part in it. */
const SECRET = /\bsecrets\s*\[\s*parameters\s*\.\s*([A-Za-z_]\w*)\s*\]/;

/** Where parameters stand in a body: `pointer` is the field, `names` those in it, each once. */
export type ParameterUse = { readonly pointer: string; readonly names: readonly string[] };
/** A text that cannot be read. */
export type ParameterFault = { readonly pointer: string; readonly message: string };

/** Why a value cannot be put in. `name` is the parameter, `pointer` the place. */
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
export class ParametersTooLarge extends Error {
  override readonly name = 'ParametersTooLarge';
}

export type ParameterBody = {
  readonly faults: readonly ParameterFault[];
  /** All places at which parameters stand. */
  readonly uses: readonly ParameterUse[];
  /** The parameters whose values name a secret, with the place: `secrets[parameters.NAME]`. */
  readonly secretUses: readonly { readonly name: string; readonly pointer: string }[];
  /**
   * The body with the values in it. A placeholder alone takes the value with its type; without a value its field is left out
   * (null in a list), and inside text it prints as nothing. `limit` bounds what the values add, in characters of JSON.
   * @throws {ParameterError} {ParametersTooLarge}
   */
  fill(values: JsonObject, options: { now: number; limit: number }): Json;
};

type Part =
  | { readonly kind: 'text'; readonly text: string }
  /** A placeholder of the workflow, in pieces between which the names of secrets stand. */
  | { readonly kind: 'kept'; readonly pieces: readonly string[]; readonly secrets: readonly string[] }
  /** `plain`: nothing but the parameter of this name. */
  | {
      readonly kind: 'value';
      readonly expression: Expression;
      readonly plain: string | null;
      readonly names: readonly string[];
    };

type Hole = ParameterUse & { readonly parts: readonly Part[] };

const leftOut = Symbol('left out');

/** Reads a body; `root` stands in front of every pointer. Never throws: what is wrong is in `faults`. */
export function compileParameters(body: Json, root: string): ParameterBody {
  const faults: ParameterFault[] = [];
  const holes = new Map<string, Hole>();
  mapTexts(body, root, (text, pointer) => {
    try {
      const parts = compileText(text);
      if (parts !== null) holes.set(pointer, { pointer, parts, names: [...new Set(parts.flatMap(namesOf))] });
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
      parts.flatMap((part) => (part.kind === 'kept' ? part.secrets.map((name) => ({ name, pointer })) : [])),
    ),
    fill(values, { now, limit }) {
      // One frame for all: the steps of all expressions together are bounded.
      const frame = new Frame({ input: { [ROOT]: values }, now });
      let left = limit;
      return mapTexts(body, root, (text, pointer) => {
        const hole = holes.get(pointer);
        if (hole === undefined) return text;
        const value = fillHole(hole, values, frame);
        if (value === leftOut) return leftOut;
        left -= sizeOf(value, left);
        if (left < 0) throw new ParametersTooLarge();
        return value;
      });
    },
  };
}

/** True when a text anywhere in the value holds `{{`. */
export function holdsPlaceholder(value: Json): boolean {
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

/** Null when no parameter stands in the text. @throws {TemplateError} */
function compileText(text: string): Part[] | null {
  if (!text.includes('{{') || !text.includes(ROOT)) return null;
  const parts = scanTemplate(text).map((segment): Part => {
    if (typeof segment === 'string') return { kind: 'text', text: segment };
    return compilePart(text.slice(segment.start, segment.end), segment);
  });
  return parts.some((part) => namesOf(part).length > 0) ? parts : null;
}

function compilePart(raw: string, placeholder: Placeholder): Part {
  if (!raw.includes(ROOT)) return { kind: 'kept', pieces: [raw], secrets: [] };
  const split = raw.split(new RegExp(SECRET, 'g'));
  const secrets = split.filter((_, i) => i % 2 === 1);
  const pieces = split.filter((_, i) => i % 2 === 0);
  if (secrets.length > 0) {
    const [sample] = scanTemplate(keptText(pieces, secrets));
    const references = new References();
    if (typeof sample === 'object') compilePlaceholder(sample, references);
    if (references.paths.some((path) => path.name === ROOT)) throw mixed('secrets', placeholder);
    return { kind: 'kept', pieces, secrets };
  }
  const references = new References();
  const expression = compilePlaceholder(placeholder, references);
  const own = references.paths.filter((path) => path.name === ROOT);
  if (own.length === 0) return { kind: 'kept', pieces: [raw], secrets: [] };
  const other = references.paths.find((path) => path.name !== ROOT);
  if (other !== undefined) throw mixed(other.text, placeholder);
  const names = own.map((path) => {
    const [first] = path.steps;
    if (first === undefined || first.isIndex)
      throw new TemplateError(
        'parameters is used with a name behind it, such as parameters.url',
        placeholder.start,
      );
    return first.key;
  });
  const isPlain = placeholder.filters.length === 0 && own.length === 1 && own[0]?.steps.length === 1;
  const isPath = isPlain && own[0]?.text === placeholder.expression.text;
  return { kind: 'value', expression, plain: isPath ? (names[0] ?? null) : null, names };
}

function mixed(other: string, placeholder: Placeholder): TemplateError {
  return new TemplateError(
    `A placeholder cannot mix parameters with ${other}, which is known only when the workflow runs; give the parameter a placeholder of its own`,
    placeholder.start,
  );
}

function namesOf(part: Part): readonly string[] {
  if (part.kind === 'text') return [];
  return part.kind === 'kept' ? part.secrets : part.names;
}

function keptText(pieces: readonly string[], secrets: readonly string[]): string {
  return pieces.map((piece, i) => (i === 0 ? piece : `secrets.${secrets[i - 1]}${piece}`)).join('');
}

function fillHole(hole: Hole, values: JsonObject, frame: Frame): Json | typeof leftOut {
  const [first] = hole.parts;
  if (hole.parts.length === 1 && first?.kind === 'value') {
    const { plain } = first;
    if (plain !== null && !Object.hasOwn(values, plain)) return leftOut;
    const value = evaluate(first, hole, frame);
    if (holdsPlaceholder(value)) throw opens(hole, first.names[0]);
    return value;
  }
  const kept: string[] = [];
  let text = '';
  for (const part of hole.parts) {
    if (part.kind === 'text') text += part.text;
    else if (part.kind === 'kept') {
      kept.push(
        keptText(
          part.pieces,
          part.secrets.map((name) => String(values[name])),
        ),
      );
      text += kept.at(-1);
    } else if (part.plain === null || Object.hasOwn(values, part.plain)) {
      text += printed(evaluate(part, hole, frame), part, hole);
    }
    if (text.length > MAX_PRINTED_LENGTH) throw new ParametersTooLarge();
  }
  requireSame(text, kept, hole);
  return text;
}

function evaluate(part: Part & { kind: 'value' }, hole: Hole, frame: Frame): Json {
  try {
    const value = part.expression.run(frame);
    if (part.expression.made) checkSize(value, MAX_VALUE_LENGTH);
    return value;
  } catch (error) {
    if (error instanceof TemplateEvaluationError) throw wrong(hole, part, error.message);
    if (error instanceof RangeError)
      throw wrong(hole, part, 'the expression is too deep or its result too large');
    throw error;
  }
}

function printed(value: Json, part: Part & { kind: 'value' }, hole: Hole): string {
  try {
    return print(value, MAX_PRINTED_LENGTH);
  } catch (error) {
    if (error instanceof TemplateEvaluationError) throw wrong(hole, part, error.message);
    throw error;
  }
}

function wrong(hole: Hole, part: Part & { kind: 'value' }, message: string): ParameterError {
  const name = part.names[0] ?? '';
  return new ParameterError(`does not fit at ${hole.pointer}: ${message}`, name, hole.pointer);
}

function opens(hole: Hole, name = ''): ParameterError {
  return new ParameterError(
    `would make a placeholder ({{ … }}) at ${hole.pointer}; what a parameter brings is never one`,
    name,
    hole.pointer,
  );
}

/** The text must hold the placeholders that were kept, and no others: pieces that met could have made one. */
function requireSame(text: string, kept: readonly string[], hole: Hole): void {
  if (kept.length === 0 && !text.includes('{{')) return;
  let found: string[];
  try {
    found = scanTemplate(text).flatMap((part) =>
      typeof part === 'string' ? [] : [text.slice(part.start, part.end)],
    );
  } catch {
    throw opens(hole, hole.names[0]);
  }
  if (found.length !== kept.length || found.some((one, i) => one !== kept[i]))
    throw opens(hole, hole.names[0]);
}

/** Characters of the value's JSON; more than `limit` when it is too large to be printed. */
function sizeOf(value: Json, limit: number): number {
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
  change: (text: string, pointer: string) => Json | typeof leftOut,
): Json {
  const top: JsonObject = {};
  const work: { source: Container; copy: Container; pointer: string }[] = [];
  const enter = (copy: Container, key: string | number, value: Json, pointer: string): void => {
    if (typeof value === 'string') {
      const changed = change(value, pointer);
      if (changed !== leftOut) put(copy, key, changed);
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

/** An own property whatever the key is: `__proto__` too. */
function put(container: Container, key: string | number, value: Json): void {
  Object.defineProperty(container, key, { value, enumerable: true, writable: true, configurable: true });
}
