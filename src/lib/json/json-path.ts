import type { Json, JsonObject } from './json.ts';
import { isObject } from './json.ts';

/** Maximum number of steps of a path. */
export const MAX_PATH_STEPS = 32;
/** Maximum length of a path, in characters. */
export const MAX_PATH_LENGTH = 1000;

/** A path that cannot be compiled or written to. `position` is an offset in its text. */
export class PathError extends Error {
  override readonly name = 'PathError';
  readonly position: number;
  constructor(message: string, position = 0) {
    super(message);
    this.position = position;
  }
}

/**
 * One step. `index` is -1 when the step can only be a key; `isIndex` marks `[0]`, which creates a list when
 * written.
 */
export interface Step {
  readonly key: string;
  readonly index: number;
  readonly isIndex: boolean;
}

/** A compiled path: `a.b[0]["odd name"]`. */
export interface JsonPath {
  readonly text: string;
  readonly steps: readonly Step[];
}

/** The result of `readPath`; `value` is null when the path does not exist. */
export interface Reading {
  readonly isFound: boolean;
  readonly value: Json;
}

const MISSING: Reading = Object.freeze({ isFound: false, value: null });
const NAME = /[^\s.[\]{}"'\\]+/y;
const INDEX = /\[(0|[1-9]\d{0,8})\]/y;
const QUOTED = /\[("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')\]/y;
const DIGITS = /^(?:0|[1-9]\d{0,8})$/;
const PLAIN = /^[A-Za-z_$][\w$-]*$/;

/** Whether a key leads to a prototype: such keys never resolve and are never written. */
export function isForbiddenKey(key: string): boolean {
  return key === '__proto__' || key === 'constructor' || key === 'prototype';
}

/**
 * A step for a key, written as a name or a quoted string; `name` marks a name, which may be an index of a
 * list.
 */
export function createKeyStep(key: string, name: boolean): Step {
  return { key, index: name && DIGITS.test(key) ? Number(key) : -1, isIndex: false };
}

/** A step for `[index]`; `index` is an integer from 0. */
export function indexStep(index: number): Step {
  return { key: String(index), index, isIndex: true };
}

/** Appends a step to the text of a path: `a`, `a.b`, `a[0]`, `a["odd name"]`. */
export function appendKey(path: string, key: string | number): string {
  if (typeof key === 'number') return `${path}[${key}]`;
  if (!PLAIN.test(key)) return `${path}[${JSON.stringify(key)}]`;
  return path === '' ? key : `${path}.${key}`;
}

/**
 * Compiles a path. Steps are names, `[0]` and `["any text"]`; a name of digits is an index in a list and a
 * key in an object. @throws {PathError} with the reason.
 */
export function compilePath(text: string): JsonPath {
  if (text.length > MAX_PATH_LENGTH)
    throw new PathError(`A path must have at most ${MAX_PATH_LENGTH} characters`);
  if (text === '') throw new PathError('A path must not be empty; examples are customer.name and items[0]');
  const steps: Step[] = [];
  let at = 0;
  while (at < text.length) {
    const start = at;
    if (steps.length === MAX_PATH_STEPS)
      throw new PathError(`A path has at most ${MAX_PATH_STEPS} steps`, at);
    if (text[at] === '[') {
      const index = matchAt(INDEX, text, at);
      const quoted = index === undefined ? matchAt(QUOTED, text, at) : undefined;
      if (index !== undefined) {
        steps.push(indexStep(Number(index[1])));
        at += index[0].length;
      } else if (quoted !== undefined) {
        steps.push(createKeyStep(unquote(quoted[1] ?? '', at), false));
        at += quoted[0].length;
      } else {
        throw new PathError(
          `Wrong step at ${at} of the path ${text}: brackets take a number or a quoted text`,
          at,
        );
      }
    } else {
      if (text[at] === '.' && steps.length > 0) at++;
      const name = matchAt(NAME, text, at);
      if (name === undefined || (start === at && steps.length > 0)) {
        throw new PathError(`Wrong step at ${at} of the path ${text}: a name is expected`, at);
      }
      steps.push(createKeyStep(name[0], true));
      at += name[0].length;
    }
    const step = steps.at(-1);
    if (step !== undefined && isForbiddenKey(step.key)) {
      throw new PathError(`The path ${text} names ${step.key}, which never resolves`, start);
    }
  }
  return { text, steps };
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}

function unquote(quoted: string, position: number): string {
  if (quoted.startsWith("'")) return quoted.slice(1, -1).replace(/\\(.)/gs, '$1');
  try {
    return JSON.parse(quoted) as string;
  } catch {
    throw new PathError(`Wrong text in brackets at ${position}: ${quoted}`, position);
  }
}

/** Reads the value at a path, by own properties only. Never throws. */
export function readPath(path: JsonPath, value: Json): Reading {
  const found = walk(path.steps, value);
  return found === undefined ? MISSING : { isFound: true, value: found };
}

/** As `readPath`, without allocating a result: undefined when the path does not exist. */
export function walk(steps: readonly Step[], value: Json | undefined): Json | undefined {
  let current = value;
  for (let i = 0; i < steps.length; i++) {
    const step = steps[i] as Step;
    if (typeof current !== 'object' || current === null) return undefined;
    if (Array.isArray(current)) {
      current = step.index >= 0 ? current[step.index] : undefined;
    } else {
      current = Object.hasOwn(current, step.key) ? current[step.key] : undefined;
    }
  }
  return current;
}

/**
 * Sets the value at a path of `target`, which is changed; objects and lists in between are created or copied,
 * never changed in place, because they may be shared. `[n]` creates a list; the greatest index is one past
 * its last element. @throws {PathError} when a step would go through a value that is not an object or a list,
 * or leave a gap in a list.
 */
export function writePath(path: JsonPath, target: JsonObject, value: Json): void {
  let container: JsonObject | Json[] = target;
  for (const [position, step] of path.steps.entries()) {
    const next = path.steps[position + 1];
    const old: Json | undefined = readStep(step, container);
    const content: Json = next === undefined ? value : open(path, position, old, next);
    if (Array.isArray(container)) {
      if (step.index < 0 || step.index > container.length) {
        throw new PathError(`${path.text} cannot be written: the list has ${container.length} elements`);
      }
      container[step.index] = content;
    } else if (step.isIndex) {
      throw new PathError(
        `${path.text} cannot be written: [${step.key}] needs a list, and an object is there`,
      );
    } else {
      container[step.key] = content;
    }
    if (next === undefined) return;
    container = content as JsonObject | Json[];
  }
}

function readStep(step: Step, container: JsonObject | Json[]): Json | undefined {
  if (Array.isArray(container)) return step.index >= 0 ? container[step.index] : undefined;
  return Object.hasOwn(container, step.key) ? container[step.key] : undefined;
}

/** The container for the step after `position`: a copy of the existing one, or a new one. */
function open(path: JsonPath, position: number, old: Json | undefined, next: Step): Json {
  if (old === undefined || old === null) return next.isIndex ? [] : {};
  if (Array.isArray(old)) return old.slice();
  if (isObject(old)) return { ...old };
  const done = path.steps.slice(0, position + 1).map((step) => step.key);
  throw new PathError(`${path.text} cannot be written: ${done.join('.')} holds a ${typeof old}`);
}
