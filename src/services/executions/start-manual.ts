import type { Static } from 'typebox';
import type { Definition } from '../../contract/definition.ts';
import { validationError } from '../../contract/errors.ts';
import type { ExecuteSchema } from '../../contract/requests/execution.ts';
import type { StartRequest } from '../../engine/engine-api.ts';
import { formatDuration, parseDuration } from '../../lib/time/duration.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import type { TraceContext } from '../../lib/network/trace-context.ts';
import type { NodeTypes } from '../../ports/node-types.ts';
import type { DedupeKey } from '../../ports/store/checkpoint.ts';
import type { WorkflowRow } from '../../ports/store/workflows.ts';
import { fingerprint } from '../../lib/json/canonical-json.ts';

/** Maximum `wait` of an execute request, ms. */
const MAX_WAIT_MS = 60_000;
/** How long an Idempotency-Key is stored, ms. */
const KEY_LIFETIME_MS = 86_400_000;

/**
 * Builds the request for a run of the newest version of a workflow. @throws {WeftError} VALIDATION_ERROR for
 * a node that is not in it.
 */
export function startManual(
  row: WorkflowRow,
  definition: Definition,
  given: Static<typeof ExecuteSchema>,
  dedupe: DedupeKey | null,
  types: NodeTypes,
  traceContext: TraceContext | null,
): StartRequest {
  const nodes = new Map(definition.nodes.map((node) => [node.id, node]));
  if (given.until !== undefined && !nodes.has(given.until))
    throw validationError([{ field: 'until', issue: `is not a node of the workflow: ${given.until}` }]);
  const pinned: StartRequest['given'] = {};
  for (const [id, output] of Object.entries(given.pins ?? {})) {
    const node = nodes.get(id);
    if (node === undefined)
      throw validationError([{ field: `pins.${id}`, issue: 'is not a node of the workflow' }]);
    const port = types.get(node.type, node.version)?.outputs[0]?.name ?? 'out';
    pinned[id] = { [port]: output as Json };
  }
  return {
    ownerId: row.ownerId,
    workflowId: row.id,
    workflowVersion: row.version,
    settings: row.settings,
    trigger: { type: 'manual', ...traceContext },
    entry: null,
    input: (given.input ?? {}) as JsonObject,
    dedupe,
    tick: null,
    parentId: null,
    retryOf: null,
    given: pinned,
    inputOf: null,
    until: given.until ?? null,
  };
}

/** In ms; 0 when absent. */
export function readWait(text: string | undefined): number {
  if (text === undefined) return 0;
  const ms = parseDuration(text);
  if (ms === null || ms > MAX_WAIT_MS) {
    throw validationError([
      { field: 'wait', issue: `must be a duration of at most ${formatDuration(MAX_WAIT_MS)}, such as "10s"` },
    ]);
  }
  return ms;
}

/** Returns the key by which a repeat of the same request is recognized. */
export function executeKey(workflowId: string, key: string, body: unknown, now: number): DedupeKey {
  if (key.length === 0 || key.length > 255)
    throw validationError([{ field: 'Idempotency-Key', issue: 'must have 1 to 255 characters' }]);
  return {
    scope: `execute:${workflowId}`,
    key,
    fingerprint: fingerprint(body),
    expiresAt: now + KEY_LIFETIME_MS,
  };
}
