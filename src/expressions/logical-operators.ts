import type { Json } from '../lib/json/json.ts';
import { TemplateEvaluationError } from './errors.ts';
import type { Expression } from './expression.ts';
import { sum } from './expression.ts';
import type { Frame } from './evaluation-context.ts';
import { kindOf } from './function.ts';
import type { Operator } from './operators.ts';

/** `condition ? yes : no` */
export function choice(condition: Expression, yes: Expression, no: Expression): Expression {
  return {
    run: (frame) => (truth('? :', condition.run(frame)) ? yes.run(frame) : no.run(frame)),
    weight: sum([condition, yes, no]),
    made: yes.made || no.made,
  };
}

/** As CEL has it, a side that fails does not matter when the other one settles the answer. */
export function logic(op: '&&' | '||', left: Expression, right: Expression): Expression {
  const settles = op === '||';
  return {
    run: (frame) => {
      let failure: TemplateEvaluationError | undefined;
      try {
        if (truth(op, left.run(frame)) === settles) return settles;
      } catch (error) {
        if (!(error instanceof TemplateEvaluationError) || error.fault === 'limit') throw error;
        failure = error;
      }
      const result = truth(op, right.run(frame));
      if (failure !== undefined && result !== settles) throw failure;
      return result;
    },
    weight: sum([left, right]),
    made: false,
  };
}

export function not(operand: Expression): Expression {
  return { run: (frame) => !truth('!', operand.run(frame)), weight: operand.weight + 1, made: false };
}

export function negative(operand: Expression): Expression {
  const run = (frame: Frame): Json => {
    const value = operand.run(frame);
    if (typeof value !== 'number')
      throw new TemplateEvaluationError(`- takes a number, and got ${kindOf(value)}`);
    return 0 - value;
  };
  return { run, weight: operand.weight + 1, made: false };
}

/** `made` as in Expression. */
export function operation(
  operator: Operator,
  left: Expression,
  right: Expression,
  made: boolean,
): Expression {
  const run = (frame: Frame): Json => operator(left.run(frame), right.run(frame), frame);
  return { run, weight: sum([left, right]), made };
}

/** Adds a hint to the error of a path that leads nowhere. */
export function hinting(expression: Expression, hint: string): Expression {
  const run = (frame: Frame): Json => {
    try {
      return expression.run(frame);
    } catch (error) {
      if (
        !(error instanceof TemplateEvaluationError) ||
        error.fault !== 'missing' ||
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

/** The value of an expression, or undefined when a path in it leads nowhere. */
export function attempt(expression: Expression, frame: Frame): Json | undefined {
  try {
    return expression.probe === undefined ? expression.run(frame) : expression.probe(frame);
  } catch (error) {
    if (error instanceof TemplateEvaluationError && error.fault === 'missing') return undefined;
    throw error;
  }
}

function truth(operator: string, value: Json): boolean {
  if (typeof value === 'boolean') return value;
  throw new TemplateEvaluationError(`${operator} takes true or false, and got ${kindOf(value)}`);
}
