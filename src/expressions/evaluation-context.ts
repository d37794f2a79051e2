import type { Json } from '../lib/json/json.ts';
import { TemplateEvaluationError } from './errors.ts';
import { MAX_STEPS } from './limits.ts';
import type { TemplateScope } from './scope.ts';

/** One evaluation: the scope, the variables of enclosing macros, and the remaining steps. */
export class Frame {
  readonly scope: TemplateScope;
  /** By slot: the slot of a macro's variable is the number of enclosing macros. */
  readonly locals: Json[] = [];
  #left = MAX_STEPS;

  constructor(scope: TemplateScope) {
    this.scope = scope;
  }

  get now(): number {
    return this.scope.now;
  }

  /** Counts work against the limit. @throws {TemplateEvaluationError} when the steps are used up. */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0)
      throw new TemplateEvaluationError(`The expression takes more than ${MAX_STEPS} steps`, 'limit');
  }
}
