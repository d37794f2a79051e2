import type { CodeResult, Outcome } from '../../contract/node-type.ts';
import { done } from '../outcome.ts';

/** Converts the result of a user code call to the node's outcome. */
export function toOutcome(result: CodeResult): Outcome {
  return result.kind === 'value' ? done(result.value) : result;
}
