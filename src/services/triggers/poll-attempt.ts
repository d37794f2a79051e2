import { compileConfig, evaluateDeferred } from '../../expressions/compile-config.ts';
import type { TemplateScope } from '../../expressions/scope.ts';
import type { NodeType } from '../../contract/node-type.ts';
import { isObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { parseDuration } from '../../lib/time/duration.ts';
import { onAbort } from '../../lib/async/abort.ts';
import { createModeFinder } from '../../nodes/template-mode.ts';
import { mailboxPollFields } from '../../nodes/triggers/mailbox-config.ts';
import { pollMailbox, type MailboxTask } from '../../nodes/triggers/poll-mailbox.ts';
import { pollRequest } from '../../nodes/triggers/poll-request.ts';
import { limits } from '../../ports/limits.ts';
import type { Attempt } from '../../ports/runner.ts';
import type { ScheduleRow } from '../../ports/store/active-triggers.ts';
import type { FileRow } from '../../ports/store/files.ts';
import type { ClaimedPoll } from '../../ports/store/polling.ts';

const POLL_TIMEOUT_MS = 30_000;
const MAILBOX_TIMEOUT_MS = 300_000;
const PACK_TIMEOUT_MS = 120_000;
const REQUEST_FIELDS = ['url', 'method', 'query', 'headers', 'body', 'authentication', 'format', 'items'];

type PollContext = { row: ScheduleRow; signal: AbortSignal; now: number };

/** Wraps the request of a polling trigger as an attempt for the runner. */
export function createRequestAttempt(context: PollContext, { etag, lastModified }: ClaimedPoll): Attempt {
  const { spec } = context.row;
  const given = isObject(spec) ? spec['timeout'] : undefined;
  const timeout = (typeof given === 'string' ? parseDuration(given) : null) ?? POLL_TIMEOUT_MS;
  const bounds = { maxBytes: limits.pollBytes, maxListed: limits.polledItems };
  return createAttempt(context, pollRequest, REQUEST_FIELDS, { etag, lastModified, ...bounds }, timeout);
}

/** Wraps a mailbox request as an attempt for the runner. The rows of saved files are added to `files`. */
export function createMailboxAttempt(context: PollContext, task: MailboxTask, files: FileRow[]): Attempt {
  return {
    ...createAttempt(context, pollMailbox, Object.keys(mailboxPollFields), { task }, MAILBOX_TIMEOUT_MS),
    fileRows: {
      saveFile: (row) => Promise.resolve(void files.push(row)),
      file: (_owner, id) => Promise.resolve(files.find((row) => row.id === id) ?? null),
    },
  };
}

/** Wraps a call of a trigger of a pack as an attempt for the runner. */
export function createPackAttempt(
  { row, ...context }: PollContext,
  type: NodeType,
  timeout = PACK_TIMEOUT_MS,
): Attempt {
  const config = isObject(row.spec) ? (row.spec['config'] ?? null) : null;
  const fields = isObject(config) ? Object.keys(config) : [];
  return createAttempt({ ...context, row: { ...row, spec: config } }, type, fields, {}, timeout);
}

/** The attempt belongs to no execution. `added`: configuration values besides those of the trigger. */
function createAttempt(
  { row, signal, now }: PollContext,
  type: NodeType,
  fields: readonly string[],
  added: JsonObject,
  timeout: number,
): Attempt {
  const spec: JsonObject = isObject(row.spec) ? row.spec : {};
  const config = Object.fromEntries(
    fields.flatMap((name) => (spec[name] === undefined ? [] : [[name, spec[name] as Json]])),
  );
  const mode = createModeFinder(type.templates);
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
    interruptions: 0,
    type,
    input: null,
    deliveries: [],
    resumed: null,
    idempotencyKey: '',
    traceContext: null,
    isConnected: () => false,
    secretReads: compiled.secretReads,
    configure(secrets) {
      scope = { ...scope, secrets: (name: string) => secrets?.get(name) };
      return { ...(compiled.evaluate(scope) as object), ...added };
    },
    evaluate: (template, extra) => evaluateDeferred(template, { ...scope, ...extra }),
    fixedConfig: null,
    timeout,
    onAbort: (listener) => onAbort(signal, listener),
    log() {},
  };
}
