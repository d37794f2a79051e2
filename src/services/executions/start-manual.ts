import type { Static } from 'typebox';
import type { Definition, NodeEntry } from '../../contract/definition.ts';
import { createValidationError } from '../../contract/errors.ts';
import type { ExecuteSchema } from '../../contract/requests/execution.ts';
import type { StartRequest } from '../../engine/engine-api.ts';
import type { Iteration, Outputs } from '../../engine/journal/journal.ts';
import { formatDuration, parseDuration } from '../../lib/time/duration.ts';
import { getOwn, type Json, type JsonObject } from '../../lib/json/json.ts';
import type { TraceContext } from '../../lib/network/trace-context.ts';
import type { NodeTypes } from '../../ports/node-types.ts';
import type { DedupeKey } from '../../ports/store/checkpoint.ts';
import type { WorkflowRow } from '../../ports/store/workflows.ts';
import { computeFingerprint } from '../../lib/json/canonical-json.ts';
import { readPinnedOutput } from './pinned-ports.ts';

/** Maximum `wait` of an execute request, ms. */
const MAX_WAIT_MS = 60_000;
/** How long an Idempotency-Key is stored, ms. */
const KEY_LIFETIME_MS = 86_400_000;

type Given = Static<typeof ExecuteSchema>;

/**
 * Builds the request for a manual run of a workflow. @throws {WeftError} VALIDATION_ERROR for
 * a node that is not in it.
 */
export function startManual(
  row: WorkflowRow,
  definition: Definition,
  given: Given,
  dedupe: DedupeKey | null,
  types: NodeTypes,
  traceContext: TraceContext | null,
): StartRequest {
  const nodes = new Map(definition.nodes.map((node) => [node.id, node]));
  if (given.until !== undefined && !nodes.has(given.until))
    throw createValidationError([{ field: 'until', issue: `is not a node of the workflow: ${given.until}` }]);
  const needsOwners = given.pins !== undefined || given.iterations !== undefined;
  const owners = needsOwners ? listOwners(definition, types) : new Map<string, string>();
  const iterations = readIterations(given, owners);
  return {
    ownerId: row.ownerId,
    workflowId: row.id,
    workflowVersion: row.version,
    settings: row.settings,
    trigger: { type: 'manual', ...(given.definition !== undefined && { test: true }), ...traceContext },
    entry: null,
    input: (given.input ?? {}) as JsonObject,
    dedupe,
    tick: null,
    parentId: null,
    retryOf: null,
    given: readPins(given, nodes, owners, types),
    inputOf: null,
    until: given.until ?? null,
    ...(iterations !== null && { iterations }),
  };
}

/** The pinned outputs by node id and port. */
function readPins(
  { pins = {}, pin_ports: portsByNode = {} }: Given,
  nodes: ReadonlyMap<string, NodeEntry>,
  owners: ReadonlyMap<string, string>,
  types: NodeTypes,
): StartRequest['given'] {
  for (const id of Object.keys(portsByNode))
    if (!Object.hasOwn(pins, id))
      throw createValidationError([{ field: `pin_ports.${id}`, issue: `needs an output in pins.${id}` }]);
  // Ids of nodes can be names of inherited properties, such as `__proto__`.
  const pinned = new Map<string, Outputs>();
  for (const [id, output] of Object.entries(pins)) {
    const node = nodes.get(id) ?? findNodeOfPath(id, nodes, owners);
    if (node === undefined)
      throw createValidationError([
        {
          field: `pins.${id}`,
          issue: 'is not a node of the workflow, or the path of a node run in a body, such as loop[7]/call',
        },
      ]);
    const ports = getOwn(portsByNode, id) ?? null;
    const fields = { output: `pins.${id}`, ports: `pin_ports.${id}` };
    pinned.set(id, readPinnedOutput({ output: output as Json, ports }, node, types, fields));
  }
  return Object.fromEntries(pinned);
}

/** Null: the containers around `until` run as a whole. */
function readIterations(
  { until, iterations }: Given,
  owners: ReadonlyMap<string, string>,
): readonly Iteration[] | null {
  if (iterations === undefined) return null;
  const containers = until === undefined ? [] : listContainerIds(until, owners);
  const refuse = (issue: string) => createValidationError([{ field: 'iterations', issue }]);
  if (containers.length === 0) throw refuse('needs an until that names a node in a body');
  if (iterations.length !== containers.length)
    throw refuse(
      `must have one entry for each container around ${until}, outermost first: ${containers.join(', ')}`,
    );
  return iterations.map(({ input, item, index = 0 }) => ({
    input: input as Json,
    index,
    ...(item !== undefined && { item: item as Json }),
  }));
}

/** The containers around a node, outermost first. */
function listContainerIds(nodeId: string, owners: ReadonlyMap<string, string>): string[] {
  const ids: string[] = [];
  for (let at = owners.get(nodeId); at !== undefined && !ids.includes(at); at = owners.get(at))
    ids.unshift(at);
  return ids;
}

/** The nodes that own a body, by the ids of the nodes in it. */
function listOwners(definition: Definition, types: NodeTypes): Map<string, string> {
  const owners = new Map<string, string>();
  for (const { id, type, version, config = {} } of definition.nodes)
    for (const region of types.get(type, version)?.regions?.(config) ?? [])
      for (const member of region.nodes) owners.set(member, id);
  return owners;
}

/** The node of the path of a node run in a body, such as `loop[7]/call`; undefined: there is no such node. */
function findNodeOfPath(
  path: string,
  nodes: ReadonlyMap<string, NodeEntry>,
  owners: ReadonlyMap<string, string>,
): NodeEntry | undefined {
  let rest = path;
  let found: NodeEntry | undefined;
  for (;;) {
    const id = rest.slice(rest.lastIndexOf('/') + 1);
    const owner = owners.get(id);
    const node = nodes.get(id);
    found ??= node;
    if (node === undefined || owner === undefined)
      return node !== undefined && id === rest ? found : undefined;
    const body = rest.slice(0, -id.length - 1);
    const at = body.lastIndexOf(`${owner}[`);
    if (at < 0 || !body.endsWith(']')) return undefined;
    rest = body.slice(0, at + owner.length);
  }
}

/** In ms; 0 when absent. */
export function readWait(text: string | undefined): number {
  if (text === undefined) return 0;
  const ms = parseDuration(text);
  if (ms === null || ms > MAX_WAIT_MS) {
    throw createValidationError([
      { field: 'wait', issue: `must be a duration of at most ${formatDuration(MAX_WAIT_MS)}, such as "10s"` },
    ]);
  }
  return ms;
}

/** Returns the key by which a repeat of the same request is recognized. */
export function executeKey(workflowId: string, key: string, body: unknown, now: number): DedupeKey {
  if (key.length === 0 || key.length > 255)
    throw createValidationError([{ field: 'Idempotency-Key', issue: 'must have 1 to 255 characters' }]);
  return {
    scope: `execute:${workflowId}`,
    key,
    fingerprint: computeFingerprint(body),
    expiresAt: now + KEY_LIFETIME_MS,
  };
}
