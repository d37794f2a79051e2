import type { Step } from '../../lib/json/json-path.ts';
import { indexStep, isForbiddenKey, createKeyStep, MAX_PATH_STEPS, walk } from '../../lib/json/json-path.ts';
import type { Json } from '../../lib/json/json.ts';
import { TemplateError, TemplateEvaluationError } from '../errors.ts';
import { describeKind } from '../function.ts';
import type { Root, TemplateScope } from '../scope.ts';
import { isInputName, createNodeRoot, findRoot, createSecretRoot } from '../scope.ts';

/** A path with only literal steps, which is read by a walk from its root. */
export interface ScopePath {
  /** The source text. */
  readonly text: string;
  /** The first name. */
  readonly name: string;
  readonly root: Root;
  /**
   * The root in error messages, such as `input` or `nodes.fetch`; empty for a name that is looked up in
   * `input`.
   */
  readonly rootText: string;
  readonly steps: readonly Step[];
  readonly node?: string;
  readonly secret?: string;
}

const NAME = /^[\p{L}_$][\p{L}\p{N}_$]*/u;
const STEP = /\.([\p{L}\p{N}_$]+)|\[(0|[1-9]\d{0,8})\]|\["([^"\\]*)"\]|\['([^'\\]*)'\]/uy;
const LITERALS = new Set(['true', 'false', 'null', 'in']);

/**
 * Reads a path such as `input.items[0]["odd name"]`; undefined when the text is anything else. @throws
 * {TemplateError}
 */
export function parsePath(text: string, at: number): ScopePath | undefined {
  const name = NAME.exec(text)?.[0];
  if (name === undefined || LITERALS.has(name)) return undefined;
  const steps: Step[] = [];
  let position = name.length;
  while (position < text.length) {
    STEP.lastIndex = position;
    const match = STEP.exec(text);
    if (match === null) return undefined;
    const [, plain, index, double, single] = match;
    if (index !== undefined) steps.push(indexStep(Number(index)));
    else if (plain !== undefined) steps.push(createKeyStep(plain, true));
    else steps.push(createKeyStep(double ?? single ?? '', false));
    position += match[0].length;
  }
  return makePath(name, steps, text, at);
}

/** Creates a path from a first name and steps. @throws {TemplateError} for a path that never resolves. */
export function makePath(name: string, steps: readonly Step[], text: string, at: number): ScopePath {
  if (steps.length > MAX_PATH_STEPS)
    throw new TemplateError(`A path has at most ${MAX_PATH_STEPS} steps`, at);
  checkKey(name, at);
  for (const step of steps) checkKey(step.key, at);
  if (name !== 'nodes' && name !== 'secrets') {
    const rootText = isInputName(name) ? '' : name;
    return { text, name, root: findRoot(name), rootText, steps };
  }
  const [first, ...rest] = steps;
  if (first === undefined || first.isIndex) {
    throw new TemplateError(
      `${name} is used with a name behind it, such as ${name}.${name === 'nodes' ? 'fetch' : 'API_KEY'}`,
      at,
    );
  }
  const rootText = `${name}.${first.key}`;
  if (name === 'nodes')
    return { text, name, root: createNodeRoot(first.key), rootText, steps: rest, node: first.key };
  if (rest.length > 0) throw new TemplateError(`${rootText} is a string and has no fields`, at);
  return { text, name, root: createSecretRoot(first.key), rootText, steps: rest, secret: first.key };
}

/** @throws {TemplateError} for a key that leads to a prototype. */
export function checkKey(key: string, at: number): void {
  if (isForbiddenKey(key)) throw new TemplateError(`${key} never resolves in a template`, at);
}

/** Reads the value at a path; undefined when it is missing. */
export function probePath(path: ScopePath, scope: TemplateScope): Json | undefined {
  const root = path.root(scope);
  return path.steps.length === 0 ? root : walk(path.steps, root);
}

/**
 * Reads the value at a path. @throws {TemplateEvaluationError} naming the path and its first missing step.
 */
export function readScope(path: ScopePath, scope: TemplateScope): Json {
  const value = probePath(path, scope);
  if (value === undefined) throw missingPath(path, scope);
  return value;
}

function missingPath(path: ScopePath, scope: TemplateScope): TemplateEvaluationError {
  const where = { path: path.text };
  let value = path.root(scope);
  let text = path.rootText;
  if (value === undefined) {
    const reason = path.secret
      ? 'no such secret is stored'
      : path.node
        ? 'this node has no output here'
        : undefined;
    const detail = reason ?? (text === '' ? describeInput(scope.input) : `there is no ${text} here`);
    return new TemplateEvaluationError(`${path.text} is missing: ${detail}`, 'missing', where);
  }
  // For a root that is a field of the input, its name is the text before the first step.
  if (text === '') text = /^[^.[]*/.exec(path.text)?.[0] ?? path.text;
  for (const [i, step] of path.steps.entries()) {
    const next = walk(path.steps.slice(i, i + 1), value);
    if (next === undefined) break;
    value = next;
    text += step.isIndex ? `[${step.key}]` : `.${step.key}`;
  }
  return new TemplateEvaluationError(
    `${path.text} is missing: ${describeContainer(text, value)}`,
    'missing',
    where,
  );
}

function describeInput(input: Json): string {
  return typeof input === 'object' && input !== null && !Array.isArray(input)
    ? 'input has no such field'
    : `input is ${describeKind(input)}`;
}

function describeContainer(text: string, value: Json): string {
  if (Array.isArray(value)) return `${text} is a list of ${value.length}`;
  if (typeof value === 'object' && value !== null) return `${text} has no such field`;
  return `${text} is ${describeKind(value)}`;
}
