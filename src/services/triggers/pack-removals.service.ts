import type { Clock } from '../../ports/clock.ts';
import type { NodeTypes } from '../../ports/node-types.ts';
import type { TriggerFailure } from '../../ports/notifier.ts';
import type { NodeRunner } from '../../ports/runner.ts';
import type { PackRemoval, PackRemovalEnd, PackTriggerStore } from '../../ports/store/pack-triggers.ts';
import { findPackTrigger } from './pack-poll.ts';
import { readCursor } from './pack-webhook.ts';
import { createPackAttempt } from './poll-attempt.ts';

/** Maximum sleep, ms: a removal that another process added is found within this time. */
const MAX_SLEEP_MS = 10_000;
const CALL_TIMEOUT_MS = 30_000;
/** ms; longer than a call, so that no other process repeats it while it runs. */
const CLAIM_MS = 45_000;
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
  let isRunning = false;
  let isLooking = false;
  let isWanted = false;
  let cancelSleep = (): void => {};
  const active = new Set<Promise<void>>();
  let stopping = new AbortController();

  function look(): void {
    if (!isRunning) return;
    if (isLooking) {
      isWanted = true;
      return;
    }
    cancelSleep();
    isLooking = true;
    isWanted = false;
    void begin()
      .catch((error: unknown) => {
        deps.report('registrations of packs could not be read', error);
        return MAX_SLEEP_MS;
      })
      .then((sleep) => {
        isLooking = false;
        if (!isRunning) return;
        if (isWanted) look();
        else cancelSleep = clock.after(sleep, look);
      });
  }

  /** Starts due removals; returns the ms until the next pass. Each completed one triggers another pass. */
  async function begin(): Promise<number> {
    const capacity = MAX_CONCURRENCY - active.size;
    if (capacity <= 0) return MAX_SLEEP_MS;
    const now = clock.now();
    for (const removal of await packTriggers.dueRemovals(now, capacity)) {
      const until = now + CLAIM_MS;
      if (!(await packTriggers.claimRemoval(removal.address, removal.dueAt, until))) continue;
      const work = serve(removal, until)
        .catch((error: unknown) => deps.report('a registration of a pack could not be removed', error))
        .finally(() => {
          active.delete(work);
          look();
        });
      active.add(work);
    }
    const next = await packTriggers.nextRemoval();
    return next === null ? MAX_SLEEP_MS : Math.min(MAX_SLEEP_MS, Math.max(0, next - clock.now()));
  }

  async function serve(removal: PackRemoval, until: number): Promise<void> {
    const { address, failures } = removal;
    const error = await remove(removal);
    // The next process repeats it at once.
    const end: PackRemovalEnd = stopping.signal.aborted
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
  async function remove(removal: PackRemoval): Promise<string | null> {
    const type = findPackTrigger(await deps.types(), removal.spec);
    if (type === null) return 'This version of the pack is not installed.';
    const { state } = readCursor(removal.cursor);
    const webhookUrl = deps.toPackUrl(removal.address) ?? '';
    const row = { ...removal, spec: removal.spec, nextRunAt: null, lastError: null };
    const context = { row, signal: stopping.signal, now: clock.now() };
    const call = type.createCall({ hook: 'disable', state, webhookUrl });
    const outcome = await deps.runner.run(createPackAttempt(context, call, CALL_TIMEOUT_MS));
    if (outcome.kind === 'done') return null;
    if (outcome.kind !== 'failed') return 'It could not run now.';
    const { message, status } = outcome.error;
    return status !== undefined && UNKNOWN.includes(status) ? null : message;
  }

  return {
    start(): void {
      if (isRunning) return;
      isRunning = true;
      stopping = new AbortController();
      look();
    },
    /** A trigger ended: runs a pass at once. */
    wake: look,
    async stop(): Promise<void> {
      isRunning = false;
      cancelSleep();
      stopping.abort();
      await Promise.all(active);
    },
  };
}
