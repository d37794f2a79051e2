import type { Step } from '../lib/json/json-path.ts';
import { indexStep, isForbiddenKey, keyStep, MAX_PATH_STEPS, walk } from '../lib/json/json-path.ts';
import type { Json } from '../lib/json/json.ts';
import { TemplateError, TemplateEvaluationError } from './errors.ts';
import { kindOf } from './function.ts';
import type { Root, TemplateScope } from './scope.ts';
import { isInputName, nodeRoot, rootOf, secretRoot } from './scope.ts';

/** A path all of whose steps are written out, so that it is read by a walk from its root. */
export interface ScopePath {
  /** As it is written. */
  readonly text: string;
  /** The first name, whatever it stands for. */
  readonly name: string;
  readonly root: Root;
  /** What the root is called in errors: `input`, `nodes.fetch`; undefined when it is a name looked up in `input`. */
  readonly rootText: string;
  readonly steps: readonly Step[];
  readonly node?: string;
  readonly secret?: string;
}

const NAME = /^[\p{L}_$][\p{L}\p{N}_$]*/u;
const STEP = /\.([\p{L}\p{N}_$]+)|\[(0|[1-9]\d{0,8})\]|\["([^"\\]*)"\]|\['([^'\\]*)'\]/uy;
const LITERALS = new Set(['true', 'false', 'null', 'in']);

/** Reads a path such as `input.items[0]["odd name"]`; undefined when the text is anything else. @throws {TemplateError} */
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
    else if (plain !== undefined) steps.push(keyStep(plain, true));
    else steps.push(keyStep(double ?? single ?? '', false));
    position += match[0].length;
  }
  return makePath(name, steps, text, at);
}

/** Makes the path of a first name and its steps. @throws {TemplateError} for a path that never resolves. */
export function makePath(name: string, steps: readonly Step[], text: string, at: number): ScopePath {
  if (steps.length > MAX_PATH_STEPS)
    throw new TemplateError(`A path has at most ${MAX_PATH_STEPS} steps`, at);
  checkKey(name, at);
  for (const step of steps) checkKey(step.key, at);
  if (name !== 'nodes' && name !== 'secrets') {
    const rootText = isInputName(name) ? '' : name;
    return { text, name, root: rootOf(name), rootText, steps };
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
    return { text, name, root: nodeRoot(first.key), rootText, steps: rest, node: first.key };
  if (rest.length > 0) throw new TemplateError(`${rootText} is a text, and has no fields`, at);
  return { text, name, root: secretRoot(first.key), rootText, steps: rest, secret: first.key };
}

/** @throws {TemplateError} for a key that leads to a prototype. */
export function checkKey(key: string, at: number): void {
  if (isForbiddenKey(key)) throw new TemplateError(`${key} never resolves in a template`, at);
}

/** What is at a path; undefined when nothing is. */
export function probePath(path: ScopePath, scope: TemplateScope): Json | undefined {
  const root = path.root(scope);
  return path.steps.length === 0 ? root : walk(path.steps, root);
}

/** What is at a path. @throws {TemplateEvaluationError} that names the path, and how far it led. */
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
    const detail = reason ?? (text === '' ? inputReason(scope.input) : `there is no ${text} here`);
    return new TemplateEvaluationError(`${path.text} is missing: ${detail}`, 'missing', where);
  }
  // The name of a root that was found in the input is the text in front of the first step.
  if (text === '') text = /^[^.[]*/.exec(path.text)?.[0] ?? path.text;
  for (const [i, step] of path.steps.entries()) {
    const next = walk(path.steps.slice(i, i + 1), value);
    if (next === undefined) break;
    value = next;
    text += step.isIndex ? `[${step.key}]` : `.${step.key}`;
  }
  return new TemplateEvaluationError(`${path.text} is missing: ${whatHas(text, value)}`, 'missing', where);
}

function inputReason(input: Json): string {
  return typeof input === 'object' && input !== null && !Array.isArray(input)
    ? 'input has no such field'
    : `input is ${kindOf(input)}`;
}

function whatHas(text: string, value: Json): string {
  if (Array.isArray(value)) return `${text} is a list of ${value.length}`;
  if (typeof value === 'object' && value !== null) return `${text} has no such field`;
  return `${text} is ${kindOf(value)}`;
}
