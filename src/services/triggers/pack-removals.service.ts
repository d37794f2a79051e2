import type { Clock } from '../../ports/clock.ts';
import type { NodeTypes } from '../../ports/node-types.ts';
import type { TriggerFailure } from '../../ports/notifier.ts';
import type { NodeRunner } from '../../ports/runner.ts';
import type { PackRemoval, PackRemovalEnd, PackTriggerStore } from '../../ports/store/pack-triggers.ts';
import { createDueWork } from '../due-work.ts';
import { findPackTrigger } from './pack-poll.ts';
import { readCursor } from './pack-webhook.ts';
import { createPackAttempt } from './poll-attempt.ts';

/** Maximum sleep, ms: a removal that another process added is found within this time. */
const MAX_SLEEP_MS = 10_000;
const CALL_TIMEOUT_MS = 30_000;
/** Longer than a call, so that no other process repeats it meanwhile, ms. */
const CLAIM_DURATION_MS = 45_000;
const MAX_CONCURRENCY = 4;
/**
 * Calls after which a removal is given up, and the delay after the first failure in ms. It doubles with each
 * further one.
 */
const MAX_TRIES = 5;
const BACKOFF_MS = 5_000;
/** Statuses by which a service reports that it does not know the registration. */
const UNKNOWN = [404, 410];

export type PackRemovalsDeps = {
  packTriggers: Pick<PackTriggerStore, 'dueRemovals' | 'nextRemoval' | 'claimRemoval' | 'endRemoval'>;
  runner: NodeRunner;
  types(): Promise<NodeTypes>;
  toPackUrl(address: string): string | null;
  /** Reports that a removal was given up. */
  failed(problem: TriggerFailure): void;
  clock: Clock;
  report(message: string, error: unknown): void;
};

/**
 * Removes registrations at services that triggers of packs no longer need. They are stored with the change
 * that ends the trigger, so the change waits for no service, and a crash only repeats a call.
 */
export function createPackRemovals({ packTriggers, clock, ...deps }: PackRemovalsDeps) {
  async function serve(removal: PackRemoval, until: number, signal: AbortSignal): Promise<void> {
    const { address, failures } = removal;
    const error = await remove(removal, signal);
    // The next process repeats it at once.
    const end: PackRemovalEnd = signal.aborted
      ? { kind: 'retry', failures, next: 0 }
      : error === null
        ? { kind: 'done' }
        : failures + 1 < MAX_TRIES
          ? { kind: 'retry', failures: failures + 1, next: clock.now() + BACKOFF_MS * 2 ** failures }
          : { kind: 'given_up', error: `The registration at the service could not be removed: ${error}` };
    await packTriggers.endRemoval(address, until, end);
    if (end.kind !== 'given_up') return;
    const { ownerId, workflowId, nodeId } = removal;
    deps.failed({ ownerId, workflowId, nodeId, kind: 'webhook', issue: end.error });
  }

  /** Returns why it failed; null: the service does not know the address any more. */
  async function remove(removal: PackRemoval, signal: AbortSignal): Promise<string | null> {
    const type = findPackTrigger(await deps.types(), removal.spec);
    if (type === null) return 'This version of the pack is not installed.';
    const { state } = readCursor(removal.cursor);
    const webhookUrl = deps.toPackUrl(removal.address) ?? '';
    const row = { ...removal, spec: removal.spec, nextRunAt: null, lastError: null };
    const context = { row, signal, now: clock.now() };
    const call = type.createCall({ hook: 'disable', state, webhookUrl });
    const outcome = await deps.runner.run(createPackAttempt(context, call, CALL_TIMEOUT_MS));
    if (outcome.kind === 'done') return null;
    if (outcome.kind !== 'failed') return 'It could not run now.';
    const { message, status } = outcome.error;
    return status !== undefined && UNKNOWN.includes(status) ? null : message;
  }

  return createDueWork({
    due: (now, limit) => packTriggers.dueRemovals(now, limit),
    next: () => packTriggers.nextRemoval(),
    async claim(removal, now) {
      const until = now + CLAIM_DURATION_MS;
      return (await packTriggers.claimRemoval(removal.address, removal.dueAt, until)) ? until : null;
    },
    serve,
    maxConcurrency: MAX_CONCURRENCY,
    maxSleep: MAX_SLEEP_MS,
    retryDelay: MAX_SLEEP_MS,
    messages: {
      read: 'registrations of packs could not be read',
      serve: 'a registration of a pack could not be removed',
    },
    clock,
    report: (message, error) => deps.report(message, error),
  });
}
