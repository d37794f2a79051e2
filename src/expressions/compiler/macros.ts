import type { Json } from '../../lib/json/json.ts';
import { isObject } from '../../lib/json/json.ts';
import { TemplateEvaluationError } from '../errors.ts';
import type { Expression } from './expression.ts';
import { sumWeights } from './expression.ts';
import type { Frame } from '../evaluation-context.ts';
import { describeKind, createTypeError } from '../function.ts';

/**
 * A list macro: runs its body for each element of `list`, with the element in the variable of number `slot`.
 */
interface Macro {
  readonly name: string;
  readonly list: Expression;
  readonly slot: number;
  /** The last one computes the value; for `map` with three arguments, the first one is a condition. */
  readonly body: readonly Expression[];
}

/** The numbers of arguments that each macro accepts, including the variable. */
const ARITIES: ReadonlyMap<string, readonly number[]> = new Map([
  ['filter', [2]],
  ['map', [2, 3]],
  ['all', [2]],
  ['exists', [2]],
  ['exists_one', [2]],
]);

/** Additional steps for an element that fails: creating an error is slow. */
const FAILURE_STEPS = 50;

export function isMacro(name: string, args: number): boolean {
  return ARITIES.get(name)?.includes(args) ?? false;
}

export function compileMacro(macro: Macro): Expression {
  const weight = sumWeights([macro.list, ...macro.body]);
  return {
    run: macro.name === 'map' || macro.name === 'filter' ? lister(macro) : quantifier(macro),
    weight,
    made: true,
  };
}

/** `filter` and `map`. */
function lister({ name, list, slot, body }: Macro): Expression['run'] {
  const cost = sumWeights(body);
  const value = name === 'map' ? body.at(-1) : undefined;
  const condition = name === 'filter' || body.length > 1 ? body[0] : undefined;
  return (frame) => {
    const result: Json[] = [];
    for (const element of elements(name, list.run(frame))) {
      frame.spend(cost);
      frame.locals[slot] = element;
      if (condition !== undefined && !test(name, condition, frame)) continue;
      result.push(value === undefined ? element : value.run(frame));
    }
    return result;
  };
}

/**
 * `all`, `exists` and `exists_one`. As CEL has it, an element that fails decides nothing for `all` and
 * `exists`: when another element determines the result, the error is ignored; otherwise it is thrown.
 */
function quantifier({ name, list, slot, body }: Macro): Expression['run'] {
  const cost = sumWeights(body);
  const condition = body[0] as Expression;
  return (frame) => {
    let failure: TemplateEvaluationError | undefined;
    let count = 0;
    for (const element of elements(name, list.run(frame))) {
      frame.spend(cost);
      frame.locals[slot] = element;
      try {
        const holds = test(name, condition, frame);
        if (name === 'exists' && holds) return true;
        if (name === 'all' && !holds) return false;
        if (holds) count++;
      } catch (error) {
        if (name === 'exists_one' || !(error instanceof TemplateEvaluationError) || error.kind === 'limit')
          throw error;
        failure ??= error;
        frame.spend(FAILURE_STEPS);
      }
    }
    if (failure !== undefined) throw failure;
    return name === 'exists_one' ? count === 1 : name === 'all';
  };
}

/** The elements of a list, or the keys of an object. */
function elements(name: string, value: Json): readonly Json[] {
  if (Array.isArray(value)) return value;
  if (isObject(value)) return Object.keys(value);
  throw createTypeError(name, 'a list', value);
}

function test(name: string, condition: Expression, frame: Frame): boolean {
  const result = condition.run(frame);
  if (typeof result === 'boolean') return result;
  throw new TemplateEvaluationError(
    `The condition of ${name} must be a boolean, got ${describeKind(result)}`,
  );
}
