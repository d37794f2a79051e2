import { WeftError } from '../../src/contract/errors.ts';
import { isSettled } from '../../src/contract/execution.ts';
import type { DeferredTemplate, NodeContext, Outcome, ScopeExtra } from '../../src/contract/node-type.ts';
import { createEngine } from '../../src/engine/engine.ts';
import type { Engine } from '../../src/engine/engine-api.ts';
import { MemoryBudget } from '../../src/lib/limits/memory-budget.ts';
import type { Clock } from '../../src/ports/clock.ts';
import { idPrefixes } from '../../src/ports/ids.ts';
import { limits } from '../../src/ports/limits.ts';
import type { Attempt } from '../../src/ports/runner.ts';
import type { ExecutionStore } from '../../src/ports/store/executions.ts';
import type { WorkflowStore } from '../../src/ports/store/workflows.ts';
import type { MemoryStore } from './memory-store.ts';
import type { Hub, Member } from './fake-queue-and-bus.ts';
import { simulatedTypes } from './node-types.ts';
import type { Scheduler } from './scheduler.ts';

/** So few that even short executions have snapshots. */
const SNAPSHOT_EVENTS = 4;

/** What a worker does to the world outside. */
export type Upstream = {
  /** A call arrives. */
  called(attempt: Attempt, worker: SimulatedWorker): void;
  /** How the call with this key ends: after how long (ms; null: never), and whether it fails. */
  answer(attempt: Attempt): { after: number | null; fails: boolean };
};

export type WorkerOptions = {
  scheduler: Scheduler;
  store: MemoryStore;
  upstream: Upstream;
  name: string;
  /** What it shares with others besides the store. `works`: it also runs executions. */
  among: { hub: Hub; works: boolean } | null;
  /** In [0, 1): how often the store refuses for lack of space. */
  full: () => number;
  report: (message: string, error: unknown) => void;
};

/**
 * An engine with a world of its own around it: a process. `crash` drops it with all that it waits for;
 * `stall` lets nothing reach it for a while, and then everything at once.
 */
export class SimulatedWorker implements Member {
  readonly engine: Engine;
  readonly name: string;
  alive = true;
  /** ms by which this machine's clock is wrong. */
  skew = 0;
  private stalledUntil = 0;
  private readonly options: WorkerOptions;
  private serial = 0;

  constructor(options: WorkerOptions) {
    this.options = options;
    this.name = options.name;
    const { scheduler, report, among } = options;
    this.engine = createEngine({
      store: { executions: this.executions(), workflows: this.workflows() },
      files: { put: refuse, write: refuse, get: refuse, open: refuse, remove: refuse },
      nodeTypes: { of: () => Promise.resolve(simulatedTypes) },
      runner: { run: (attempt) => this.run(attempt) },
      events: { publish: () => {}, hasSubscriber: () => false, subscribe: () => () => {} },
      clock: this.clock(),
      ids: { next: (kind) => `${kind}-${this.name}-${String(this.serial++).padStart(6, '0')}` },
      random: () => scheduler.random(),
      snapshotEvents: SNAPSHOT_EVENTS,
      completionTriggers: { findStarts: () => null, startPending() {} },
      resumeUrl: (_owner, id) => id,
      retention: 1_000_000,
      cluster:
        among === null
          ? null
          : {
              process: `${idPrefixes[among.works ? 'worker' : 'api']}_${this.name}`,
              queue: among.hub.createQueue(this),
              bus: among.hub.createBus(this),
              onLeadershipChange: () => {},
            },
      concurrency: 2_000,
      memory: new MemoryBudget(limits.liveValueBytes),
      report,
    });
  }

  crash(): void {
    this.alive = false;
  }

  stall(ms: number): void {
    this.stalledUntil = this.options.scheduler.now + ms;
  }

  get isStalled(): boolean {
    return this.options.scheduler.now < this.stalledUntil;
  }

  private now(): number {
    return this.options.scheduler.now + this.skew;
  }

  /** Runs something in this process, unless it is gone by then. */
  later(ms: number, run: () => void): void {
    const { scheduler } = this.options;
    scheduler.at(ms, () => {
      if (!this.alive) return;
      if (this.isStalled) this.later(this.stalledUntil - scheduler.now, run);
      else run();
    });
  }

  private clock(): Clock {
    return {
      now: () => this.now(),
      after: (ms, run) => {
        let cancelled = false;
        this.later(ms, () => {
          if (!cancelled) run();
        });
        return () => (cancelled = true);
      },
      soon: (run) => this.later(0, run),
    };
  }

  /** A verb: done whole at one moment, answered at a later one; a crash may come before, between or after. */
  private verb<T>(what: string, writes: boolean, act: () => T): Promise<T> {
    const { scheduler, full } = this.options;
    return new Promise<T>((resolve, reject) => {
      if (!this.alive) return;
      scheduler.at(scheduler.between(0, 4), () => {
        // What was on its way to the disk when the process died may have reached it, or not.
        if (!this.alive && (!writes || scheduler.chance(0.5))) return;
        if (writes && scheduler.random() < full()) {
          scheduler.trace(`${this.name} ${what} has no space`);
          this.later(0, () => reject(new WeftError('STORAGE_FULL')));
          return;
        }
        const value = structuredClone(act());
        scheduler.trace(`${this.name} ${what} ${JSON.stringify(value)}`);
        this.later(scheduler.chance(0.1) ? scheduler.between(0, 200) : scheduler.between(0, 4), () =>
          resolve(value),
        );
      });
    });
  }

  private executions(): ExecutionStore {
    const { store } = this.options;
    const never = (): Promise<never> => Promise.reject(new Error('The simulation does not have this verb.'));
    return {
      signal: never,
      readSignal: never,
      listPendingStarts: never,
      removePendingStart: never,
      search: never,
      many: never,
      listRetries: never,
      listLast: never,
      listChildren: () => this.verb('children', false, () => [] as string[]),
      commit: (batch) => {
        const copy = structuredClone(batch);
        return this.verb('commit', true, () => store.commit(copy));
      },
      runnable: (leasesAt, limit, exclude) =>
        this.verb('runnable', false, () => store.runnable(leasesAt, limit, exclude)),
      dueTimers: (now, limit, worker, leasesAt) =>
        this.verb('dueTimers', false, () => store.dueTimers(now, limit, worker, leasesAt)),
      nextTimer: () => this.verb('nextTimer', false, () => store.nextTimer()),
      claimMany: (ids, worker, now, leasesAt) =>
        this.verb('claimMany', true, () => ids.map((id) => store.claim(id, worker, now, leasesAt))),
      unclaimed: (ids, now) => this.verb('unclaimed', false, () => ids.map((id) => store.unclaimed(id, now))),
      claim: (id, worker, now, leasesAt) =>
        this.verb('claim', true, () => store.claim(id, worker, now, leasesAt)),
      heartbeat: (worker, until) => this.verb('heartbeat', true, () => store.heartbeat(worker, until)),
      processes: (now) => this.verb('processes', false, () => store.processes(now)),
      release: (worker) => this.verb('release', true, () => store.release(worker)),
      stop: (ownerId, id, at, events) => this.verb('stop', true, () => store.stop(ownerId, id, at, events)),
      get: (_ownerId, id) => this.verb('get', false, () => store.executions.get(id)?.row ?? null),
      listSettled: (ids) =>
        this.verb('listSettled', false, () =>
          ids.filter((id) => isSettled(store.executions.get(id)?.row.status ?? 'queued')),
        ),
      journal: (_ownerId, id, from, limit) =>
        this.verb('journal', false, () =>
          (store.executions.get(id)?.journal ?? [])
            .map((events, seq) => ({ seq, events }))
            .slice(from, from + limit),
        ),
      snapshot: (_ownerId, id) => this.verb('snapshot', false, () => store.snapshot(id)),
      statusCounts: () =>
        this.verb('statusCounts', false, () => ({
          queued: 0,
          running: 0,
          waiting: 0,
          completed: 0,
          failed: 0,
          stopped: 0,
        })),
      findDedupe: never,
      list: never,
      journals: never,
      listNewest: never,
      listUnsettled: never,
      timerPaths: never,
    };
  }

  private workflows(): WorkflowStore {
    const { store } = this.options;
    const known: Pick<WorkflowStore, 'get' | 'version'> = {
      get: (_ownerId, id) => this.verb('workflow', false, () => store.workflows.get(id)?.row ?? null),
      version: (_ownerId, id, version) =>
        this.verb('version', false, () => {
          const found = store.workflows.get(id);
          return found === undefined
            ? null
            : {
                workflowId: id,
                version,
                name: null,
                author: null,
                definition: found.definition,
                createdAt: found.row.createdAt,
              };
        }),
    };
    return known as WorkflowStore;
  }

  /** An outside caller posts some time after the first run; it reads only the store. */
  private async await({ executionId, path, resumed }: Attempt): Promise<Outcome> {
    const { scheduler, store } = this.options;
    const post = (): void => {
      if (store.post(executionId, path, scheduler.now)) return;
      if (this.alive) scheduler.at(10, post);
    };
    if (resumed === null) scheduler.at(scheduler.between(0, 400), post);
    const posted = await this.verb(
      'signal',
      false,
      () => store.executions.get(executionId)?.posted.has(path) ?? false,
    );
    if (posted) return { kind: 'done', outputs: { out: { awaited: path } } };
    return { kind: 'wait', until: resumed?.due ?? this.now() + 86_400_000, event: true };
  }

  private run(attempt: Attempt): Outcome | Promise<Outcome> {
    const { upstream } = this.options;
    if (attempt.type.type === 'awaits') return this.await(attempt);
    if (attempt.type.effects === 'none') {
      const context = {
        now: () => this.now(),
        resumed: attempt.resumed,
        evaluate: (template: DeferredTemplate, extra: ScopeExtra) => attempt.evaluate(template, extra),
      } as unknown as NodeContext;
      return attempt.type.run(context, attempt.configure(null) as never, attempt.input) as Outcome;
    }
    upstream.called(attempt, this);
    const { after, fails } = upstream.answer(attempt);
    let aborted = false;
    attempt.onAbort(() => {
      aborted = true;
    });
    return new Promise((resolve) => {
      if (after === null) return;
      this.later(after, () => {
        if (aborted) return;
        if (fails) resolve({ kind: 'failed', error: { type: 'server_error', message: 'not now' } });
        else resolve({ kind: 'done', outputs: { out: { done: attempt.path } } });
      });
    });
  }
}

function refuse(): Promise<never> {
  return Promise.reject(new Error('Nothing here is large.'));
}
