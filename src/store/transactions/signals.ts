import { isSettled, type ExecutionStatus } from '../../contract/execution.ts';
import type { Wake } from '../../ports/store/checkpoint.ts';
import type { SignalResult } from '../../ports/store/signals.ts';
import * as signals from '../queries/signals.ts';
import * as timers from '../queries/timers.ts';
import { change, selectFirst, type Transaction, type Statement } from '../statement.ts';

/**
 * The first signal of a path is kept; it makes the path's timer due, whichever worker holds the execution.
 */
export function* putSignal(
  ownerId: string,
  executionId: string,
  path: string,
  value: string,
  at: number,
): Transaction<SignalResult> {
  const target = yield* selectFirst<{ number: number; status: ExecutionStatus }>(
    signals.target,
    executionId,
    ownerId,
  );
  if (target === null) return 'missing';
  if (isSettled(target.status)) return 'settled';
  if ((yield* change(signals.put, path, value, at, target.number)) === 0) return 'taken';
  yield* change(timers.set, executionId, path, at);
  return 'stored';
}

export function* readSignal(ownerId: string, executionId: string, path: string): Transaction<string | null> {
  return (yield* selectFirst<{ value: string }>(signals.read, executionId, ownerId, path))?.value ?? null;
}

/** Has no effect when the execution to wake has ended. */
export function wakeStatement({ executionId, path }: Wake, at: number): Statement {
  return { sql: timers.wake, params: [path, at, executionId] };
}
