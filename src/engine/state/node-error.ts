import type { JsonObject } from '../../lib/json/json.ts';
import type { NodeError } from '../../contract/execution.ts';
import type { NodeFailure } from '../../contract/node-type.ts';
import type { NodeRun } from './frame.ts';
import type { JournaledFailure } from '../journal/journal.ts';

/**
 * Converts the failure of a node run to the error that the APIs return. `origin`: the node of its body that
 * failed.
 */
export function toNodeError(
  run: NodeRun,
  failure: JournaledFailure,
  origin: NodeFailure['origin'] = { nodeId: run.node.id, attempt: run.attempt },
): NodeError {
  const { type, message, status, data } = failure;
  return {
    type,
    message,
    node_id: origin.nodeId,
    attempt: origin.attempt,
    ...(status !== undefined && { status }),
    ...(data !== undefined && { data }),
  };
}

/** Converts an error in a body to the failure of the body's owner. */
export function toNodeFailure(error: NodeError): NodeFailure {
  return {
    type: error.type,
    message: error.message,
    origin: { nodeId: error.node_id, attempt: error.attempt },
    ...(error.status !== undefined && { status: error.status }),
    ...(error.data !== undefined && { data: error.data }),
  };
}

/** The failure of one attempt, as log data. */
export function toFailureLogData(failure: JournaledFailure): JsonObject {
  return {
    type: failure.type,
    message: failure.message,
    ...(failure.status !== undefined && { status: failure.status }),
  };
}
