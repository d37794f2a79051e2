import { measureJsonSize } from '../../lib/json/json-size.ts';
import type { Json } from '../../lib/json/json.ts';
import { isSettled } from '../../contract/execution.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ExecutionStore } from '../../ports/store/executions.ts';
import { CompletionWaiters } from './completion-waiters.ts';
import type { CompletionHandle } from '../engine-api.ts';
import type { ExecutionReader } from '../views/execution-reader.ts';
import type { Cluster, LeaderElection } from './leader-election.ts';

/** Larger outputs (as JSON) are not published to other processes, which read them from the store. */
const MAX_PUBLISHED_BYTES = 16 * 1024;
/** How often lost completions are read while the bus is up, and while it is down. */
const LOST_CHECK_INTERVAL_MS = 2_000;
export const STORE_POLL_INTERVAL_MS = 250;
/** Concurrent reads of executions, and ids in one query. */
const READ_CONCURRENCY = 20;
const SETTLED_QUERY_SIZE = 1_000;

type CompletionNotifierDeps = {
  executions: ExecutionStore;
  reader: ExecutionReader;
  clock: Clock;
  cluster: Cluster | null;
  election: LeaderElection | null;
  report: (message: string, error: unknown) => void;
};

/** Notifies waiting callers of the responses and ends of executions, regardless of which process ran them. */
export class CompletionNotifier {
  private readonly deps: CompletionNotifierDeps;
  private readonly waiters = new CompletionWaiters();
  private lastPollAt = 0;

  constructor(deps: CompletionNotifierDeps) {
    this.deps = deps;
  }

  /** Registers a waiter for an execution that is about to start in this process. */
  add(id: string, ownerId: string, now: number): CompletionHandle {
    return this.waiters.add(id, ownerId, now);
  }

  /**
   * Registers a waiter for any execution. An earlier end is read from the store; with `withResponse`, also an
   * earlier response.
   */
  watch(ownerId: string, id: string, withResponse: boolean): CompletionHandle {
    const handle = this.add(id, ownerId, this.deps.clock.now());
    void this.read(ownerId, id, { withResponse });
    return handle;
  }

  /** Receives completions in this process, and notifies the waiters of all processes. */
  get completions(): Pick<CompletionWaiters, 'responded' | 'ended'> {
    const { waiters } = this;
    const { cluster, election } = this.deps;
    if (cluster === null) return waiters;
    const { bus } = cluster;
    const isSmall = (value: Json): boolean =>
      measureJsonSize(value, MAX_PUBLISHED_BYTES) <= MAX_PUBLISHED_BYTES;
    return {
      responded: (executionId, response) => {
        waiters.responded(executionId, response);
        if (election?.others === 0) return;
        bus.publish('answered', { executionId, answer: isSmall(response.body) ? response : null });
      },
      ended: (executionId, end) => {
        waiters.ended(executionId, end);
        if (election?.others === 0) return;
        bus.publish('ended', { executionId, end: isSmall(end.output) ? end : null });
      },
    };
  }

  /** Subscribes to the completions of other processes. */
  subscribe({ bus }: Cluster): void {
    bus.subscribe('ended', ({ executionId, end }) => {
      // A lost message may have been the response, which the end does not contain.
      if (end !== null && !this.waiters.awaitsResponse(executionId)) this.waiters.ended(executionId, end);
      else void this.readAll([executionId], true);
    });
    bus.onReconnect(() => void this.readMissed());
    bus.subscribe('answered', ({ executionId, answer }) => {
      if (answer !== null) this.waiters.responded(executionId, answer);
      else void this.readAll([executionId], true);
    });
  }

  /** Reads responses and ends whose messages were lost while the bus was not connected. */
  private readMissed(): Promise<void> {
    return this.readAll(this.waiters.waitingSince(this.deps.clock.now()), true);
  }

  /** Reads completions whose messages may have been lost. Rejects when the store does. */
  async readLost(isBusUp: boolean): Promise<void> {
    const { clock, executions } = this.deps;
    const now = clock.now();
    if (now - this.lastPollAt < (isBusUp ? LOST_CHECK_INTERVAL_MS : STORE_POLL_INTERVAL_MS)) return;
    this.lastPollAt = now;
    const waiting = this.waiters.waitingSince(isBusUp ? now - LOST_CHECK_INTERVAL_MS : now);
    if (!isBusUp) return this.readAll(waiting, true);
    for (let i = 0; i < waiting.length; i += SETTLED_QUERY_SIZE)
      await this.readAll(await executions.listSettled(waiting.slice(i, i + SETTLED_QUERY_SIZE)), false);
  }

  private async readAll(ids: readonly string[], withResponse: boolean): Promise<void> {
    for (let i = 0; i < ids.length; i += READ_CONCURRENCY)
      await Promise.all(
        ids.slice(i, i + READ_CONCURRENCY).map(async (id) => {
          const ownerId = this.waiters.getOwner(id);
          if (ownerId !== null) await this.read(ownerId, id, { withResponse });
        }),
      );
  }

  /**
   * Reads an execution and notifies its waiters when it has ended. `isGone`: also when it no longer exists;
   * `withResponse`: also when it has responded. Never rejects.
   */
  async read(
    ownerId: string,
    id: string,
    { isGone = false, withResponse = false }: { isGone?: boolean; withResponse?: boolean } = {},
  ): Promise<void> {
    const { waiters } = this;
    try {
      if (!waiters.has(id)) return;
      const row = await this.deps.executions.get(ownerId, id);
      if (row === null)
        return isGone ? waiters.ended(id, { status: 'stopped', output: null, error: null }) : undefined;
      if (!isSettled(row.status) && !withResponse) return;
      const view = await this.deps.reader.page(row, { offset: 0, limit: 0 });
      if (view.response !== null) waiters.responded(id, view.response);
      if (!isSettled(row.status)) return;
      waiters.ended(id, { status: row.status, output: view.output, error: row.error });
    } catch (error) {
      this.deps.report('failed to read the end of an execution', error);
    }
  }
}
