import { isSettled } from '../../src/contract/execution.ts';
import type { Attempt } from '../../src/ports/runner.ts';
import { checkHistory } from './check-history.ts';
import { SimulatedClients } from './clients.ts';
import { MemoryStore } from './memory-store.ts';
import { Hub } from './fake-queue-and-bus.ts';
import { Scheduler } from './scheduler.ts';
import { SimulatedUpstream } from './upstream.ts';
import { SimulatedWorker } from './worker.ts';

/** The failures of a run; the seed selects the kind. In a `hub`, the first process only starts executions. */
const kinds = {
  calm: { workers: 1, crash: 0, stall: 0, drain: 0, full: 0, jump: 0, lose: 0 },
  crashes: { workers: 1, crash: 0.02, stall: 0, drain: 0, full: 0, jump: 0, lose: 0 },
  drains: { workers: 1, crash: 0, stall: 0, drain: 0.02, full: 0, jump: 0, lose: 0 },
  full: { workers: 1, crash: 0.005, stall: 0, drain: 0, full: 0.2, jump: 0, lose: 0 },
  workers: { workers: 2, crash: 0.01, stall: 0.01, drain: 0.005, full: 0.02, jump: 0, lose: 0 },
  clocks: { workers: 2, crash: 0.005, stall: 0.005, drain: 0, full: 0, jump: 0.02, lose: 0 },
  hub: { workers: 3, crash: 0.004, stall: 0.03, drain: 0.003, full: 0.05, jump: 0, lose: 0.005 },
} as const;
export type Kind = keyof typeof kinds;
export const kindNames = Object.keys(kinds) as Kind[];

/** ms of virtual time in which things go wrong; and in which everything must have ended afterwards. */
const TROUBLE_TIME_MS = 6_000;
const TIMEOUT_MS = 600_000;
/** Outlasts a clock that is wrong by 300 s: idle workers take about 470 steps a second. */
const MAX_STEPS = 250_000;

export type Result = {
  kind: Kind;
  violations: string[];
  digest: string;
  story: readonly string[];
  seen: {
    executions: number;
    calls: number;
    crashes: number;
    stalls: number;
    drains: number;
    jumps: number;
    losses: number;
    /** Executions that were taken with their first checkpoint, and those where another was before it. */
    taken: number;
    /** Snapshots that were written, and executions that continued from one. */
    snapshots: number;
    restored: number;
    late: number;
    expired: number;
    takes: number;
    refused: number;
  };
};

export async function simulate(
  seed: number,
  options: { kind?: Kind; story?: boolean } = {},
): Promise<Result> {
  const kind = options.kind ?? kindNames[seed % kindNames.length]!;
  const run = new Run(seed, kind, options.story === true);
  await run.go();
  return {
    kind,
    violations: run.violations,
    digest: run.scheduler.digest(),
    story: run.scheduler.story,
    seen: run.seen,
  };
}

class Run {
  readonly scheduler: Scheduler;
  readonly violations: string[] = [];
  readonly seen = {
    executions: 0,
    calls: 0,
    crashes: 0,
    stalls: 0,
    drains: 0,
    jumps: 0,
    losses: 0,
    taken: 0,
    snapshots: 0,
    restored: 0,
    late: 0,
    expired: 0,
    takes: 0,
    refused: 0,
  };
  private readonly kind: Kind;
  private readonly store: MemoryStore;
  private readonly hub: Hub | null;
  private readonly workers: (SimulatedWorker | null)[];
  private readonly draining = new Set<SimulatedWorker>();
  private readonly clients: SimulatedClients;
  private readonly upstream: SimulatedUpstream;
  private trouble = true;
  private born = 0;

  constructor(seed: number, kind: Kind, story: boolean) {
    this.kind = kind;
    this.scheduler = new Scheduler(seed, story);
    this.store = new MemoryStore(() => this.scheduler.step);
    this.hub = kind === 'hub' ? new Hub(this.scheduler) : null;
    this.workers = Array.from({ length: kinds[kind].workers }, () => null);
    const wrong = (text: string): void => this.wrong(text);
    const { scheduler, store, seen } = this;
    this.clients = new SimulatedClients({ scheduler, store, seen, wrong, anyWorker: () => this.anyWorker() });
    this.upstream = new SimulatedUpstream({
      scheduler,
      store,
      wrong,
      stopped: this.clients.stopped,
      isOneWorker: this.workers.length === 1,
    });
  }

  private wrong(text: string): void {
    this.scheduler.trace(`WRONG ${text}`);
    this.violations.push(text);
  }

  async go(): Promise<void> {
    const { scheduler } = this;
    for (let i = 0; i < this.workers.length; i++) this.revive(i, 0);
    for (let i = scheduler.between(1, 4); i > 0; i--) this.clients.add(i);
    const start = scheduler.now;
    while (await scheduler.next()) {
      if (this.trouble && scheduler.now - start > TROUBLE_TIME_MS) this.calmDown();
      if (this.trouble) this.mischief();
      else if (this.isOver()) break;
      if (scheduler.now - start > TIMEOUT_MS || scheduler.step > MAX_STEPS) {
        this.wrong('it does not come to an end');
        break;
      }
    }
    for (const execution of this.store.executions.values())
      checkHistory(
        execution,
        this.store.workflows.get(execution.row.workflowId)!,
        this.upstream.calls.filter((call) => call.execution === execution.row.id),
        {
          isAlone: this.workers.length === 1,
          dies: kinds[this.kind].crash > 0,
          mayInterrupt: this.kind !== 'calm' && this.kind !== 'drains',
          clocksAreRight: this.kind !== 'clocks',
          seen: this.seen,
        },
        (text) => this.wrong(text),
      );
    for (const id of this.clients.acknowledged)
      if (!this.store.executions.has(id)) this.wrong(`${id} was acknowledged and is not there`);
    this.seen.taken = this.store.taken;
    this.seen.snapshots = this.store.snapshots;
    this.seen.restored = this.store.restored;
    this.seen.late = this.store.late;
    this.seen.executions = this.store.executions.size;
    this.seen.calls = this.upstream.calls.length;
  }

  private isOver(): boolean {
    return (
      this.clients.open === 0 && [...this.store.executions.values()].every(({ row }) => isSettled(row.status))
    );
  }

  private revive(index: number, after: number): void {
    this.scheduler.at(after, () => {
      const name = `w${index}.${++this.born}`;
      this.scheduler.trace(`${name} starts`);
      // A single process knows from its lock on the folder that those before it are gone.
      if (this.workers.length === 1) this.store.leases.clear();
      const worker = new SimulatedWorker({
        scheduler: this.scheduler,
        store: this.store,
        name,
        among: this.hub === null ? null : { hub: this.hub, works: index > 0 },
        full: () => (this.trouble ? kinds[this.kind].full : 0),
        report: (message, error) => {
          const code = error instanceof Error && 'code' in error ? error.code : null;
          if (code !== 'STORAGE_FULL') this.wrong(`${name}: ${message}: ${String(error)}`);
          else this.seen.refused++;
        },
        upstream: {
          called: (attempt, by) => this.upstream.receive(attempt, by),
          answer: (attempt) => this.respond(attempt, index, worker),
        },
      });
      this.workers[index] = worker;
      worker.engine.open().catch(() => this.die(index, worker));
    });
  }

  private die(index: number, worker: SimulatedWorker): void {
    worker.crash();
    this.workers[index] = null;
    this.revive(
      index,
      this.scheduler.chance(0.3) ? this.scheduler.between(10, 15_000) : this.scheduler.between(10, 300),
    );
  }

  private mischief(): void {
    const { scheduler } = this;
    const odds = kinds[this.kind];
    if (this.hub !== null && scheduler.chance(odds.lose)) {
      scheduler.trace('the hub loses all');
      this.seen.losses++;
      this.hub.lose(scheduler.chance(0.5) ? 0 : scheduler.between(1, 4_000));
    }
    for (const [index, worker] of this.workers.entries()) {
      if (worker === null) continue;
      if (scheduler.chance(odds.crash)) {
        scheduler.trace(`${worker.name} crashes`);
        this.seen.crashes++;
        this.die(index, worker);
      } else if (scheduler.chance(odds.stall)) {
        scheduler.trace(`${worker.name} stalls`);
        this.seen.stalls++;
        worker.stall(scheduler.between(1, 25_000));
      } else if (scheduler.chance(odds.jump)) {
        worker.skew = scheduler.between(-300_000, 300_000);
        scheduler.trace(`${worker.name} is wrong by ${worker.skew} ms`);
        this.seen.jumps++;
      } else if (!this.draining.has(worker) && scheduler.chance(odds.drain)) this.drain(index, worker);
    }
  }

  private drain(index: number, worker: SimulatedWorker): void {
    this.scheduler.trace(`${worker.name} drains`);
    this.seen.drains++;
    this.draining.add(worker);
    const over = (outcome: string): void => {
      this.scheduler.trace(`${worker.name} ${outcome}`);
      if (worker.alive) this.die(index, worker);
    };
    worker.engine.drain(this.scheduler.chance(0.5) ? 0 : this.scheduler.between(1, 400)).then(
      () => over('has drained'),
      // The last write found no space: the process ends all the same.
      () => over('could not drain'),
    );
  }

  private calmDown(): void {
    this.scheduler.trace('calm');
    this.trouble = false;
    for (const worker of this.workers) {
      worker?.stall(0);
      if (worker !== null) worker.skew = 0;
    }
  }

  private anyWorker(): SimulatedWorker | null {
    const first = this.workers[0];
    if (this.hub !== null && first && this.scheduler.chance(0.8)) return first;
    const here = this.workers.filter((worker) => worker !== null);
    return here.length === 0 ? null : this.scheduler.pick(here);
  }

  private respond(
    attempt: Attempt,
    index: number,
    worker: SimulatedWorker,
  ): { after: number | null; fails: boolean } {
    const { failures = 0, kills } = attempt.configure(null) as { failures?: number; kills?: boolean };
    const fails = this.upstream.countCalls(attempt.idempotencyKey) <= failures;
    const { scheduler } = this;
    if (kills === true && kinds[this.kind].crash > 0) {
      scheduler.trace(`${worker.name} dies of ${attempt.path}`);
      this.seen.crashes++;
      if (worker.alive) this.die(index, worker);
      return { after: null, fails: true };
    }
    return {
      after: scheduler.chance(0.05) ? scheduler.between(1_000, 15_000) : scheduler.between(0, 60),
      fails,
    };
  }
}
