import { isSettled } from '../../contract/execution.ts';
import { QueueFullError, type Engine } from '../../engine/engine-api.ts';
import type { Json } from '../../lib/json/json.ts';
import { readStoredTraceContext } from '../../lib/network/trace-context.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ChildStart, Orchestration, ParentNode, ChildRequest } from '../../ports/orchestration.ts';
import { limits } from '../../ports/limits.ts';
import type { Notifier } from '../../ports/notifier.ts';
import type { ExecutionStore } from '../../ports/store/executions.ts';
import type { WorkflowStore } from '../../ports/store/workflows.ts';
import type { DefinitionValidator } from '../workflows/validate-definition.ts';
import type { ResumeUrls } from './resume-url.ts';
import { checkRunnable } from '../workflows/lifecycle.ts';

/** How long a node run is bound to the child that it started, ms: longer than any wait. */
const KEY_LIFETIME_MS = 400 * 86_400_000;

export type OrchestrationDeps = {
  workflows: Pick<WorkflowStore, 'get' | 'version'>;
  executions: Pick<ExecutionStore, 'get' | 'readSignal'>;
  /** Resolved lazily, because the engine is created after this. */
  engine(): Pick<Engine, 'start' | 'page' | 'stop'>;
  validator(): DefinitionValidator;
  addresses: ResumeUrls;
  /** The public base URL, ending with /v1. */
  baseUrl(): string;
  clock: Pick<Clock, 'now'>;
  notify: Notifier['notify'];
  questions: Pick<Orchestration, 'ask' | 'countNotice' | 'hasMessage' | 'recordMessage' | 'endQuestion'>;
};

/**
 * The access of nodes to other executions and to users. Everything is restricted to the owner of the calling
 * execution.
 */
export function createOrchestration(deps: OrchestrationDeps): Orchestration {
  async function startChild(caller: ParentNode, request: ChildRequest): Promise<ChildStart> {
    const { ownerId } = caller;
    const [row, parent] = await Promise.all([
      deps.workflows.get(ownerId, request.workflowId),
      deps.executions.get(ownerId, caller.executionId),
    ]);
    if (row === null) return refused('There is no such workflow.');
    const depth = 1 + Number(parent?.trigger['depth'] ?? 0);
    if (depth > limits.depth) {
      const message = `Executions start each other at most ${limits.depth} deep.`;
      return { kind: 'refused', type: 'limit', message };
    }
    const version = row.activeVersion ?? row.version;
    const stored = await deps.workflows.version(ownerId, row.id, version);
    if (stored === null) return refused('There is no such workflow.');
    const found = await deps.validator().findStored(ownerId, row.id, version, stored.definition);
    const [wrong] = checkRunnable(found, stored.definition);
    if (wrong !== undefined) return refused(`The workflow cannot run: ${wrong.field}: ${wrong.issue}`);
    const started = await deps.engine().start({
      ownerId,
      workflowId: row.id,
      workflowVersion: version,
      settings: row.settings,
      trigger: {
        type: request.type,
        execution_id: caller.executionId,
        path: caller.path,
        waits: request.waits,
        depth,
        ...readStoredTraceContext(parent?.trigger ?? {}),
      },
      entry: null,
      input: request.input,
      dedupe: {
        scope: `child:${caller.executionId}`,
        key: request.part === undefined ? caller.key : `${caller.key}/${request.part}`,
        fingerprint: '',
        expiresAt: deps.clock.now() + KEY_LIFETIME_MS,
      },
      tick: null,
      parentId: caller.executionId,
      retryOf: null,
      given: {},
      inputOf: null,
      until: null,
    });
    if (started.kind === 'duplicate') return { kind: 'started', executionId: started.executionId };
    if (started.kind !== 'accepted') return refused('There is no such workflow.');
    started.watch.cancel();
    return { kind: 'started', executionId: started.id };
  }

  return {
    async startChild(caller, request) {
      try {
        return await startChild(caller, request);
      } catch (error) {
        // An attempt that waited for a full queue would occupy a queue slot itself. Every other temporary
        // error reaches the runner, which defers the attempt.
        if (error instanceof QueueFullError)
          return { kind: 'refused', type: 'rate_limited', message: error.message };
        throw error;
      }
    },

    async child(ownerId, executionId) {
      const row = await deps.executions.get(ownerId, executionId);
      if (row === null) return { kind: 'gone' };
      if (!isSettled(row.status)) return { kind: 'open' };
      const { output } = await deps.engine().page(row, { offset: 0, limit: 0 });
      return { kind: 'ended', status: row.status, output, error: row.error };
    },

    async stopChild(ownerId, executionId) {
      await deps.engine().stop(ownerId, executionId);
    },

    async signal({ ownerId, executionId, path }) {
      const text = await deps.executions.readSignal(ownerId, executionId, path);
      return text === null ? undefined : (JSON.parse(text) as Json);
    },

    ...deps.questions,

    resumeUrl: (location) => `${deps.baseUrl()}/resume/${deps.addresses.createToken(location)}`,

    notify({ ownerId, executionId, workflowId, path }, { level, message, channel }) {
      deps.notify({
        ownerId,
        level,
        message,
        data: {
          execution_id: executionId,
          workflow_id: workflowId,
          node: path,
          ...(channel !== null && { channel }),
        },
      });
    },
  };
}

function refused(message: string): ChildStart {
  return { kind: 'refused', type: 'validation', message };
}
