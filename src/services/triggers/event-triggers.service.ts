import { isTemporary, WeftError } from '../../contract/errors.ts';
import type { Engine } from '../../engine/engine-api.ts';
import type { Json } from '../../lib/json/json.ts';
import { readStoredTraceContext } from '../../lib/network/trace-context.ts';
import type { Clock } from '../../ports/clock.ts';
import type { EndedExecution, CompletionTriggers } from '../../ports/completion-triggers.ts';
import { limits } from '../../ports/limits.ts';
import type { TriggerFailure } from '../../ports/notifier.ts';
import type { ExecutionRow } from '../../ports/store/execution-row.ts';
import type { ExecutionStore } from '../../ports/store/executions.ts';
import type { Follower, PendingFollower } from '../../ports/store/completion-triggers.ts';
import type { EventRoute } from '../../ports/store/active-triggers.ts';
import type { WorkflowRow, WorkflowStore } from '../../ports/store/workflows.ts';
import type { DefinitionValidator } from '../workflows/validate-definition.ts';
import { EventRoutes } from './event-routes.ts';
import { checkRunnable } from '../workflows/lifecycle.ts';

/** Delay before a start is retried, ms. */
const RETRY_DELAY_MS = 1_000;
/** Maximum number of attempts after internal errors. */
const MAX_ATTEMPTS = 10;
const PAGE_SIZE = 200;
const MAX_CONCURRENCY = 20;
/**
 * How long the end of an execution is bound to the execution that it started, ms: longer than anything stays
 * pending.
 */
const KEY_LIFETIME_MS = 400 * 86_400_000;

export type EventTriggersDeps = {
  workflows: Pick<WorkflowStore, 'get' | 'version' | 'eventRoutes'>;
  executions: Pick<ExecutionStore, 'get' | 'pendingFollowers' | 'followed'>;
  /** Resolved lazily: the engine depends on this service and is created after it. */
  engine(): Pick<Engine, 'start' | 'inspect'>;
  validator(): DefinitionValidator;
  /** Reports that a trigger could not start an execution. */
  failed(problem: TriggerFailure): void;
  clock: Pick<Clock, 'now' | 'after'>;
  report(message: string, error: unknown): void;
};

export type EventTriggers = CompletionTriggers & {
  /** Loads the triggers before the engine opens, or reloads them. */
  open(): Promise<void>;
  /** Updates the active triggers of a workflow; null when it was deleted. */
  change(workflowId: string, live: { events: readonly EventRoute[] } | null): void;
  /** Starts the pending executions, now and whenever new ones are added. */
  start(): void;
  /** Starts nothing more; resolves when pending starts are on disk. */
  stop(): Promise<void>;
};

/** Why a trigger starts nothing, as a sentence for its owner; null when there is no owner to notify. */
class CannotStart extends Error {
  readonly issue: string | null;
  constructor(issue: string | null) {
    super(issue ?? 'gone');
    this.issue = issue;
  }
}

/**
 * Starts executions when others end: event and error triggers, and `on_failure_workflow`. A pending start is
 * written in the transaction that ends the source, started under its own key, and then removed: it happens
 * exactly once, even after a crash.
 */
export function createEventTriggers(deps: EventTriggersDeps): EventTriggers {
  const { workflows, executions, clock } = deps;
  const routes = new EventRoutes();
  const tries = new Map<string, number>();
  let isRunning = false;
  let isWanted = false;
  let cancelSleep = (): void => {};
  let pass: Promise<void> | null = null;

  function look(): void {
    if (!isRunning) return;
    if (pass !== null) {
      isWanted = true;
      return;
    }
    cancelSleep();
    isWanted = false;
    pass = run()
      .catch((error: unknown) => {
        deps.report('pending completion triggers could not be read', error);
        return true;
      })
      .then((isLeft) => {
        pass = null;
        if (isWanted) look();
        else if (isLeft && isRunning) cancelSleep = clock.after(RETRY_DELAY_MS, look);
      });
  }

  /** Processes all pending starts once. Returns true if some must be retried. */
  async function run(): Promise<boolean> {
    let isLeft = false;
    let after: PendingFollower | null = null;
    for (;;) {
      const rows: PendingFollower[] = await executions.pendingFollowers(after, PAGE_SIZE);
      for (let i = 0; i < rows.length; i += MAX_CONCURRENCY) {
        if (!isRunning) return isLeft;
        const done = await Promise.all(rows.slice(i, i + MAX_CONCURRENCY).map(serve));
        if (done.includes(false)) isLeft = true;
      }
      after = rows.at(-1) ?? null;
      if (rows.length < PAGE_SIZE) return isLeft;
    }
  }

  /** Returns false if the start stays pending. */
  async function serve(follower: PendingFollower): Promise<boolean> {
    const key = `${follower.executionId}/${formatTarget(follower)}`;
    try {
      await startFollower(follower);
    } catch (error) {
      if (error instanceof WeftError && isTemporary(error.code)) return false;
      if (error instanceof CannotStart) {
        if (error.issue !== null) await notify(follower, error.issue);
      } else if (error instanceof WeftError && error.code === 'VALIDATION_ERROR') {
        await notify(follower, error.message);
      } else {
        deps.report('a completion trigger could not be started', error);
        const made = (tries.get(key) ?? 0) + 1;
        tries.set(key, made);
        if (made < MAX_ATTEMPTS) return false;
        await notify(follower, 'It failed repeatedly with an internal error.');
      }
    }
    tries.delete(key);
    try {
      await executions.followed(follower);
      return true;
    } catch (error) {
      deps.report('a completed trigger could not be removed', error);
      return false;
    }
  }

  async function startFollower(follower: PendingFollower): Promise<void> {
    const { ownerId, executionId, workflowId, nodeId, kind } = follower;
    const [source, target] = await Promise.all([
      executions.get(ownerId, executionId),
      workflows.get(ownerId, workflowId),
    ]);
    // The source was deleted, with its data.
    if (source === null) throw new CannotStart(null);
    if (target === null)
      throw new CannotStart(nodeId === null ? `The workflow ${workflowId} no longer exists.` : null);
    const depth = 1 + Number(source.trigger['depth'] ?? 0);
    if (depth > limits.depth)
      throw new CannotStart(`Executions start each other at most ${limits.depth} deep.`);
    const version = await runnable(follower, target);
    const started = await deps.engine().start({
      ownerId,
      workflowId,
      workflowVersion: version,
      settings: target.settings,
      trigger: {
        type: kind,
        execution_id: executionId,
        workflow_id: source.workflowId,
        depth,
        ...readStoredTraceContext(source.trigger),
      },
      entry: nodeId,
      input: await handedOn(source),
      dedupe: {
        scope: `follow:${executionId}`,
        key: formatTarget(follower),
        fingerprint: '',
        expiresAt: clock.now() + KEY_LIFETIME_MS,
      },
      tick: null,
      parentId: executionId,
      retryOf: null,
      given: {},
      inputOf: null,
      until: null,
    });
    if (started.kind === 'accepted') started.watch.cancel();
  }

  /**
   * Returns the version to run: for a trigger the active one; for a workflow named in settings, the newest if
   * none is active.
   */
  async function runnable(
    { ownerId, workflowId, nodeId }: PendingFollower,
    target: WorkflowRow,
  ): Promise<number> {
    if (nodeId !== null && (target.activeVersion === null || !routes.has(workflowId, nodeId)))
      throw new CannotStart('The trigger is not active any more.');
    const version = target.activeVersion ?? target.version;
    const stored = await workflows.version(ownerId, workflowId, version);
    if (stored === null) throw new CannotStart(null);
    const found = await deps.validator().findStored(ownerId, workflowId, version, stored.definition);
    const [wrong] = checkRunnable(found, stored.definition);
    if (wrong !== undefined)
      throw new CannotStart(`${workflowId} cannot run: ${wrong.field}: ${wrong.issue}`);
    return version;
  }

  /** Returns the output, or the error with its source. */
  async function handedOn(source: ExecutionRow): Promise<Json> {
    if (source.status === 'completed') return (await deps.engine().inspect(source)).output;
    const workflow = await workflows.get(source.ownerId, source.workflowId);
    return {
      ...source.error,
      execution_id: source.id,
      workflow_id: source.workflowId,
      workflow_name: workflow?.name ?? '',
    };
  }

  async function notify(follower: PendingFollower, issue: string): Promise<void> {
    const { ownerId, executionId, workflowId, nodeId, kind } = follower;
    if (nodeId !== null) return deps.failed({ ownerId, workflowId, nodeId, kind, issue });
    // The setting belongs to the failed workflow: its owner must fix it there.
    const source = await executions.get(ownerId, executionId);
    if (source === null) return;
    deps.failed({
      ownerId,
      workflowId: source.workflowId,
      nodeId: '',
      kind: 'on_failure_workflow',
      issue,
    });
  }

  return {
    of: (ended: EndedExecution): readonly Follower[] | null => routes.of(ended),
    written: look,
    async open() {
      const byWorkflow = Map.groupBy(await workflows.eventRoutes(), (route) => route.workflowId);
      for (const workflowId of routes.workflows())
        if (!byWorkflow.has(workflowId)) routes.change(workflowId, []);
      for (const [workflowId, own] of byWorkflow) routes.change(workflowId, own);
    },
    change: (workflowId, live) => routes.change(workflowId, live?.events ?? []),
    start() {
      isRunning = true;
      look();
    },
    async stop() {
      isRunning = false;
      cancelSleep();
      await pass;
    },
  };
}

function formatTarget({ workflowId, nodeId }: PendingFollower): string {
  return `${workflowId}/${nodeId ?? ''}`;
}
