import { findWaitingParent } from '../../contract/execution.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ClaimedExecution } from '../../ports/store/claims.ts';
import type { ExecutionStore } from '../../ports/store/executions.ts';
import type { JournalEvent } from '../journal/journal.ts';
import type { WorkerContext } from './worker-context.ts';

type Deps = Pick<WorkerContext<never>, 'worker' | 'completions' | 'events' | 'completionTriggers'> & {
  readonly executions: Pick<ExecutionStore, 'commit'>;
  readonly clock: Pick<Clock, 'now'>;
};

/** Ends a claimed execution whose workflow version can no longer run, with an error that says so. */
export async function failUnrunnable(claimed: ClaimedExecution, deps: Deps): Promise<void> {
  const { id, ownerId, workflowId, progress, trigger, startTime } = claimed;
  const at = Math.max(deps.clock.now(), startTime ?? claimed.createdAt);
  const error = {
    type: 'internal' as const,
    message: 'This version of the workflow can no longer run: it uses a node type that no longer exists.',
    node_id: '',
    attempt: 0,
  };
  const wake = findWaitingParent(trigger);
  const completionStarts = deps.completionTriggers.findStarts({
    ownerId,
    workflowId,
    status: 'failed',
    trigger,
  });
  const [result] = await deps.executions.commit([
    {
      executionId: id,
      create: null,
      ...(claimed.isFirstClaim && { isFirstClaim: true }),
      worker: deps.worker,
      fence: claimed.fence,
      seq: claimed.nextSeq,
      events: JSON.stringify([{ e: 'done', at, status: 'failed' } satisfies JournalEvent]),
      status: 'failed',
      error,
      progress,
      currentNode: null,
      startTime,
      endTime: at,
      setTimers: [],
      clearTimers: [''],
      blobs: [],
      ...(wake !== null && { wake }),
      ...(completionStarts !== null && { completionStarts }),
    },
  ]);
  if (result?.kind !== 'written') return;
  if (completionStarts !== null) deps.completionTriggers.startPending();
  deps.completions.ended(id, { status: 'failed', output: null, error });
  if (!deps.events.hasSubscriber(ownerId)) return;
  deps.events.publish({
    kind: 'execution_update',
    ownerId,
    executionId: id,
    workflowId,
    status: 'failed',
    progress,
    currentNode: '',
    timestamp: at,
  });
}
