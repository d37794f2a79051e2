import type { Json } from '../../lib/json/json.ts';
import { TemplateEvaluationError } from '../errors.ts';
import type { Expression } from './expression.ts';
import { sumWeights } from './expression.ts';
import type { Frame } from '../evaluation-context.ts';
import { describeKind } from '../function.ts';
import type { Operator } from './operators.ts';

/** `condition ? yes : no` */
export function compileChoice(condition: Expression, yes: Expression, no: Expression): Expression {
  return {
    run: (frame) => (requireBoolean('? :', condition.run(frame)) ? yes.run(frame) : no.run(frame)),
    weight: sumWeights([condition, yes, no]),
    made: yes.made || no.made,
  };
}

/** As in CEL, an error of one side is ignored when the other side determines the result. */
export function compileLogic(op: '&&' | '||', left: Expression, right: Expression): Expression {
  const settles = op === '||';
  return {
    run: (frame) => {
      let failure: TemplateEvaluationError | undefined;
      try {
        if (requireBoolean(op, left.run(frame)) === settles) return settles;
      } catch (error) {
        if (!(error instanceof TemplateEvaluationError) || error.kind === 'limit') throw error;
        failure = error;
      }
      const result = requireBoolean(op, right.run(frame));
      if (failure !== undefined && result !== settles) throw failure;
      return result;
    },
    weight: sumWeights([left, right]),
    made: false,
  };
}

export function compileNot(operand: Expression): Expression {
  return {
    run: (frame) => !requireBoolean('!', operand.run(frame)),
    weight: operand.weight + 1,
    made: false,
  };
}

export function compileNegative(operand: Expression): Expression {
  const run = (frame: Frame): Json => {
    const value = operand.run(frame);
    if (typeof value !== 'number')
      throw new TemplateEvaluationError(`-: operand must be a number, got ${describeKind(value)}`);
    return 0 - value;
  };
  return { run, weight: operand.weight + 1, made: false };
}

/** `made` as in Expression. */
export function compileOperation(
  operator: Operator,
  left: Expression,
  right: Expression,
  made: boolean,
): Expression {
  const run = (frame: Frame): Json => operator(left.run(frame), right.run(frame), frame);
  return { run, weight: sumWeights([left, right]), made };
}

/** Adds a hint to the error of a missing path. */
export function withHint(expression: Expression, hint: string): Expression {
  const run = (frame: Frame): Json => {
    try {
      return expression.run(frame);
    } catch (error) {
      if (
        !(error instanceof TemplateEvaluationError) ||
        error.kind !== 'missing' ||
        error.message.endsWith(')')
      )
        throw error;
      throw new TemplateEvaluationError(
        `${error.message} (${hint})`,
        'missing',
        error.path === undefined ? {} : { path: error.path },
      );
    }
  };
  return { ...expression, run };
}

/** The value of an expression, or undefined when a path in it is missing. */
export function attempt(expression: Expression, frame: Frame): Json | undefined {
  try {
    return expression.probe === undefined ? expression.run(frame) : expression.probe(frame);
  } catch (error) {
    if (error instanceof TemplateEvaluationError && error.kind === 'missing') return undefined;
    throw error;
  }
}

function requireBoolean(operator: string, value: Json): boolean {
  if (typeof value === 'boolean') return value;
  throw new TemplateEvaluationError(`${operator}: operand must be a boolean, got ${describeKind(value)}`);
}
