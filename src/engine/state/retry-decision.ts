import type { NodeFailure } from '../../contract/node-type.ts';
import type { NodeRun } from './frame.ts';
import { errorPort } from '../graph/graph.ts';
import type { JournaledFailure } from '../journal/journal.ts';
import { addJitter, computeRetryDelay } from '../graph/retry-policy.ts';

/**
 * The retry that an error handler provides for a node run that is about to fail. `by` names handler and
 * strategy; `delay` (ms) is nominal. Considers only handlers that the run's `error` port leads to directly
 * and that may still run.
 */
function findHandlerRetry(run: NodeRun, failure: NodeFailure): { by: string; delay: number } | null {
  if (failure.retryable === false) return null;
  for (const { port, to: handler } of run.node.out) {
    const { recover } = handler.type;
    if (port !== errorPort || recover === undefined || handler.entry.disabled === true) continue;
    if (run.frame.runs[handler.index]?.status !== 'pending') continue;
    const name = (strategy: number): string => `${handler.id}/${strategy}`;
    const found = recover(
      handler.config,
      failure,
      (strategy) => run.handlerRetries?.get(name(strategy)) ?? 0,
    );
    if (found !== null) return { by: name(found.strategy), delay: found.delay };
  }
  return null;
}

/** Counts from the journal alone, so that a crash neither loses nor repeats a retry. */
export function countHandlerRetry(run: NodeRun, by: string): void {
  run.handlerRetries ??= new Map();
  run.handlerRetries.set(by, (run.handlerRetries.get(by) ?? 0) + 1);
}

/**
 * Decides whether a failed attempt `n` is retried: `delay` (ms) until the next attempt, null for none. The
 * node's own policy comes first, then the error handler that its `error` port leads to, named by `by`.
 * `random` is in [0, 1).
 */
export function decideRetry(
  run: NodeRun,
  n: number,
  error: NodeFailure,
  random: number,
): { failure: JournaledFailure; delay: number | null; by: string | null } {
  const { type, message, status, data, origin } = error;
  const failure: JournaledFailure = {
    type,
    message,
    ...(status !== undefined && { status }),
    ...(data !== undefined && { data }),
    ...(origin !== undefined && { origin }),
  };
  const { retry } = run.node;
  const own = retry === null ? null : computeRetryDelay(retry, error, n - run.cutOff, random);
  if (own !== null) return { failure, delay: own, by: null };
  const recovery = findHandlerRetry(run, error);
  if (recovery === null) return { failure, delay: null, by: null };
  return { failure, delay: addJitter(recovery.delay, error, random), by: recovery.by };
}
