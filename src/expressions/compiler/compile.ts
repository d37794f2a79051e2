import type { Step } from '../../lib/json/json-path.ts';
import { indexStep, isForbiddenKey, createKeyStep, walk } from '../../lib/json/json-path.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { callFunction } from './call.ts';
import {
  attempt,
  compileChoice,
  withHint,
  compileLogic,
  compileNegative,
  compileNot,
  compileOperation,
} from './logical-operators.ts';
import { TemplateError, TemplateEvaluationError } from '../errors.ts';
import type { Expression } from './expression.ts';
import { sumWeights } from './expression.ts';
import type { Frame } from '../evaluation-context.ts';
import { describeKind } from '../function.ts';
import { MAX_EXPRESSION_DEPTH } from '../limits.ts';
import { compileMacro, isMacro } from './macros.ts';
import { BINARY } from './operators.ts';
import type { ASTNode } from './parse.ts';
import { parseExpression } from './parse.ts';
import type { ScopePath } from './path.ts';
import { checkKey, makePath, parsePath, probePath, readScope } from './path.ts';
import type { Placeholder, Source } from './tokenizer.ts';
import { isScopeName } from '../scope.ts';

/** The nodes, secrets and paths that a template refers to. */
export class References {
  readonly secrets = new Set<string>();
  readonly nodes = new Set<string>();
  /** All paths in order; `start` and `end` are offsets in the template. */
  readonly paths: { readonly path: ScopePath; readonly start: number; readonly end: number }[] = [];

  add(path: ScopePath, start: number, end: number): void {
    this.paths.push({ path, start, end });
    if (path.secret !== undefined) this.secrets.add(path.secret);
    if (path.node !== undefined) this.nodes.add(path.node);
  }
}

/**
 * Where the compiler stands: the offset of the source in the template, the macro variables around, and how
 * deep it is.
 */
interface CompileContext {
  readonly at: number;
  readonly references: References;
  readonly locals: ReadonlyMap<string, number>;
  /**
   * The number of enclosing macros. Each variable has its own slot, so that shadowing does not overwrite a
   * value.
   */
  readonly slots: number;
  readonly depth: number;
}

type Node<Op extends ASTNode['op']> = Extract<ASTNode, { op: Op }>;

/** Compiles a placeholder. @throws {TemplateError} */
export function compilePlaceholder(placeholder: Placeholder, references: References): Expression {
  let expression = compileSource(placeholder.expression, references);
  for (const filter of placeholder.filters) {
    const args = filter.args.map((arg) => compileSource(arg, references));
    expression = callFunction(filter.name, [expression, ...args], filter.at);
  }
  return expression;
}

function compileSource(source: Source, references: References): Expression {
  const path = parsePath(source.text, source.at);
  if (path !== undefined) {
    references.add(path, source.at, source.at + source.text.length);
    return pathExpression(path);
  }
  return compileNode(parseExpression(source), {
    at: source.at,
    references,
    locals: new Map(),
    slots: 0,
    depth: 0,
  });
}

function pathExpression(path: ScopePath): Expression {
  return {
    run: (frame) => readScope(path, frame.scope),
    probe: (frame) => probePath(path, frame.scope),
    text: path.text,
    weight: 1,
    made: false,
  };
}

/** Recursion is bounded by MAX_EXPRESSION_DEPTH, and so is that of the evaluation. */
function compileNode(node: ASTNode, outer: CompileContext): Expression {
  const context = { ...outer, depth: outer.depth + 1 };
  if (context.depth > MAX_EXPRESSION_DEPTH) {
    throw new TemplateError(
      `An expression is nested at most ${MAX_EXPRESSION_DEPTH} deep`,
      context.at + node.start,
    );
  }
  switch (node.op) {
    case 'value':
      return literal(readLiteral(node, context));
    case 'id':
    case '.':
    case '[]':
      return compileAccess(node, context);
    case 'call':
      return compileCall(node, context);
    case 'rcall':
      return compileMethod(node, context);
    case 'list':
      return compileList(node, context);
    case 'map':
      return compileObject(node, context);
    case '?:':
      return compileChoice(...(compileAll(node.args, context) as [Expression, Expression, Expression]));
    case '&&':
    case '||':
      return compileLogic(node.op, ...(compileAll(node.args, context) as [Expression, Expression]));
    case '!_':
      return compileNot(compileNode(node.args, context));
    case '-_':
      return compileNegative(compileNode(node.args, context));
    case '.?':
    case '[?]':
      throw new TemplateError(
        'Optional access is not supported; has or default handle what may be missing',
        context.at + node.start,
      );
    default:
      return compileBinary(node, context);
  }
}

function literal(value: Json): Expression {
  return { run: () => value, weight: 1, made: false };
}

function readLiteral(node: Node<'value'>, context: CompileContext): Json {
  const value = node.args;
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number')
    return value;
  if (!(value instanceof Uint8Array)) {
    const number = Number(value.valueOf());
    if (Number.isSafeInteger(number)) return number;
    throw new TemplateError(
      `${value.toString()} is too large to be exact; it can be written as a string`,
      context.at + node.start,
    );
  }
  throw new TemplateError('Bytes are not supported; write a string without the b', context.at + node.start);
}

/** Compiles a name followed by steps. Literal steps are walked at once; `[expression]` is computed. */
function compileAccess(node: Node<'id' | '.' | '[]'>, context: CompileContext): Expression {
  const at = context.at + node.start;
  const steps: Step[] = [];
  let base: ASTNode = node;
  while (base.op === '.' || base.op === '[]') {
    const step = findStep(base);
    if (step === undefined) break;
    checkKey(step.key, at);
    steps.unshift(step);
    base = base.args[0];
  }
  const text = readText(node);
  if (base.op === 'id') {
    const slot = context.locals.get(base.args);
    if (slot === undefined) {
      const path = makePath(base.args, steps, text, at);
      context.references.add(path, at, context.at + node.end);
      return pathExpression(path);
    }
    return createAccessor(
      { run: (frame) => frame.locals[slot] as Json, weight: 1, made: false },
      steps,
      text,
    );
  }
  const inner =
    base.op === '[]' && steps.length === 0 ? compileComputed(base, context) : compileNode(base, context);
  return steps.length === 0 ? inner : createAccessor(inner, steps, text);
}

function findStep(node: Node<'.' | '[]'>): Step | undefined {
  if (node.op === '.') return createKeyStep(node.args[1], true);
  const key = node.args[1];
  if (key.op !== 'value') return undefined;
  if (typeof key.args === 'string') return createKeyStep(key.args, false);
  if (typeof key.args !== 'bigint' || key.args > 999_999_999n) return undefined;
  return indexStep(Number(key.args));
}

function createAccessor(base: Expression, steps: readonly Step[], text: string): Expression {
  const source = base.probe ?? base.run;
  const probe = (frame: Frame): Json | undefined => {
    const value = source(frame);
    return value === undefined ? undefined : walk(steps, value);
  };
  return { probe, run: requireFound(probe, text), text, weight: base.weight + 1, made: base.made };
}

function requireFound(probe: (frame: Frame) => Json | undefined, text: string): (frame: Frame) => Json {
  return (frame) => {
    const value = probe(frame);
    if (value === undefined)
      throw new TemplateEvaluationError(`${text} is missing`, 'missing', { path: text });
    return value;
  };
}

/** `base[expression]`: an element of a list by a whole number, a field of an object by a text. */
function compileComputed(node: Node<'[]'>, context: CompileContext): Expression {
  if (node.args[0].op === 'id' && !context.locals.has(node.args[0].args)) {
    const name = node.args[0].args;
    if (name === 'secrets' || name === 'nodes') {
      throw new TemplateError(
        `The name behind ${name} is written out, not computed`,
        context.at + node.start,
      );
    }
  }
  const base = compileNode(node.args[0], context);
  const key = compileNode(node.args[1], context);
  const source = base.probe ?? base.run;
  const probe = (frame: Frame): Json | undefined => {
    const container = source(frame);
    const name = key.run(frame);
    if (typeof container !== 'object' || container === null) return undefined;
    if (Array.isArray(container)) {
      return typeof name === 'number' && Number.isSafeInteger(name) && name >= 0
        ? container[name]
        : undefined;
    }
    if (typeof name !== 'string' && typeof name !== 'number') return undefined;
    const field = String(name);
    return !isForbiddenKey(field) && Object.hasOwn(container, field) ? container[field] : undefined;
  };
  const text = readText(node);
  return { probe, run: requireFound(probe, text), text, weight: sumWeights([base, key]), made: base.made };
}

/** The source of a path for error messages, truncated to 80 characters. */
function readText(node: ASTNode): string {
  const text = node.input.slice(node.start, node.end);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

function compileCall(node: Node<'call'>, context: CompileContext): Expression {
  const [name, args] = node.args;
  const at = context.at + node.start;
  if (name !== 'has') return callFunction(name, compileAll(args, context), at);
  const [path] = compileAll(args, context);
  if (path?.probe === undefined || args.length !== 1) {
    throw new TemplateError('has: argument must be a path such as has(input.customer.name)', at);
  }
  return { run: (frame) => attempt(path, frame) !== undefined, weight: path.weight + 1, made: false };
}

function compileMethod(node: Node<'rcall'>, context: CompileContext): Expression {
  const [name, receiver, args] = node.args;
  const at = context.at + node.start;
  const list = compileNode(receiver, context);
  const [variable, ...body] = args;
  if (variable?.op !== 'id' || !isMacro(name, args.length)) {
    return callFunction(name, [list, ...compileAll(args, context)], at);
  }
  if (isScopeName(variable.args))
    throw new TemplateError(`The variable of ${name} cannot be called ${variable.args}`, at);
  checkKey(variable.args, at);
  const slot = context.slots;
  const locals = new Map(context.locals).set(variable.args, slot);
  return compileMacro({ name, list, slot, body: compileAll(body, { ...context, locals, slots: slot + 1 }) });
}

function compileAll(nodes: readonly ASTNode[], context: CompileContext): Expression[] {
  return nodes.map((node) => compileNode(node, context));
}

function compileList(node: Node<'list'>, context: CompileContext): Expression {
  const elements = compileAll(node.args, context);
  return {
    run: (frame) => elements.map((element) => element.run(frame)),
    weight: sumWeights(elements),
    made: true,
  };
}

function compileObject(node: Node<'map'>, context: CompileContext): Expression {
  const entries = node.args.map(([key, value]) => {
    if (key.op === 'value' && typeof key.args === 'string') checkKey(key.args, context.at + key.start);
    return { key: compileNode(key, context), value: compileNode(value, context) };
  });
  const run = (frame: Frame): Json => {
    const object: JsonObject = {};
    for (const entry of entries) {
      const key = entry.key.run(frame);
      if (typeof key !== 'string' && typeof key !== 'number') {
        throw new TemplateEvaluationError(`A key of an object must be a string, got ${describeKind(key)}`);
      }
      if (isForbiddenKey(String(key)))
        throw new TemplateEvaluationError(`${key} cannot be a key of an object`);
      object[key] = entry.value.run(frame);
    }
    return object;
  };
  return { run, weight: sumWeights(entries.flatMap((entry) => [entry.key, entry.value])), made: true };
}

function compileBinary(
  node: Extract<ASTNode, { args: [ASTNode, ASTNode] }>,
  context: CompileContext,
): Expression {
  const operator = BINARY.get(node.op);
  if (operator === undefined)
    throw new TemplateError(`The operator ${node.op} is not supported`, context.at + node.start);
  const [left, right] = node.args;
  const result = compileOperation(
    operator,
    compileNode(left, context),
    compileNode(right, context),
    node.op === '+',
  );
  // `headers.content-type` is a difference, which is rarely the intention.
  const looksLikeName =
    node.op === '-' &&
    (right.op === '.' || right.op === 'id') &&
    node.input.slice(left.end, right.start) === '-';
  if (!looksLikeName) return result;
  return withHint(
    result,
    `${readText(node)} is a difference; a name with a hyphen is written as in headers["content-type"]`,
  );
}
