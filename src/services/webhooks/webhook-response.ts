import { createConflictError, WeftError } from '../../contract/errors.ts';
import type { ExecutionResponse } from '../../contract/execution.ts';
import type { Engine, ExecutionEnd, CompletionHandle } from '../../engine/engine-api.ts';
import { REDACTED } from '../../lib/text/redact.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ExecutionStore } from '../../ports/store/executions.ts';
import type { ExecutionStreams } from '../executions/streams/execution-streams.ts';
import type { JsonRedactor } from '../credentials/redaction.ts';
import type { WebhookResponse } from './webhook-types.ts';
import type { Dedupe } from './webhook-dedupe.ts';
import type { CompiledEndpoint } from './compiled-endpoint.ts';

/** The result of a wait that timed out. */
const TIMED_OUT = Symbol('late');

export type WebhookResponses = {
  /** Returns the response to a call that started an execution. `watch` is consumed. */
  started(
    target: CompiledEndpoint,
    executionId: string,
    watch: CompletionHandle,
  ): WebhookResponse | Promise<WebhookResponse>;
  /**
   * Returns the response to a repeated call. @throws {WeftError} CONFLICT when a different request has the
   * same key.
   */
  repeated(
    target: CompiledEndpoint,
    dedupe: Dedupe,
    before: { executionId: string; fingerprint: string },
  ): WebhookResponse | Promise<WebhookResponse>;
};

/**
 * Builds the responses to calls, as the trigger is configured: immediately, when the execution ends, from a
 * `respond` node, or as a stream.
 */
export function createWebhookResponses(deps: {
  executions: Pick<ExecutionStore, 'get'>;
  engine: Pick<Engine, 'watch'>;
  streams: Pick<ExecutionStreams, 'open'>;
  clock: Pick<Clock, 'after'>;
  loadRedactor(ownerId: string): Promise<JsonRedactor>;
}): WebhookResponses {
  async function respond(
    ownerId: string,
    executionId: string,
    response: ExecutionResponse,
  ): Promise<WebhookResponse> {
    const redact = await deps.loadRedactor(ownerId);
    // Header values cannot contain the characters of the replacement.
    const headers = Object.entries(response.headers).map(([name, text]): [string, string] => {
      const shown = redact(text);
      return [name, shown === text ? text : shown.replaceAll(REDACTED, '***')];
    });
    return {
      kind: 'response',
      executionId,
      response: {
        status: response.status,
        headers: Object.fromEntries(headers),
        body: redact(response.body),
      },
    };
  }

  /** A short execution has already responded or ended: no wait and no timer is needed then. */
  function awaited(
    target: CompiledEndpoint,
    executionId: string,
    watch: CompletionHandle,
  ): Promise<WebhookResponse> {
    const { ownerId } = target.route;
    if (target.respond === 'respond' && watch.response) {
      watch.cancel();
      return respond(ownerId, executionId, watch.response);
    }
    const { end } = watch;
    if (end === undefined) return respondWhenDone(target, executionId, watch);
    return deps.loadRedactor(ownerId).then((redact) => completed(executionId, end, redact));
  }

  async function respondWhenDone(
    target: CompiledEndpoint,
    executionId: string,
    watch: CompletionHandle,
  ): Promise<WebhookResponse> {
    const { ownerId } = target.route;
    try {
      if (target.respond === 'respond') {
        const given = await waitAtMost(target.timeout, watch.responded);
        if (given === TIMED_OUT) return await respondStillRunning(target, executionId);
        if (given !== null) return await respond(ownerId, executionId, given);
        // The execution ended without a response.
      }
      const end = watch.end ?? (await waitAtMost(target.timeout, watch.ended));
      if (end === TIMED_OUT) return await respondStillRunning(target, executionId);
      return completed(executionId, end, await deps.loadRedactor(ownerId));
    } finally {
      watch.cancel();
    }
  }

  /** `result` never rejects. */
  function waitAtMost<T>(ms: number, result: Promise<T>): Promise<T | typeof TIMED_OUT> {
    return new Promise((resolve) => {
      const cancel = deps.clock.after(ms, () => resolve(TIMED_OUT));
      void result.then((value) => {
        cancel();
        resolve(value);
      });
    });
  }

  async function respondStillRunning(
    target: CompiledEndpoint,
    executionId: string,
  ): Promise<WebhookResponse> {
    // The execution is stored: its caller gets the id even when the store cannot be read now.
    const row = await deps.executions.get(target.route.ownerId, executionId).catch(() => null);
    return {
      kind: 'json',
      executionId,
      body: { execution_id: executionId, status: row?.status ?? 'running' },
    };
  }

  function streamed({ route: { ownerId } }: CompiledEndpoint, executionId: string): WebhookResponse {
    return {
      kind: 'stream',
      executionId,
      ownerId,
      async open(after) {
        const row = await deps.executions.get(ownerId, executionId);
        return row === null ? () => Promise.resolve() : deps.streams.open(row, after);
      },
    };
  }

  return {
    started(target, executionId, watch) {
      if (target.respond !== 'immediately' && target.respond !== 'stream')
        return awaited(target, executionId, watch);
      watch.cancel();
      return target.respond === 'stream' ? streamed(target, executionId) : accepted(executionId);
    },

    repeated(target, dedupe, { executionId, fingerprint }) {
      if (dedupe.isComparable && fingerprint !== dedupe.key.fingerprint) {
        throw createConflictError('This Idempotency-Key was used before with another body.', {
          field: 'Idempotency-Key',
        });
      }
      if (target.respond === 'immediately') return accepted(executionId);
      if (target.respond === 'stream') return streamed(target, executionId);
      const watch = deps.engine.watch(target.route.ownerId, executionId, target.respond === 'respond');
      return awaited(target, executionId, watch);
    },
  };
}

function accepted(executionId: string): WebhookResponse {
  return { kind: 'json', executionId, body: { execution_id: executionId } };
}

function completed(executionId: string, end: ExecutionEnd, redact: JsonRedactor): WebhookResponse {
  if (end.status === 'completed') return { kind: 'json', executionId, body: redact(end.output) };
  const message = end.status === 'stopped' ? 'The execution was stopped.' : undefined;
  throw new WeftError('EXECUTION_FAILED', message, { execution_id: executionId, status: end.status });
}
