import type { WorkflowSettings } from '../../src/contract/definition.ts';
import { isSettled } from '../../src/contract/execution.ts';
import type { StartRequest, StartResult } from '../../src/engine/engine-api.ts';
import { buildGraph } from '../../src/engine/graph/graph-builder.ts';
import { runToEnd } from '../../src/lib/async/time-slice.ts';
import type { Attempt } from '../../src/ports/runner.ts';
import { checkStory, type Call } from './check-history.ts';
import { randomDefinition } from './graphs.ts';
import { MemoryStore } from './memory-store.ts';
import { Hub } from './fake-queue-and-bus.ts';
import { simulatedTypes } from './node-types.ts';
import { Scheduler } from './scheduler.ts';
import { SimulatedWorker } from './worker.ts';

/** What goes wrong in a run: which kind the seed decides. In a `hub` the first process only starts executions. */
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

const owner = 'owner';
/** ms of virtual time in which things go wrong; and in which everything must have ended afterwards. */
const TROUBLE = 6_000;
const PATIENCE = 600_000;
const MOST_STEPS = 100_000;

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
  private readonly calls: Call[] = [];
  private readonly callsByKey = new Map<string, number>();
  private readonly acknowledged = new Set<string>();
  private readonly stopped = new Set<string>();
  private readonly idOfKey = new Map<string, string>();
  private trouble = true;
  private open = 0;
  private born = 0;

  constructor(seed: number, kind: Kind, story: boolean) {
    this.kind = kind;
    this.scheduler = new Scheduler(seed, story);
    this.store = new MemoryStore(() => this.scheduler.step);
    this.hub = kind === 'hub' ? new Hub(this.scheduler) : null;
    this.workers = Array.from({ length: kinds[kind].workers }, () => null);
  }

  private wrong(text: string): void {
    this.scheduler.trace(`WRONG ${text}`);
    this.violations.push(text);
  }

  async go(): Promise<void> {
    const { scheduler } = this;
    for (let i = 0; i < this.workers.length; i++) this.revive(i, 0);
    for (let i = scheduler.between(1, 4); i > 0; i--) this.client(i);
    const start = scheduler.now;
    while (await scheduler.next()) {
      if (this.trouble && scheduler.now - start > TROUBLE) this.calmDown();
      if (this.trouble) this.mischief();
      else if (this.isOver()) break;
      if (scheduler.now - start > PATIENCE || scheduler.step > MOST_STEPS) {
        this.wrong('it does not come to an end');
        break;
      }
    }
    for (const execution of this.store.executions.values())
      checkStory(
        execution,
        this.store.workflows.get(execution.row.workflowId)!,
        this.calls.filter((call) => call.execution === execution.row.id),
        {
          isAlone: this.workers.length === 1,
          dies: kinds[this.kind].crash > 0,
          mayInterrupt: this.kind !== 'calm' && this.kind !== 'drains',
          clocksAreRight: this.kind !== 'clocks',
          seen: this.seen,
        },
        (text) => this.wrong(text),
      );
    for (const id of this.acknowledged)
      if (!this.store.executions.has(id)) this.wrong(`${id} was acknowledged and is not there`);
    this.seen.taken = this.store.taken;
    this.seen.late = this.store.late;
    this.seen.executions = this.store.executions.size;
    this.seen.calls = this.calls.length;
  }

  private isOver(): boolean {
    return this.open === 0 && [...this.store.executions.values()].every(({ row }) => isSettled(row.status));
  }

  private revive(place: number, after: number): void {
    this.scheduler.at(after, () => {
      const name = `w${place}.${++this.born}`;
      this.scheduler.trace(`${name} starts`);
      // A single process knows from its lock on the folder that those before it are gone.
      if (this.workers.length === 1) this.store.leases.clear();
      const worker = new SimulatedWorker({
        scheduler: this.scheduler,
        store: this.store,
        name,
        among: this.hub === null ? null : { hub: this.hub, works: place > 0 },
        full: () => (this.trouble ? kinds[this.kind].full : 0),
        report: (message, error) => {
          const code = error instanceof Error && 'code' in error ? error.code : null;
          if (code !== 'STORAGE_FULL') this.wrong(`${name}: ${message}: ${String(error)}`);
          else this.seen.refused++;
        },
        upstream: {
          called: (attempt, by) => this.called(attempt, by),
          answer: (attempt) => this.answer(attempt, place, worker),
        },
      });
      this.workers[place] = worker;
      worker.engine.open().catch(() => this.die(place, worker));
    });
  }

  private die(place: number, worker: SimulatedWorker): void {
    worker.crash();
    this.workers[place] = null;
    this.revive(
      place,
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
    for (const [place, worker] of this.workers.entries()) {
      if (worker === null) continue;
      if (scheduler.chance(odds.crash)) {
        scheduler.trace(`${worker.name} crashes`);
        this.seen.crashes++;
        this.die(place, worker);
      } else if (scheduler.chance(odds.stall)) {
        scheduler.trace(`${worker.name} stalls`);
        this.seen.stalls++;
        worker.stall(scheduler.between(1, 25_000));
      } else if (scheduler.chance(odds.jump)) {
        worker.skew = scheduler.between(-300_000, 300_000);
        scheduler.trace(`${worker.name} is wrong by ${worker.skew} ms`);
        this.seen.jumps++;
      } else if (!this.draining.has(worker) && scheduler.chance(odds.drain)) this.drain(place, worker);
    }
  }

  private drain(place: number, worker: SimulatedWorker): void {
    this.scheduler.trace(`${worker.name} drains`);
    this.seen.drains++;
    this.draining.add(worker);
    const over = (outcome: string): void => {
      this.scheduler.trace(`${worker.name} ${outcome}`);
      if (worker.alive) this.die(place, worker);
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

  private client(number: number): void {
    const { scheduler, store } = this;
    const workflowId = `wf${number}`;
    const definition = randomDefinition(scheduler);
    const { graph, form, issues } = runToEnd(buildGraph(definition, simulatedTypes));
    if (graph === null || issues.length > 0)
      throw new Error(`A bad graph: ${JSON.stringify({ form, issues, definition })}`);
    const settings: WorkflowSettings = {
      ...(scheduler.chance(0.3) && { max_concurrency: 1 }),
      ...(scheduler.chance(0.15) && { timeout: `${scheduler.between(50, 1_500)}ms` }),
    };
    store.workflows.set(workflowId, {
      definition,
      row: {
        id: workflowId,
        ownerId: owner,
        name: workflowId,
        description: '',
        status: 'draft',
        version: 1,
        activeVersion: null,
        settings,
        tags: [],
        nodeCount: 1,
        executionCount: 0,
        createdAt: 0,
        updatedAt: 0,
      },
    });
    for (let i = scheduler.between(1, 3); i > 0; i--) {
      const key = scheduler.chance(0.5) ? `key${number}.${i}` : null;
      const times = key === null ? 1 : scheduler.between(1, 3);
      for (let t = 0; t < times; t++) this.start(workflowId, settings, key, scheduler.between(0, 2_000));
    }
  }

  private later(ms: number, run: () => void): void {
    this.open++;
    this.scheduler.at(ms, () => {
      this.open--;
      run();
    });
  }

  private anyWorker(): SimulatedWorker | null {
    const first = this.workers[0];
    if (this.hub !== null && first && this.scheduler.chance(0.8)) return first;
    const here = this.workers.filter((worker) => worker !== null);
    return here.length === 0 ? null : this.scheduler.pick(here);
  }

  private start(
    workflowId: string,
    settings: StartRequest['settings'],
    key: string | null,
    after: number,
  ): void {
    this.later(after, () => {
      const again = (): void => this.start(workflowId, settings, key, 200);
      const worker = this.anyWorker();
      if (worker === null) return again();
      const dedupe = key === null ? null : { scope: workflowId, key, fingerprint: '', expiresAt: Infinity };
      worker.engine
        .start({
          ownerId: owner,
          workflowId,
          workflowVersion: 1,
          settings,
          trigger: { type: 'manual' },
          entry: null,
          input: { a: 1 },
          dedupe,
          tick: null,
          parentId: null,
          retryOf: null,
          given: {},
          inputOf: null,
          until: null,
        })
        .then(
          (result) => this.accepted(result, key),
          (error: unknown) => {
            const code = error instanceof Error && 'code' in error ? error.code : null;
            if (code !== 'STORAGE_FULL' && code !== 'RATE_LIMITED')
              this.wrong(`a start failed: ${String(error)}`);
            this.seen.refused++;
            again();
          },
        );
    });
  }

  private accepted(result: StartResult, key: string | null): void {
    if (result.kind === 'tick_taken' || result.kind === 'workflow_gone')
      return this.wrong(`a start gave ${result.kind}`);
    const id = result.kind === 'accepted' ? result.id : result.executionId;
    this.scheduler.trace(`${id} is acknowledged as ${result.kind}`);
    if (!this.store.executions.has(id)) this.wrong(`${id} was acknowledged before it was on disk`);
    this.acknowledged.add(id);
    if (key !== null) {
      const before = this.idOfKey.get(key) ?? id;
      this.idOfKey.set(key, before);
      if (before !== id) this.wrong(`the key ${key} gave ${before} and ${id}`);
    }
    if (result.kind !== 'accepted') return;
    void result.watch.ended.then((end) => {
      const stored = this.store.executions.get(id)?.row.status;
      if (stored !== end.status) this.wrong(`${id} was published as ${end.status} and is ${stored}`);
    });
    if (this.scheduler.chance(0.25)) this.stop(id, this.scheduler.between(0, 1_500));
  }

  private stop(id: string, after: number): void {
    this.later(after, () => {
      const worker = this.anyWorker();
      if (worker === null) return this.stop(id, 200);
      worker.engine.stop(owner, id).then(
        (result) => {
          this.scheduler.trace(`the stop of ${id} is answered with ${result.kind}`);
          const status = this.store.executions.get(id)?.row.status;
          if (result.kind === 'missing') this.wrong(`${id} is missing at its stop`);
          if (result.kind === 'settled' && status !== result.status)
            this.wrong(`${id} was ${result.status} and is ${status}`);
          if (result.kind !== 'stopped') return;
          if (status !== 'stopped') this.wrong(`the stop of ${id} was acknowledged before it was on disk`);
          this.stopped.add(id);
        },
        () => this.stop(id, 200),
      );
    });
  }

  private called(attempt: Attempt, worker: SimulatedWorker): void {
    const { executionId: id, path, attempt: n, idempotencyKey: key } = attempt;
    const { scheduler } = this;
    scheduler.trace(`${worker.name} calls ${id} ${path} ${n}`);
    const stored = this.store.executions.get(id);
    const events = stored?.events ?? [];
    if (!events.some((event) => event.e === 'start' && event.p === path && event.n === n))
      this.wrong(`${id} ${path} was called before its start was on disk`);
    const isOnlyOne = this.workers.length === 1;
    if (isOnlyOne && events.some((event) => event.e === 'end' && event.p === path))
      this.wrong(`${id} ${path} was called after its end was on disk`);
    if (isOnlyOne && this.stopped.has(id))
      this.wrong(`${id} ${path} was called after the stop was acknowledged`);
    if (this.calls.some((call) => call.execution === id && call.path === path && call.attempt === n))
      this.wrong(`${id} ${path} attempt ${n} was called twice`);
    const other = this.calls.find(
      (call) => (call.key === key) !== (call.execution === id && call.path === path),
    );
    if (other !== undefined)
      this.wrong(`the key of ${id} ${path} is not its own: ${other.execution} ${other.path}`);
    this.calls.push({ key, execution: id, path, attempt: n, step: scheduler.step });
    this.callsByKey.set(key, (this.callsByKey.get(key) ?? 0) + 1);
  }

  private answer(
    attempt: Attempt,
    place: number,
    worker: SimulatedWorker,
  ): { after: number | null; fails: boolean } {
    const { failures = 0, kills } = attempt.configure(null) as { failures?: number; kills?: boolean };
    const fails = (this.callsByKey.get(attempt.idempotencyKey) ?? 0) <= failures;
    const { scheduler } = this;
    if (kills === true && kinds[this.kind].crash > 0) {
      scheduler.trace(`${worker.name} dies of ${attempt.path}`);
      this.seen.crashes++;
      if (worker.alive) this.die(place, worker);
      return { after: null, fails: true };
    }
    return {
      after: scheduler.chance(0.05) ? scheduler.between(1_000, 15_000) : scheduler.between(0, 60),
      fails,
    };
  }
}
