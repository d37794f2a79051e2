import type { Json } from '../../lib/json/json.ts';
import type { Frame } from '../evaluation-context.ts';

/** A compiled expression. */
export interface Expression {
  /** @throws {TemplateEvaluationError} */
  readonly run: (frame: Frame) => Json;
  /** For a path: its value, or undefined when it is missing. */
  readonly probe?: (frame: Frame) => Json | undefined;
  /** The source of a path for error messages; undefined for other expressions. */
  readonly text?: string;
  /** The number of its parts: the steps that it costs in a loop. */
  readonly weight: number;
  /**
   * Whether the expression may create its value instead of reading it from the scope: its size must be
   * checked.
   */
  readonly made: boolean;
}

export function sumWeights(expressions: readonly Expression[]): number {
  return expressions.reduce((total, expression) => total + expression.weight, 1);
}
