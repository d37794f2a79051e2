import type { Definition } from '../../contract/definition.ts';
import { createConflictError, createValidationError } from '../../contract/errors.ts';
import type { ExecutionView, RetryPlan, StartRequest } from '../../engine/engine-api.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import type { TraceContext } from '../../lib/network/trace-context.ts';
import type { NodeTypes } from '../../ports/node-types.ts';
import type { ExecutionRow } from '../../ports/store/execution-row.ts';
import type { WorkflowRow } from '../../ports/store/workflows.ts';
import { checkEntryTrigger } from './check-entry-trigger.ts';

type Ended = { row: ExecutionRow; view: Pick<ExecutionView, 'input' | 'nodes'> };

/** The plan of a retry from the start. */
export const KEEP_NOTHING: RetryPlan = { given: {}, failures: {}, loaded: {}, again: [] };

/** @throws {WeftError} CONFLICT when there is nothing to run again; VALIDATION_ERROR for another trigger. */
export function checkRetry(
  { row, view }: Ended,
  definition: Definition,
  from: string,
  types: NodeTypes,
): void {
  if (from === 'failed' && row.status === 'completed')
    throw createConflictError(
      'The execution completed: there is nothing to retry; name a node, or "start", in from.',
      {
        field: 'from',
      },
    );
  checkEntryTrigger(definition, from, row.trigger.node_id ?? null, types);
  const runsOfIt = view.nodes.filter((run) => run.nodeId === from || run.path === from);
  if (runsOfIt.length > 0 && runsOfIt.every((run) => run.status === 'skipped'))
    throw createConflictError(
      row.status === 'completed'
        ? `The node ${from} was skipped: what leads to it went another way, and would again. Name a node before it in from.`
        : `The node ${from} did not run: the execution ended before it, or what leads to it went another way. Name a node before it in from.`,
      { field: 'from' },
    );
}

/**
 * Builds the request to run an ended execution again. `input`: replaces the input of the node that the retry
 * starts from, or of the execution. @throws {WeftError} VALIDATION_ERROR when the input has no single node to
 * go to.
 */
export function startRetry(
  { row, view }: Ended,
  workflow: WorkflowRow,
  version: number,
  from: string,
  input: Record<string, unknown> | null,
  plan: RetryPlan,
  traceContext: TraceContext | null,
): StartRequest {
  const entry = row.trigger.node_id ?? null;
  const replaced = input as JsonObject | null;
  // The input of the trigger is the execution's own input.
  const isOfExecution = from === 'start' || from === entry;
  return {
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
    given: plan.given,
    failures: plan.failures,
    loaded: plan.loaded,
    inputOf:
      !isOfExecution && replaced !== null
        ? { nodeId: findReceiver(view, from, plan.again), input: replaced }
        : null,
    until: null,
  };
}

/** The node, or node run, that receives the replaced input of a retry. */
function findReceiver({ nodes }: Ended['view'], from: string, again: readonly string[]): string {
  const [only] = again;
  if (from === 'failed' && (only === undefined || again.length > 1))
    throw createValidationError([
      { field: 'input', issue: `needs one node to go to, and ${again.length} failed: name it in from` },
    ]);
  const receiver = only ?? from;
  if (receiver.endsWith(']') && !nodes.some(({ path, nodeId }) => path === receiver || nodeId === receiver))
    throw createValidationError([
      {
        field: 'input',
        issue: `needs one node to go to: name a node run in from, such as "${receiver}/<node>"`,
      },
    ]);
  return receiver;
}
