import type { Json } from '../lib/json/json.ts';
import { compilePlaceholder, References } from './compiler/compile.ts';
import { TemplateEvaluationError } from './errors.ts';
import type { Expression } from './compiler/expression.ts';
import { Frame } from './evaluation-context.ts';
import { MAX_PRINTED_LENGTH, MAX_VALUE_LENGTH } from './limits.ts';
import { checkSize, print, createTooLargeError } from './result-limits.ts';
import { parsePath, readScope } from './compiler/path.ts';
import type { Segment } from './compiler/tokenizer.ts';
import { scanTemplate } from './compiler/tokenizer.ts';
import type { TemplateScope } from './scope.ts';

/**
 * A compiled template. It has no state and may be evaluated repeatedly; its result is never parsed as a
 * template.
 */
export interface Template {
  readonly text: string;
  /** True when it has no placeholder: it always evaluates to its own text. */
  readonly isConstant: boolean;
  /** The distinct secrets that it reads. */
  readonly secretNames: readonly string[];
  /** True when it is a single path in braces. */
  readonly isPath: boolean;
  /** The distinct nodes whose outputs it reads. */
  readonly nodeIds: readonly string[];
  /**
   * One placeholder alone gives its value with its type: a value that is in the scope is given as it is, not
   * copied. Otherwise a text: texts print as they are, null as nothing, lists and objects as JSON.
   * @throws {TemplateEvaluationError}
   */
  readonly evaluate: (scope: TemplateScope) => Json;
}

/** Compiles a template such as `Dear {{ input.name | default: "friend" }}`. @throws {TemplateError} */
export function compileTemplate(text: string): Template {
  const references = new References();
  const segments = scanTemplate(text);
  const evaluate = evaluator(text, segments, references);
  return {
    text,
    isConstant: segments.every((segment) => typeof segment === 'string'),
    isPath: findLonePath(segments) !== undefined,
    secretNames: [...references.secrets],
    nodeIds: [...references.nodes],
    evaluate,
  };
}

function evaluator(text: string, segments: readonly Segment[], references: References): Template['evaluate'] {
  const [only] = segments;
  if (only === undefined) return () => text;
  if (segments.length > 1) return printer(segments, references);
  if (typeof only === 'string') return () => text;
  const lone = findLonePath(segments);
  if (lone !== undefined) {
    references.add(lone, only.expression.at, only.expression.at + only.expression.text.length);
    return (scope) => readScope(lone, scope);
  }
  const expression = compilePlaceholder(only, references);
  return (scope) => {
    const value = runExpression(expression, new Frame(scope));
    if (expression.made) checkSize(value, MAX_VALUE_LENGTH);
    return value;
  };
}

function findLonePath(segments: readonly Segment[]): ReturnType<typeof parsePath> {
  const [only] = segments;
  if (segments.length !== 1 || only === undefined || typeof only === 'string') return undefined;
  return only.filters.length === 0 ? parsePath(only.expression.text, only.expression.at) : undefined;
}

function printer(segments: readonly Segment[], references: References): Template['evaluate'] {
  const parts = segments.map((segment) =>
    typeof segment === 'string' ? segment : compilePlaceholder(segment, references),
  );
  return (scope) => {
    const frame = new Frame(scope);
    let printed = '';
    for (const part of parts) {
      printed += typeof part === 'string' ? part : print(runExpression(part, frame), MAX_PRINTED_LENGTH);
      if (printed.length > MAX_PRINTED_LENGTH) throw createTooLargeError(MAX_PRINTED_LENGTH);
    }
    return printed;
  };
}

/** Limits of V8 (stack, length of a string) that are reached first are reported as errors of the template. */
export function runExpression(expression: Expression, frame: Frame): Json {
  try {
    return expression.run(frame);
  } catch (error) {
    if (error instanceof RangeError)
      throw new TemplateEvaluationError('The expression is too deep or its result too large', 'limit');
    throw error;
  }
}
