import type { Json } from '../lib/json/json.ts';
import type { Frame } from './evaluation-context.ts';

/** A compiled expression. */
export interface Expression {
  /** @throws {TemplateEvaluationError} */
  readonly run: (frame: Frame) => Json;
  /** For a path: what is there, or undefined. */
  readonly probe?: (frame: Frame) => Json | undefined;
  /** How a path reads in errors; other expressions have none. */
  readonly text?: string;
  /** The number of its parts, which is what it costs in a loop. */
  readonly weight: number;
  /** Whether its value may be made by the expression, rather than be part of what is in the scope, so that its size must be checked. */
  readonly made: boolean;
}

export function sum(expressions: readonly Expression[]): number {
  return expressions.reduce((total, expression) => total + expression.weight, 1);
}
