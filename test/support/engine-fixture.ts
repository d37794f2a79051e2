import { randomFillSync } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Type } from 'typebox';
import type { Connection, NodeEntry, WorkflowSettings } from '../../src/contract/definition.ts';
import type { NodeContext, Outcome } from '../../src/contract/node-type.ts';
import { createInProcessEvents } from '../../src/coordination/in-process/events.ts';
import { createTimeOrderedIds } from '../../src/lib/ids.ts';
import type { Json } from '../../src/lib/json/json.ts';
import { MemoryBudget } from '../../src/lib/limits/memory-budget.ts';
import { createNodeTypes } from '../../src/nodes/catalog.ts';
import { defineNode } from '../../src/nodes/define-node.ts';
import { builtinNodes } from '../../src/nodes/registry.ts';
import type { Events } from '../../src/ports/events.ts';
import type { FileStore } from '../../src/ports/files.ts';
import type { CompletionTriggers } from '../../src/ports/completion-triggers.ts';
import { idPrefixes, type Ids } from '../../src/ports/ids.ts';
import { limits } from '../../src/ports/limits.ts';
import type { Store } from '../../src/ports/store.ts';
import { parseAllowedHosts } from '../../src/runner/allowed-hosts.ts';
import { createNodeRunner } from '../../src/runner/node-runner.ts';
import { noTokens } from './node-runner.ts';
import { openDiskFiles } from '../../src/store/files.ts';
import { openSqliteStore } from '../../src/store/sqlite/open-store.ts';
import type { Cluster } from '../../src/engine/worker/leader-election.ts';
import { createEngine } from '../../src/engine/engine.ts';
import type { Engine, ExecutionView, StartRequest } from '../../src/engine/engine-api.ts';
import { ManualClock } from './time/manual-clock.ts';

export type Call = { ctx: NodeContext; input: Json };
/** The behavior of a `probe` node, which has effects, by node id. */
export type Probe = (call: Call) => Outcome | Promise<Outcome>;

export const owner = 'usr_1';

/** The engine on a real store in a temporary folder, with a clock that the test advances. */
export class EngineFixture {
  readonly clock = new ManualClock();
  readonly folder = mkdtempSync(join(tmpdir(), 'weft-engine-'));
  readonly calls: Call[] = [];
  readonly probes = new Map<string, Probe>();
  readonly reports: unknown[] = [];
  /** The bus that the engine publishes to. */
  around: (events: Events) => Events = (events) => events;
  /** Storage for large values. */
  aroundFiles: (files: FileStore) => FileStore = (files) => files;
  /** The executions that start when an execution ends. */
  completionTriggers: CompletionTriggers = { findStarts: () => null, startPending() {} };
  /** Maximum size of values in memory, in bytes. */
  memoryLimit = limits.liveValueBytes;
  snapshotEvents: number = limits.snapshotEvents;
  store!: Store;
  engine!: Engine;
  private workflows = 0;
  private readonly ids: Ids;
  private closeRunner: () => Promise<void> = () => Promise.resolve();

  constructor() {
    const next = createTimeOrderedIds(
      () => this.clock.now(),
      (bytes) => void randomFillSync(bytes),
    );
    this.ids = { next: (kind) => `${idPrefixes[kind]}_${next()}` };
  }

  async open(): Promise<this> {
    this.store = await openSqliteStore({ dataDir: this.folder, now: () => this.clock.now() });
    const user = { id: owner, email: 'a@example.org', name: 'A', passwordHash: '-', createdAt: 1 };
    await this.store.accounts.createUser({ ...user, role: 'admin', plan: 'enterprise' });
    await this.openEngine();
    return this;
  }

  /** Another worker on the same store, as after a crash of the previous one. */
  async openEngine(): Promise<void> {
    this.engine = await this.makeEngine(null);
  }

  /** An engine that shares the store with others. */
  async makeEngine(cluster: Cluster | null, store: Store = this.store): Promise<Engine> {
    const { clock, ids } = this;
    const files = this.aroundFiles(await openDiskFiles(this.folder, () => this.clock.now()));
    const runner = createNodeRunner({
      clock,
      ids,
      secretsFor: () => Promise.resolve(new Map()),
      files,
      fileRows: store.files,
      executions: store.executions,
      threads: store.threads,
      vectors: store.vectors,
      orchestration: noFlow,
      tokens: noTokens,
      sandbox: { run: () => Promise.reject(new Error('A test reached the sandbox')) },
      packs: { run: () => Promise.reject(new Error('A test reached a pack')) },
      allowedHosts: parseAllowedHosts('127.0.0.1'),
      maxFileSize: 1024 ** 3,
      onError: (_attempt, error) => this.reports.push(error),
    });
    const closeOthers = this.closeRunner;
    this.closeRunner = async () => {
      await closeOthers();
      await runner.close();
    };
    const engine = createEngine({
      store,
      files,
      nodeTypes: { of: () => Promise.resolve(createNodeTypes([...builtinNodes, this.probeType()])) },
      runner,
      events: this.around(createInProcessEvents((error) => this.reports.push(error))),
      clock,
      ids,
      random: () => 0.5,
      snapshotEvents: this.snapshotEvents,
      completionTriggers: this.completionTriggers,
      resumeUrl: (_owner, id) => `/resume/${id}`,
      retention: 86_400_000,
      cluster,
      concurrency: limits.activeExecutions,
      memory: new MemoryBudget(this.memoryLimit),
      report: (_message, error) => this.reports.push(error),
    });
    await engine.open();
    return engine;
  }

  private probeType() {
    return defineNode({
      type: 'probe',
      version: '1.0.0',
      name: 'Probe',
      category: 'http',
      description: 'Does what the test says.',
      icon: 'x',
      config: Type.Object({}),
      outputs: [{ name: 'out', type: 'any', description: '' }],
      effects: 'external',
      examples: [],
      run: (ctx, _config, input) => {
        const call = { ctx, input };
        this.calls.push(call);
        return this.probes.get(ctx.nodeId)?.(call) ?? { kind: 'done', outputs: { out: { seen: input } } };
      },
    });
  }

  async save(nodes: NodeEntry[], connections: string[], settings: WorkflowSettings = {}): Promise<string> {
    const id = `wf_${++this.workflows}`;
    const joined = connections.map((text): Connection => {
      const [from, port, to] = text.split(' ') as [string, string, string];
      return port === '>' ? { from, to } : { from, sourcePort: port, to };
    });
    const all: NodeEntry[] = [{ id: 'start', type: 'trigger', config: { triggerType: 'manual' } }, ...nodes];
    const saved = await this.store.workflows.save({
      row: {
        id,
        ownerId: owner,
        name: id,
        description: '',
        status: 'draft',
        version: 1,
        activeVersion: null,
        settings,
        tags: [],
        createdAt: 1,
        updatedAt: 1,
      },
      definition: { nodes: all, connections: joined },
      expected: null,
      live: { webhooks: [], schedules: [], completionTriggers: [], pollingTriggers: [] },
    });
    if (saved.kind !== 'saved') throw new Error(saved.kind);
    return id;
  }

  request(workflowId: string, input: Json = {}, more: Partial<StartRequest> = {}): StartRequest {
    const none = {
      dedupe: null,
      tick: null,
      parentId: null,
      retryOf: null,
      given: {},
      inputOf: null,
      until: null,
    };
    return {
      ownerId: owner,
      workflowId,
      workflowVersion: 1,
      settings: {},
      trigger: { type: 'manual' },
      entry: null,
      input,
      ...none,
      ...more,
    };
  }

  async start(workflowId: string, input: Json = {}, more: Partial<StartRequest> = {}) {
    const result = await this.engine.start(this.request(workflowId, input, more));
    if (result.kind !== 'accepted') throw new Error(result.kind);
    return result;
  }

  async view(id: string): Promise<ExecutionView & { status: string }> {
    const row = await this.store.executions.get(owner, id);
    if (row === null) throw new Error(`no execution ${id}`);
    return { ...(await this.engine.inspect(row)), status: row.status };
  }

  /**
   * Advances the event loop, the writer and the clock (`step` ms per check) until `holds` is true, at most 30
   * s of real time.
   */
  async until(what: string, holds: () => boolean | Promise<boolean>, step = 1): Promise<void> {
    const end = performance.now() + 30_000;
    while (!(await holds())) {
      if (performance.now() > end) throw new Error(`never came: ${what}`);
      this.clock.advance(step);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }

  status(id: string): Promise<string | undefined> {
    return this.store.executions.get(owner, id).then((row) => row?.status);
  }

  async close(): Promise<void> {
    const drained = this.engine.drain(0);
    this.clock.advance(1);
    await drained;
    await this.closeRunner();
    await this.store.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const outside = () => Promise.reject(new Error('A test reached another execution'));
const noFlow = {
  startChild: outside,
  child: outside,
  stopChild: outside,
  signal: outside,
  ask: outside,
  countNotice: outside,
  hasMessage: outside,
  recordMessage: outside,
  endQuestion: outside,
  resumeUrl: () => '',
  notify() {},
};
