import type { SubscriptionFilter } from '../../contract/requests/websocket.ts';

/**
 * The subscriptions of one client. Without any, it receives all events; otherwise the events that one of them
 * matches.
 */
export type SubscriptionFilters = {
  /** Adds a subscription; repeated ones count once. False when the maximum is reached. */
  add(filter: SubscriptionFilter): boolean;
  remove(filter: SubscriptionFilter): void;
  admit(executionId: string, workflowId: string): boolean;
};

export function createSubscriptionFilters(maximum: number): SubscriptionFilters {
  const all = new Map<string, SubscriptionFilter>();
  let executions = new Set<string>();
  let workflows = new Set<string>();
  let isUnfiltered = true;

  function rebuildIndex(): void {
    executions = new Set();
    workflows = new Set();
    isUnfiltered = all.size === 0;
    for (const { execution_id: execution, workflow_id: workflow } of all.values()) {
      // An execution belongs to one workflow, so the workflow id adds nothing to an execution id.
      if (execution !== undefined) executions.add(execution);
      else if (workflow !== undefined) workflows.add(workflow);
      else isUnfiltered = true;
    }
  }

  return {
    add(filter) {
      if (!all.has(createKey(filter)) && all.size >= maximum) return false;
      all.set(createKey(filter), filter);
      rebuildIndex();
      return true;
    },
    remove(filter) {
      if (all.delete(createKey(filter))) rebuildIndex();
    },
    admit: (executionId, workflowId) =>
      isUnfiltered || executions.has(executionId) || workflows.has(workflowId),
  };
}

function createKey({ workflow_id: workflow, execution_id: execution }: SubscriptionFilter): string {
  return JSON.stringify([workflow ?? null, execution ?? null]);
}
