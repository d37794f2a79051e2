import { WeftError } from '../../contract/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { RateCounter } from '../../ports/rate-counter.ts';
import type { CallCount } from './webhook-registry.ts';

/** Length of one rate limit window, ms. */
const WINDOW_MS = 60_000;

/**
 * Counts the calls of a workflow, in this process or, with `calls`, across processes. Local counting is
 * synchronous, because it is on the path of every call. @throws {WeftError} RATE_LIMITED for each call above
 * the limit.
 */
export function createWebhookLimit(deps: {
  /** Maximum number of calls per workflow and minute; null means no limit. */
  rateLimit: number | null;
  calls?: RateCounter;
  clock: Pick<Clock, 'now'>;
  findCallCount(workflowId: string): CallCount | undefined;
}): (workflowId: string) => void | Promise<void> {
  const { rateLimit: limit, calls, clock } = deps;
  if (limit === null) return () => {};

  function countLocally(workflowId: string, maxCalls: number): void {
    const count = deps.findCallCount(workflowId);
    if (count === undefined) return;
    const now = clock.now();
    const window = now - (now % WINDOW_MS);
    if (count.window !== window) Object.assign(count, { window, calls: 0 });
    if (++count.calls > maxCalls) throw createLimitError(maxCalls, window + WINDOW_MS - now);
  }

  async function countAcrossProcesses(
    counter: RateCounter,
    workflowId: string,
    maxCalls: number,
  ): Promise<void> {
    const { isCounted, endsAt } = await counter.count(workflowId, maxCalls);
    if (!isCounted) throw createLimitError(maxCalls, endsAt - clock.now());
  }

  return calls === undefined
    ? (workflowId) => countLocally(workflowId, limit)
    : (workflowId) => countAcrossProcesses(calls, workflowId, limit);
}

function createLimitError(limit: number, remainingMs: number): WeftError {
  return new WeftError('RATE_LIMITED', `This workflow accepts at most ${limit} webhook calls per minute.`, {
    reason: 'workflow',
    limit,
    retry_after: Math.max(1, Math.ceil(remainingMs / 1000)),
  });
}
