import { validate } from '../../contract/validate.ts';
import { createNotFoundError } from '../../contract/errors.ts';
import type { Principal } from '../../contract/principal.ts';
import { SubscriptionFilterSchema, type SubscriptionFilter } from '../../contract/requests/websocket.ts';
import type { Events, WeftEvent } from '../../ports/events.ts';
import type { ExecutionStore } from '../../ports/store/executions.ts';
import type { WorkflowStore } from '../../ports/store/workflows.ts';
import { requireScope } from '../authorize.ts';

type Receive = (event: WeftEvent) => void;
type Owner = { readonly receivers: Set<{ readonly receive: Receive }>; readonly leave: () => void };

export type ExecutionEvents = {
  /**
   * Subscribes to the user's execution events and notifications from now on. All receivers of an owner get
   * the same object synchronously, and must not block.
   * @throws {WeftError} FORBIDDEN.
   */
  subscribe(principal: Principal, receive: Receive): () => void;
  /**
   * For a caller that forwards events of another receiver of the same user. @throws {WeftError} FORBIDDEN.
   */
  permit(principal: Principal): void;
  /**
   * Returns the filter that `input` describes. @throws {WeftError} NOT_FOUND for a resource that is missing
   * or another owner's.
   */
  readFilter(principal: Principal, input: unknown): Promise<SubscriptionFilter>;
};

/** The events port has one subscriber per owner, however many receivers the owner has. */
export function createExecutionEvents(deps: {
  readonly executions: Pick<ExecutionStore, 'get'>;
  readonly workflows: Pick<WorkflowStore, 'get'>;
  readonly events: Pick<Events, 'subscribe'>;
  /** Called when a receiver throws; the other receivers still get the event. */
  readonly failed: (error: unknown) => void;
}): ExecutionEvents {
  const { executions, workflows, events, failed } = deps;
  const owners = new Map<string, Owner>();

  function join(ownerId: string): Owner {
    const receivers: Owner['receivers'] = new Set();
    const leave = events.subscribe(ownerId, (event) => {
      for (const { receive } of receivers) {
        try {
          receive(event);
        } catch (error) {
          failed(error);
        }
      }
    });
    const owner = { receivers, leave };
    owners.set(ownerId, owner);
    return owner;
  }

  return {
    subscribe(principal, receive) {
      requireScope(principal, 'executions:read');
      const { userId } = principal;
      const owner = owners.get(userId) ?? join(userId);
      const entry = { receive };
      owner.receivers.add(entry);
      return () => {
        if (!owner.receivers.delete(entry) || owner.receivers.size > 0) return;
        owners.delete(userId);
        owner.leave();
      };
    },

    permit: (principal) => requireScope(principal, 'executions:read'),

    async readFilter(principal, input) {
      requireScope(principal, 'executions:read');
      const filter = validate(SubscriptionFilterSchema, input, 'data');
      const { workflow_id: workflowId, execution_id: executionId } = filter;
      if (workflowId !== undefined && (await workflows.get(principal.userId, workflowId)) === null)
        throw createNotFoundError('workflow');
      if (executionId === undefined) return filter;
      const execution = await executions.get(principal.userId, executionId);
      if (execution === null || (workflowId !== undefined && execution.workflowId !== workflowId))
        throw createNotFoundError('execution');
      return filter;
    },
  };
}
