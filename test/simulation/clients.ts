import type { WorkflowSettings } from '../../src/contract/definition.ts';
import type { StartRequest, StartResult } from '../../src/engine/engine-api.ts';
import { buildGraph } from '../../src/engine/graph/graph-builder.ts';
import { runToEnd } from '../../src/lib/async/time-slice.ts';
import { createRandomDefinition } from './graphs.ts';
import type { MemoryStore } from './memory-store.ts';
import { simulatedTypes } from './node-types.ts';
import type { Scheduler } from './scheduler.ts';
import type { SimulatedWorker } from './worker.ts';

const OWNER = 'owner';

type SimulationContext = {
  readonly scheduler: Scheduler;
  readonly store: MemoryStore;
  readonly seen: { refused: number };
  /** Reports a violation. */
  wrong(text: string): void;
  /** A worker that accepts calls; null: none is running. */
  anyWorker(): SimulatedWorker | null;
};

/** Clients that start and stop executions of random workflows, and check each result. */
export class SimulatedClients {
  /** Executions whose start was acknowledged, and those whose stop was. */
  readonly acknowledged = new Set<string>();
  readonly stopped = new Set<string>();
  /** Calls that are scheduled. */
  open = 0;
  private readonly idOfKey = new Map<string, string>();
  private readonly context: SimulationContext;

  constructor(context: SimulationContext) {
    this.context = context;
  }

  add(number: number): void {
    const { scheduler, store } = this.context;
    const workflowId = `wf${number}`;
    const definition = createRandomDefinition(scheduler);
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
        ownerId: OWNER,
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
    this.context.scheduler.at(ms, () => {
      this.open--;
      run();
    });
  }

  private start(
    workflowId: string,
    settings: StartRequest['settings'],
    key: string | null,
    after: number,
  ): void {
    this.later(after, () => {
      const again = (): void => this.start(workflowId, settings, key, 200);
      const worker = this.context.anyWorker();
      if (worker === null) return again();
      const dedupe = key === null ? null : { scope: workflowId, key, fingerprint: '', expiresAt: Infinity };
      worker.engine
        .start({
          ownerId: OWNER,
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
              this.context.wrong(`a start failed: ${String(error)}`);
            this.context.seen.refused++;
            again();
          },
        );
    });
  }

  private accepted(result: StartResult, key: string | null): void {
    if (result.kind === 'tick_taken' || result.kind === 'workflow_gone')
      return this.context.wrong(`a start gave ${result.kind}`);
    const id = result.kind === 'accepted' ? result.id : result.executionId;
    this.context.scheduler.trace(`${id} is acknowledged as ${result.kind}`);
    if (!this.context.store.executions.has(id))
      this.context.wrong(`${id} was acknowledged before it was on disk`);
    this.acknowledged.add(id);
    if (key !== null) {
      const before = this.idOfKey.get(key) ?? id;
      this.idOfKey.set(key, before);
      if (before !== id) this.context.wrong(`the key ${key} gave ${before} and ${id}`);
    }
    if (result.kind !== 'accepted') return;
    void result.watch.ended.then((end) => {
      const stored = this.context.store.executions.get(id)?.row.status;
      if (stored !== end.status) this.context.wrong(`${id} was published as ${end.status} and is ${stored}`);
    });
    if (this.context.scheduler.chance(0.25)) this.stop(id, this.context.scheduler.between(0, 1_500));
  }

  private stop(id: string, after: number): void {
    this.later(after, () => {
      const worker = this.context.anyWorker();
      if (worker === null) return this.stop(id, 200);
      worker.engine.stop(OWNER, id).then(
        (result) => {
          this.context.scheduler.trace(`the stop of ${id} is answered with ${result.kind}`);
          const status = this.context.store.executions.get(id)?.row.status;
          if (result.kind === 'missing') this.context.wrong(`${id} is missing at its stop`);
          if (result.kind === 'settled' && status !== result.status)
            this.context.wrong(`${id} was ${result.status} and is ${status}`);
          if (result.kind !== 'stopped') return;
          if (status !== 'stopped')
            this.context.wrong(`the stop of ${id} was acknowledged before it was on disk`);
          this.stopped.add(id);
        },
        () => this.stop(id, 200),
      );
    });
  }
}
