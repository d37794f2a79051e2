import { isSettled } from '../../contract/execution.ts';
import { readTraceContext, type TraceContext } from '../../lib/network/trace-context.ts';
import type { AttemptResult, NodeRunner } from '../../ports/runner.ts';
import type { ExecutionStore } from '../../ports/store/executions.ts';
import type { Tracer } from '../../ports/tracer.ts';
import type { Executions } from '../executions/executions.service.ts';
import type { WebhookRequest, WebhookResponse } from '../webhooks/webhook-types.ts';

/* Decorators of ports that record spans; without a tracer they are not installed. */

/** Maximum number of executions whose caller's trace is kept until they end here. */
const MAX_REMEMBERED = 20_000;

export type TracedStart = {
  runner(runner: NodeRunner): NodeRunner;
  executions(store: ExecutionStore): ExecutionStore;
  starts(executions: Executions): Executions;
  receive(
    receive: (call: WebhookRequest) => Promise<WebhookResponse>,
  ): (call: WebhookRequest) => Promise<WebhookResponse>;
};

export function createTraced(tracer: Tracer): TracedStart {
  const parents = new Map<string, string>();

  function remember(executionId: string, traceparent: string | null): void {
    if (traceparent === null) return;
    parents.delete(executionId);
    parents.set(executionId, traceparent);
    const oldest = parents.keys().next().value;
    if (parents.size > MAX_REMEMBERED && oldest !== undefined) parents.delete(oldest);
  }

  /** Runs a request that starts an execution in a server span, which becomes the parent of the execution. */
  async function runInSpan<T>(
    name: string,
    given: TraceContext | null | undefined,
    run: (traceContext: TraceContext) => Promise<{ value: T; executionId: string }>,
  ): Promise<T> {
    const span = tracer.entered(name, given?.traceparent);
    try {
      const { value, executionId } = await run({ ...given, traceparent: span.traceparent });
      span.end(null, { 'weft.execution_id': executionId });
      return value;
    } catch (error) {
      span.end(error instanceof Error ? error.message : String(error));
      throw error;
    }
  }

  return {
    runner: (runner) => ({
      run(attempt) {
        const { executionId, workflowId, nodeId, path, attempt: n } = attempt;
        const traceparent = attempt.traceContext?.traceparent ?? null;
        remember(executionId, traceparent);
        const type = attempt.type.type;
        const span = tracer.attempt({ executionId, workflowId, nodeId, path, attempt: n, type, traceparent });
        attempt.trace = {
          traceparent: span.traceparent,
          request: (method, url) => tracer.request(span.traceparent, method, url),
        };
        const ended = <Result extends AttemptResult>(outcome: Result): Result => {
          span.end(outcome.kind === 'failed' ? outcome.error.type : null, { 'weft.outcome': outcome.kind });
          return outcome;
        };
        const outcome = runner.run(attempt);
        return outcome instanceof Promise ? outcome.then(ended) : ended(outcome);
      },
    }),

    executions: (store) => ({
      ...store,
      async commit(batch) {
        for (const { executionId, create } of batch) {
          const given = create?.trigger['traceparent'];
          if (typeof given === 'string') remember(executionId, given);
        }
        const results = await store.commit(batch);
        batch.forEach(({ executionId, status, startTime: start, endTime: end }, i) => {
          if (results[i]?.kind !== 'written' || !isSettled(status) || start === null || end === null) return;
          tracer.executionEnded({
            executionId,
            traceparent: parents.get(executionId) ?? null,
            status,
            start,
            end,
          });
          parents.delete(executionId);
        });
        return results;
      },
    }),

    starts: (executions) => ({
      ...executions,
      execute: (principal, workflowId, input, key, given) =>
        runInSpan('execute', given, async (traceContext) => {
          const executed = await executions.execute(principal, workflowId, input, key, traceContext);
          return { value: executed, executionId: executed.execution.row.id };
        }),
      retry: (principal, id, input, given) =>
        runInSpan('retry', given, async (traceContext) => {
          const execution = await executions.retry(principal, id, input, traceContext);
          return { value: execution, executionId: execution.row.id };
        }),
    }),

    receive: (receive) => async (call) => {
      const given = readTraceContext(call.headers);
      const span = tracer.entered(`webhook ${call.method}`, given?.traceparent);
      try {
        const traceContext = { ...given, traceparent: span.traceparent };
        const reply = await receive({ ...call, traceContext });
        span.end(null, 'executionId' in reply ? { 'weft.execution_id': reply.executionId } : {});
        return reply;
      } catch (error) {
        span.end(error instanceof Error ? error.message : String(error));
        throw error;
      }
    },
  };
}
