import { compileConfig, evaluateDeferred } from '../../expressions/compile-config.ts';
import type { TemplateScope } from '../../expressions/scope.ts';
import { isObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { parseDuration } from '../../lib/time/duration.ts';
import { onAbort } from '../../lib/async/abort.ts';
import { createModeFinder } from '../../nodes/template-mode.ts';
import { pollRequest } from '../../nodes/triggers/poll-request.ts';
import { limits } from '../../ports/limits.ts';
import type { Attempt } from '../../ports/runner.ts';
import type { ScheduleRow } from '../../ports/store/active-triggers.ts';
import type { Poll } from '../../ports/store/polling.ts';

const POLL_TIMEOUT_MS = 30_000;
const REQUEST_FIELDS = ['url', 'method', 'query', 'headers', 'body', 'authentication', 'format', 'items'];
const mode = createModeFinder(pollRequest.templates);

/** Wraps a poll as an attempt for the runner; it belongs to no execution. */
export function pollAttempt(row: ScheduleRow, poll: Poll, signal: AbortSignal, now: number): Attempt {
  const spec: JsonObject = isObject(row.spec) ? row.spec : {};
  const config = Object.fromEntries(
    REQUEST_FIELDS.flatMap((name) => (spec[name] === undefined ? [] : [[name, spec[name] as Json]])),
  );
  const compiled = compileConfig(config, { skip: (pointer) => mode(pointer.split('.')) });
  let scope: TemplateScope = {
    input: null,
    workflow: { id: row.workflowId, version: row.version },
    now,
  };
  return {
    ownerId: row.ownerId,
    executionId: '',
    workflowId: row.workflowId,
    nodeId: row.nodeId,
    path: row.nodeId,
    attempt: 1,
    type: pollRequest,
    input: null,
    deliveries: [],
    resumed: null,
    idempotencyKey: '',
    wasInterrupted: false,
    traceContext: null,
    isConnected: () => false,
    secretReads: compiled.secretReads,
    configure(secrets) {
      scope = { ...scope, secrets: (name: string) => secrets?.get(name) };
      const { etag, lastModified } = poll;
      const bounds = { maxBytes: limits.pollBytes, maxListed: limits.polledItems };
      return { ...(compiled.evaluate(scope) as object), etag, lastModified, ...bounds };
    },
    evaluate: (template, extra) => evaluateDeferred(template, { ...scope, ...extra }),
    fixedConfig: null,
    timeout: (typeof spec['timeout'] === 'string' ? parseDuration(spec['timeout']) : null) ?? POLL_TIMEOUT_MS,
    onAbort: (listener) => onAbort(signal, listener),
    log() {},
  };
}
