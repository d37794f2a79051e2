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

/** ms until what could not start now is tried again. */
const RETRY = 1_000;
/** Tries of what fails inside, before it is let go. */
const TRIES = 10;
const PAGE = 200;
const AT_ONCE = 20;
/** ms that the same end starts the same follower once: longer than anything stays pending. */
const SAME_START = 400 * 86_400_000;

export type EventTriggersDeps = {
  workflows: Pick<WorkflowStore, 'get' | 'version' | 'eventRoutes'>;
  executions: Pick<ExecutionStore, 'get' | 'pendingFollowers' | 'followed'>;
  /** Asked for when something starts: the engine, which asks who follows, is made after this. */
  engine(): Pick<Engine, 'start' | 'inspect'>;
  faults(): DefinitionValidator;
  /** A follower could not be started. */
  failed(fault: TriggerFailure): void;
  clock: Pick<Clock, 'now' | 'after'>;
  report(message: string, error: unknown): void;
};

export type EventTriggers = CompletionTriggers & {
  /** Reads who follows, before the engine opens, or again. */
  open(): Promise<void>;
  /** What is live of a workflow changed; null: it is gone. */
  change(workflowId: string, live: { events: readonly EventRoute[] } | null): void;
  /** Starts what is pending, now and from now on. */
  start(): void;
  /** Starts nothing more; resolves when what was being started is on disk. */
  stop(): Promise<void>;
};

/** Why a follower does not start, as a sentence for its owner; null: there is nobody left to tell. */
class CannotStart extends Error {
  readonly issue: string | null;
  constructor(issue: string | null) {
    super(issue ?? 'gone');
    this.issue = issue;
  }
}

/**
 * Starts executions because others ended: event and error triggers, and `on_failure_workflow`. What is to start is written in
 * the transaction of the end, started under a key of its own, and only then taken off: exactly once, whatever dies in between.
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
        deps.report('what follows on ends of executions could not be read', error);
        return true;
      })
      .then((isLeft) => {
        pass = null;
        if (isWanted) look();
        else if (isLeft && isRunning) cancelSleep = clock.after(RETRY, look);
      });
  }

  /** One pass over what is pending. True: something has to be tried again. */
  async function run(): Promise<boolean> {
    let isLeft = false;
    let after: PendingFollower | null = null;
    for (;;) {
      const rows: PendingFollower[] = await executions.pendingFollowers(after, PAGE);
      for (let i = 0; i < rows.length; i += AT_ONCE) {
        if (!isRunning) return isLeft;
        const done = await Promise.all(rows.slice(i, i + AT_ONCE).map(serve));
        if (done.includes(false)) isLeft = true;
      }
      after = rows.at(-1) ?? null;
      if (rows.length < PAGE) return isLeft;
    }
  }

  /** False: it stays pending. */
  async function serve(follower: PendingFollower): Promise<boolean> {
    const key = `${follower.executionId}/${targetOf(follower)}`;
    try {
      await startFollower(follower);
    } catch (error) {
      if (error instanceof WeftError && isTemporary(error.code)) return false;
      if (error instanceof CannotStart) {
        if (error.issue !== null) await tell(follower, error.issue);
      } else if (error instanceof WeftError && error.code === 'VALIDATION_ERROR') {
        await tell(follower, error.message);
      } else {
        deps.report('what follows on the end of an execution could not be started', error);
        const made = (tries.get(key) ?? 0) + 1;
        tries.set(key, made);
        if (made < TRIES) return false;
        await tell(follower, 'It failed inside again and again.');
      }
    }
    tries.delete(key);
    try {
      await executions.followed(follower);
      return true;
    } catch (error) {
      deps.report('what follows on the end of an execution could not be taken off', error);
      return false;
    }
  }

  async function startFollower(follower: PendingFollower): Promise<void> {
    const { ownerId, executionId, workflowId, nodeId, kind } = follower;
    const [source, target] = await Promise.all([
      executions.get(ownerId, executionId),
      workflows.get(ownerId, workflowId),
    ]);
    // Deleted meanwhile, with all that there was to hand on.
    if (source === null) throw new CannotStart(null);
    if (target === null)
      throw new CannotStart(nodeId === null ? `There is no workflow ${workflowId} any more.` : null);
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
        key: targetOf(follower),
        fingerprint: '',
        expiresAt: clock.now() + SAME_START,
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

  /** The version that runs: of a trigger the live one; of a workflow that a setting names the newest, when none is live. */
  async function runnable(
    { ownerId, workflowId, nodeId }: PendingFollower,
    target: WorkflowRow,
  ): Promise<number> {
    if (nodeId !== null && (target.activeVersion === null || !routes.has(workflowId, nodeId)))
      throw new CannotStart('The trigger is not active any more.');
    const version = target.activeVersion ?? target.version;
    const stored = await workflows.version(ownerId, workflowId, version);
    if (stored === null) throw new CannotStart(null);
    const found = await deps.faults().findStored(ownerId, workflowId, version, stored.definition);
    const [wrong] = checkRunnable(found, stored.definition);
    if (wrong !== undefined)
      throw new CannotStart(`${workflowId} cannot run: ${wrong.field}: ${wrong.issue}`);
    return version;
  }

  /** The output, or the error with where it comes from. */
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

  async function tell(follower: PendingFollower, issue: string): Promise<void> {
    const { ownerId, executionId, workflowId, nodeId, kind } = follower;
    if (nodeId !== null) return deps.failed({ ownerId, workflowId, nodeId, kind, issue });
    // A setting is the failed workflow's: that is where it can be put right.
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

function targetOf({ workflowId, nodeId }: PendingFollower): string {
  return `${workflowId}/${nodeId ?? ''}`;
}
