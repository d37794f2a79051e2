import type { Json } from '../lib/json/json.ts';
import { TemplateEvaluationError } from './errors.ts';
import { MAX_STEPS } from './limits.ts';
import type { TemplateScope } from './scope.ts';

/** One evaluation: the scope, the variables of the list macros around, and the steps that are left. */
export class Frame {
  readonly scope: TemplateScope;
  /** By slot: the compiler gives each macro's variable the number of the macros around it. */
  readonly locals: Json[] = [];
  #left = MAX_STEPS;

  constructor(scope: TemplateScope) {
    this.scope = scope;
  }

  get now(): number {
    return this.scope.now;
  }

  /** Pays for work. @throws {TemplateEvaluationError} when the evaluation has used up its steps. */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0)
      throw new TemplateEvaluationError(`The expression takes more than ${MAX_STEPS} steps`, 'limit');
  }
}
