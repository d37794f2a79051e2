import { isSettled } from '../../contract/execution.ts';
import type { Metrics } from '../../ports/metrics.ts';
import type { AttemptResult, NodeRunner } from '../../ports/runner.ts';
import type { Checkpoint, CheckpointResult } from '../../ports/store/checkpoint.ts';
import type { ExecutionStore } from '../../ports/store/executions.ts';

/*
 * Decorators of ports that record metrics. The engine does not depend on metrics, and without them there is
 * no overhead. What is counted is on disk.
 */

const STATUS_BY_OUTCOME = {
  done: 'completed',
  begin: 'completed',
  failed: 'failed',
  wait: 'waiting',
} as const;

export function withExecutionMetrics(store: ExecutionStore, metrics: Metrics): ExecutionStore {
  function notify(
    { create, status, startTime, endTime }: Checkpoint,
    result: CheckpointResult | undefined,
  ): void {
    if (result?.kind !== 'written') return;
    if (create !== null) metrics.executionStarted(create.trigger.type);
    if (isSettled(status)) metrics.executionEnded(status, computeDuration(startTime, endTime));
  }
  return {
    ...store,
    async commit(batch) {
      const began = performance.now();
      const results = await store.commit(batch);
      metrics.committed(batch.length, performance.now() - began);
      batch.forEach((checkpoint, i) => notify(checkpoint, results[i]));
      return results;
    },
    async stop(ownerId, id, at, events) {
      const result = await store.stop(ownerId, id, at, events);
      if (result.kind === 'stopped')
        metrics.executionEnded('stopped', computeDuration(result.row.startTime, result.row.endTime));
      return result;
    },
  };
}

export function withRunnerMetrics(runner: NodeRunner, metrics: Metrics): NodeRunner {
  return {
    run(attempt) {
      const began = performance.now();
      const ended = <Result extends AttemptResult>(outcome: Result): Result => {
        if (outcome.kind !== 'deferred')
          metrics.recordNodeRun(
            attempt.type.type,
            STATUS_BY_OUTCOME[outcome.kind],
            performance.now() - began,
          );
        return outcome;
      };
      const outcome = runner.run(attempt);
      return outcome instanceof Promise ? outcome.then(ended) : ended(outcome);
    },
  };
}

function computeDuration(start: number | null, end: number | null): number | null {
  return start === null || end === null ? null : end - start;
}
