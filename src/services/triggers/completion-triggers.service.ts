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
import type { CompletionStart, PendingCompletionStart } from '../../ports/store/completion-triggers.ts';
import type { CompletionTrigger } from '../../ports/store/active-triggers.ts';
import type { WorkflowRow, WorkflowStore } from '../../ports/store/workflows.ts';
import type { DefinitionValidator } from '../workflows/validate-definition.ts';
import { CompletionTriggerIndex } from './completion-trigger-index.ts';
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

export type CompletionTriggerServiceDeps = {
  workflows: Pick<WorkflowStore, 'get' | 'version' | 'listCompletionTriggers'>;
  executions: Pick<ExecutionStore, 'get' | 'listPendingStarts' | 'removePendingStart'>;
  /** Resolved lazily: the engine depends on this service and is created after it. */
  engine(): Pick<Engine, 'start' | 'page'>;
  validator(): DefinitionValidator;
  /** Reports that a trigger could not start an execution. */
  failed(problem: TriggerFailure): void;
  clock: Pick<Clock, 'now' | 'after'>;
  report(message: string, error: unknown): void;
};

export type CompletionTriggerService = CompletionTriggers & {
  /** Loads the triggers before the engine opens, or reloads them. */
  open(): Promise<void>;
  /** Updates the active triggers of a workflow; null when it was deleted. */
  change(workflowId: string, live: { completionTriggers: readonly CompletionTrigger[] } | null): void;
  /** Starts the pending executions, now and whenever new ones are added. */
  start(): void;
  /** Starts nothing more; resolves when pending starts are on disk. */
  stop(): Promise<void>;
};

/** Why a trigger starts nothing, as a sentence for its owner; null when there is no owner to notify. */
class StartError extends Error {
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
export function createCompletionTriggerService(deps: CompletionTriggerServiceDeps): CompletionTriggerService {
  const { workflows, executions, clock } = deps;
  const index = new CompletionTriggerIndex();
  const failedAttempts = new Map<string, number>();
  let isRunning = false;
  let isWanted = false;
  let cancelSleep = (): void => {};
  let pass: Promise<void> | null = null;

  function wake(): void {
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
        if (isWanted) wake();
        else if (isLeft && isRunning) cancelSleep = clock.after(RETRY_DELAY_MS, wake);
      });
  }

  /** Processes all pending starts once. Returns true if some must be retried. */
  async function run(): Promise<boolean> {
    let isLeft = false;
    let after: PendingCompletionStart | null = null;
    for (;;) {
      const rows: PendingCompletionStart[] = await executions.listPendingStarts(after, PAGE_SIZE);
      for (let i = 0; i < rows.length; i += MAX_CONCURRENCY) {
        if (!isRunning) return isLeft;
        const done = await Promise.all(rows.slice(i, i + MAX_CONCURRENCY).map(startOrKeep));
        if (done.includes(false)) isLeft = true;
      }
      after = rows.at(-1) ?? null;
      if (rows.length < PAGE_SIZE) return isLeft;
    }
  }

  /** Returns false if the start stays pending. */
  async function startOrKeep(start: PendingCompletionStart): Promise<boolean> {
    const key = `${start.executionId}/${formatTarget(start)}`;
    try {
      await startExecution(start);
    } catch (error) {
      if (error instanceof WeftError && isTemporary(error.code)) return false;
      if (error instanceof StartError) {
        if (error.issue !== null) await notify(start, error.issue);
      } else if (error instanceof WeftError && error.code === 'VALIDATION_ERROR') {
        await notify(start, error.message);
      } else {
        deps.report('a completion trigger could not be started', error);
        const made = (failedAttempts.get(key) ?? 0) + 1;
        failedAttempts.set(key, made);
        if (made < MAX_ATTEMPTS) return false;
        await notify(start, 'It failed repeatedly with an internal error.');
      }
    }
    failedAttempts.delete(key);
    try {
      await executions.removePendingStart(start);
      return true;
    } catch (error) {
      deps.report('a pending start could not be removed', error);
      return false;
    }
  }

  async function startExecution(start: PendingCompletionStart): Promise<void> {
    const { ownerId, executionId, workflowId, nodeId, kind } = start;
    const [source, target] = await Promise.all([
      executions.get(ownerId, executionId),
      workflows.get(ownerId, workflowId),
    ]);
    // The source was deleted, with its data.
    if (source === null) throw new StartError(null);
    if (target === null)
      throw new StartError(nodeId === null ? `The workflow ${workflowId} no longer exists.` : null);
    const depth = 1 + Number(source.trigger['depth'] ?? 0);
    if (depth > limits.depth)
      throw new StartError(`Executions start each other at most ${limits.depth} deep.`);
    const version = await findRunnableVersion(start, target);
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
      input: await readInput(source),
      dedupe: {
        scope: `follow:${executionId}`,
        key: formatTarget(start),
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
  async function findRunnableVersion(
    { ownerId, workflowId, nodeId }: PendingCompletionStart,
    target: WorkflowRow,
  ): Promise<number> {
    if (nodeId !== null && (target.activeVersion === null || !index.has(workflowId, nodeId)))
      throw new StartError('The trigger is not active any more.');
    const version = target.activeVersion ?? target.version;
    const stored = await workflows.version(ownerId, workflowId, version);
    if (stored === null) throw new StartError(null);
    const found = await deps.validator().findStored(ownerId, workflowId, version, stored.definition);
    const [wrong] = checkRunnable(found, stored.definition);
    if (wrong !== undefined) throw new StartError(`${workflowId} cannot run: ${wrong.field}: ${wrong.issue}`);
    return version;
  }

  /** Returns the output, or the error with its source. */
  async function readInput(source: ExecutionRow): Promise<Json> {
    if (source.status === 'completed')
      return (await deps.engine().page(source, { offset: 0, limit: 0 })).output;
    const workflow = await workflows.get(source.ownerId, source.workflowId);
    return {
      ...source.error,
      execution_id: source.id,
      workflow_id: source.workflowId,
      workflow_name: workflow?.name ?? '',
    };
  }

  async function notify(start: PendingCompletionStart, issue: string): Promise<void> {
    const { ownerId, executionId, workflowId, nodeId, kind } = start;
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
    findStarts: (ended: EndedExecution): readonly CompletionStart[] | null => index.findStarts(ended),
    startPending: wake,
    async open() {
      const byWorkflow = Map.groupBy(
        await workflows.listCompletionTriggers(),
        (trigger) => trigger.workflowId,
      );
      for (const workflowId of index.workflows())
        if (!byWorkflow.has(workflowId)) index.change(workflowId, []);
      for (const [workflowId, own] of byWorkflow) index.change(workflowId, own);
    },
    change: (workflowId, live) => index.change(workflowId, live?.completionTriggers ?? []),
    start() {
      isRunning = true;
      wake();
    },
    async stop() {
      isRunning = false;
      cancelSleep();
      await pass;
    },
  };
}

function formatTarget({ workflowId, nodeId }: PendingCompletionStart): string {
  return `${workflowId}/${nodeId ?? ''}`;
}
