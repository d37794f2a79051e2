import { attempt } from './logical-operators.ts';
import { TemplateError } from '../errors.ts';
import type { Expression } from './expression.ts';
import { sumWeights } from './expression.ts';
import { findFunction, findSimilarFunction } from '../filters.ts';
import { isBlank } from '../functions/object.ts';

/** Compiles a call of a listed function, in any syntax. @throws {TemplateError} */
export function callFunction(name: string, args: readonly Expression[], at: number): Expression {
  const fn = findFunction(name);
  if (fn === undefined) {
    const similar = findSimilarFunction(name);
    throw new TemplateError(
      `There is no function or filter ${name}${similar ? `; there is ${similar}` : ''}`,
      at,
    );
  }
  if (args.length < fn.min || args.length > fn.max) {
    throw new TemplateError(`${name} is used as: value | ${fn.usage}`, at);
  }
  if (fn.name === 'default') return compileDefault(args[0] as Expression, args[1] as Expression);
  return {
    run: (frame) =>
      fn.run(
        args.map((arg) => arg.run(frame)),
        frame,
      ),
    weight: sumWeights(args),
    made: true,
  };
}

function compileDefault(value: Expression, otherwise: Expression): Expression {
  return {
    run: (frame) => {
      const result = attempt(value, frame);
      return result === undefined || isBlank(result) ? otherwise.run(frame) : result;
    },
    weight: sumWeights([value, otherwise]),
    made: value.made || otherwise.made,
  };
}
