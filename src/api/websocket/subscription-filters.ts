import type { Narrowing } from '../../contract/requests/websocket.ts';

/** What one client wants to hear of: everything while there are none, otherwise whatever one of them names. */
export type SubscriptionFilters = {
  /** The same one twice is one. False: there are as many as there may be. */
  add(narrowing: Narrowing): boolean;
  remove(narrowing: Narrowing): void;
  admit(executionId: string, workflowId: string): boolean;
};

export function createSubscriptionFilters(most: number): SubscriptionFilters {
  const all = new Map<string, Narrowing>();
  let executions = new Set<string>();
  let workflows = new Set<string>();
  let everything = true;

  function index(): void {
    executions = new Set();
    workflows = new Set();
    everything = all.size === 0;
    for (const { execution_id: execution, workflow_id: workflow } of all.values()) {
      // An execution has one workflow, so with both ids the execution says it all.
      if (execution !== undefined) executions.add(execution);
      else if (workflow !== undefined) workflows.add(workflow);
      else everything = true;
    }
  }

  return {
    add(narrowing) {
      if (!all.has(keyOf(narrowing)) && all.size >= most) return false;
      all.set(keyOf(narrowing), narrowing);
      index();
      return true;
    },
    remove(narrowing) {
      if (all.delete(keyOf(narrowing))) index();
    },
    admit: (executionId, workflowId) =>
      everything || executions.has(executionId) || workflows.has(workflowId),
  };
}

function keyOf({ workflow_id: workflow, execution_id: execution }: Narrowing): string {
  return JSON.stringify([workflow ?? null, execution ?? null]);
}
