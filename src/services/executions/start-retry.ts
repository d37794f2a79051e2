import type { Static } from 'typebox';
import type { Definition } from '../../contract/definition.ts';
import { conflict, validationError } from '../../contract/errors.ts';
import type { RetrySchema } from '../../contract/requests/execution.ts';
import type { ExecutionView, StartRequest } from '../../engine/engine-api.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import type { TraceContext } from '../../lib/network/trace-context.ts';
import type { NodeTypes } from '../../ports/node-types.ts';
import type { ExecutionRow } from '../../ports/store/execution-row.ts';
import type { WorkflowRow } from '../../ports/store/workflows.ts';
import { checkEntryTrigger } from './check-entry-trigger.ts';

/** The parameters of a retry: `again` lists the nodes to run again; empty means all of them. */
export type Retry = { request: StartRequest; again: readonly string[] };

/**
 * Builds the request to run an ended execution again. The engine adds the results of completed nodes. @throws
 * {WeftError} CONFLICT; VALIDATION_ERROR when there is nothing to run again, or it is unreachable.
 */
export function startRetry(
  old: { row: ExecutionRow; view: ExecutionView },
  workflow: WorkflowRow,
  version: number,
  definition: Definition,
  given: Static<typeof RetrySchema>,
  types: NodeTypes,
  traceContext: TraceContext | null,
): Retry {
  const { row, view } = old;
  const from = given.from ?? 'failed';
  if (from === 'failed' && row.status === 'completed')
    throw conflict('The execution completed: there is nothing to retry; name a node, or "start", in from.', {
      field: 'from',
    });
  const entry = row.trigger.node_id ?? null;
  checkEntryTrigger(definition, from, entry, types);
  const runsOfIt = view.nodes.filter((run) => run.nodeId === from);
  if (runsOfIt.length > 0 && runsOfIt.every((run) => run.status === 'skipped'))
    throw conflict(
      row.status === 'completed'
        ? `The node ${from} was skipped: what leads to it went another way, and would again. Name a node before it in from.`
        : `The node ${from} did not run: the execution ended before it, or what leads to it went another way. Name a node before it in from.`,
      { field: 'from' },
    );
  const again = from === 'start' ? [] : from === 'failed' ? view.failedNodeIds : [from];
  const replaced = (given.input ?? null) as JsonObject | null;
  if (replaced !== null && from === 'failed' && again.length !== 1)
    throw validationError([
      { field: 'input', issue: `needs one node to go to, and ${again.length} failed: name it in from` },
    ]);
  // The input of the trigger is the execution's own input.
  const isOfExecution = from === 'start' || from === entry;
  const request: StartRequest = {
    ownerId: row.ownerId,
    workflowId: row.workflowId,
    workflowVersion: version,
    settings: workflow.settings,
    trigger: {
      type: 'retry',
      ...(entry === null ? {} : { node_id: entry }),
      execution_id: row.id,
      from,
      ...traceContext,
    },
    entry,
    input: isOfExecution && replaced !== null ? replaced : view.input,
    dedupe: null,
    tick: null,
    parentId: null,
    retryOf: row.id,
    given: {},
    inputOf:
      !isOfExecution && replaced !== null && again[0] !== undefined
        ? { nodeId: again[0], input: replaced }
        : null,
    until: null,
  };
  return { request, again };
}
