import type { NodeEntry } from '../../contract/definition.ts';
import {
  createConflictError,
  createNotFoundError,
  createValidationError,
  WeftError,
} from '../../contract/errors.ts';
import type { Principal } from '../../contract/principal.ts';
import { PinOutputSchema } from '../../contract/requests/workflow.ts';
import { validate } from '../../contract/validate.ts';
import type { Json } from '../../lib/json/json.ts';
import type { Clock } from '../../ports/clock.ts';
import { limits } from '../../ports/limits.ts';
import type { NodeTypes } from '../../ports/node-types.ts';
import type { PinnedOutput, PinnedOutputStore } from '../../ports/store/pinned-outputs.ts';
import type { WorkflowStore } from '../../ports/store/workflows.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import { requireScope } from '../authorize.ts';
import { readPinnedOutput } from '../executions/pinned-ports.ts';

export type PinnedOutputs = ReturnType<typeof createPinnedOutputs>;

/** Outputs that are kept with a workflow, for runs from the editor. Triggers and retries ignore them. */
export function createPinnedOutputs(deps: {
  pinnedOutputs: PinnedOutputStore;
  workflows: Pick<WorkflowStore, 'get' | 'version'>;
  audit: Pick<AuditLog, 'describe'>;
  clock: Pick<Clock, 'now'>;
  nodeTypes: NodeTypes;
}) {
  const { pinnedOutputs, workflows, audit, clock, nodeTypes } = deps;

  /** Returns the node of the newest version; undefined: there is none. @throws {WeftError} NOT_FOUND. */
  async function findNode(
    ownerId: string,
    workflowId: string,
    nodeId: string,
  ): Promise<NodeEntry | undefined> {
    const row = await workflows.get(ownerId, workflowId);
    const newest = row === null ? null : await workflows.version(ownerId, workflowId, row.version);
    if (newest === null) throw createNotFoundError('workflow');
    return newest.definition.nodes.find((node) => node.id === nodeId);
  }

  return {
    async list(principal: Principal, workflowId: string): Promise<PinnedOutput[]> {
      requireScope(principal, 'workflows:read');
      const found = await pinnedOutputs.list(principal.userId, workflowId);
      if (found === null) throw createNotFoundError('workflow');
      return found;
    },

    /**
     * Replaces the node's pinned output. @throws {WeftError} VALIDATION_ERROR for a node that the newest
     * version does not contain, and for ports that it does not have; CONFLICT and PAYLOAD_TOO_LARGE for the
     * limits of a workflow.
     */
    async put(
      principal: Principal,
      workflowId: string,
      nodeId: string,
      input: unknown,
    ): Promise<PinnedOutput> {
      requireScope(principal, 'workflows:write');
      const given = validate(PinOutputSchema, input);
      const node = await findNode(principal.userId, workflowId, nodeId);
      if (node === undefined)
        throw createValidationError([
          { field: 'node_id', issue: `is not a node of the workflow: ${nodeId}` },
        ]);
      const output = given.output as Json;
      const ports = given.ports ?? null;
      readPinnedOutput({ output, ports }, node, nodeTypes, { output: 'output', ports: 'ports' });
      const pinned = { nodeId, output, ports, pinnedAt: clock.now() };
      const result = await pinnedOutputs.put(
        principal.userId,
        workflowId,
        pinned,
        audit.describe(principal, 'pinned_output.updated', { id: workflowId }, { node_id: nodeId }),
      );
      if (result === 'missing') throw createNotFoundError('workflow');
      if (result === 'too_many') {
        throw createConflictError(`A workflow has at most ${limits.pinnedOutputs} pinned outputs.`, {
          limit: limits.pinnedOutputs,
        });
      }
      if (result === 'too_large') {
        throw new WeftError(
          'PAYLOAD_TOO_LARGE',
          `The pinned outputs of a workflow are at most ${limits.pinnedOutputBytes} bytes of JSON together.`,
          { limit: limits.pinnedOutputBytes },
        );
      }
      return pinned;
    },

    async remove(principal: Principal, workflowId: string, nodeId: string): Promise<void> {
      requireScope(principal, 'workflows:write');
      const event = audit.describe(
        principal,
        'pinned_output.deleted',
        { id: workflowId },
        { node_id: nodeId },
      );
      if (!(await pinnedOutputs.remove(principal.userId, workflowId, nodeId, event)))
        throw createNotFoundError('pinned output');
    },
  };
}
