import type { CodeResult, Outcome } from '../../contract/node-type.ts';
import { done } from '../outcome.ts';

/** What came of a call of user code, as the outcome of its node. */
export function finished(result: CodeResult): Outcome {
  return result.kind === 'value' ? done(result.value) : result;
}
