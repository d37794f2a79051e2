import type { EndedExecution } from '../../ports/completion-triggers.ts';
import { limits } from '../../ports/limits.ts';
import type { Follower } from '../../ports/store/completion-triggers.ts';
import type { EventRoute } from '../../ports/store/active-triggers.ts';

/** The key for triggers that follow all workflows of the owner. */
const ALL_WORKFLOWS = '';

/**
 * An in-memory index of completion triggers by source. For a workflow without any, a lookup costs one map
 * access.
 */
export class EventRoutes {
  /** By owner, then by source. */
  readonly #routes = new Map<string, Map<string, EventRoute[]>>();
  /** The routes of each workflow, for removal. */
  readonly #ofWorkflow = new Map<string, readonly EventRoute[]>();

  /** Replaces all routes of the workflow. */
  change(workflowId: string, routes: readonly EventRoute[]): void {
    for (const route of this.#ofWorkflow.get(workflowId) ?? []) this.#remove(route);
    this.#ofWorkflow.delete(workflowId);
    if (routes.length > 0) this.#ofWorkflow.set(workflowId, routes);
    for (const route of routes) {
      const source = route.source ?? ALL_WORKFLOWS;
      const own = this.#routes.get(route.ownerId) ?? new Map<string, EventRoute[]>();
      this.#routes.set(route.ownerId, own);
      own.set(source, [...(own.get(source) ?? []), route]);
    }
  }

  #remove(route: EventRoute): void {
    const own = this.#routes.get(route.ownerId);
    const source = route.source ?? ALL_WORKFLOWS;
    const left = (own?.get(source) ?? []).filter((other) => other !== route);
    if (left.length > 0) own?.set(source, left);
    else own?.delete(source);
    if (own?.size === 0) this.#routes.delete(route.ownerId);
  }

  /** Returns the workflows that have completion triggers. */
  workflows(): string[] {
    return [...this.#ofWorkflow.keys()];
  }

  /** Whether the trigger is active. */
  has(workflowId: string, nodeId: string): boolean {
    return this.#ofWorkflow.get(workflowId)?.some((route) => route.nodeId === nodeId) ?? false;
  }

  /**
   * Returns the triggers that this execution starts when it ends; null for none. An execution that an error
   * started starts no error triggers when it fails. A trigger for all workflows follows neither its own
   * executions nor those that an event or error started: several such triggers would start each other
   * endlessly. At most `limits.completionTriggers`, those that name the workflow first.
   */
  of(ended: EndedExecution): Follower[] | null {
    const own = this.#routes.get(ended.ownerId);
    if (own === undefined || ended.status === 'stopped') return null;
    const found: Follower[] = [];
    for (const source of [ended.workflowId, ALL_WORKFLOWS])
      for (const route of own.get(source) ?? []) {
        if (!follows(route, ended)) continue;
        found.push({ workflowId: route.target, nodeId: route.nodeId, kind: route.kind });
      }
    // A workflow that the setting names and that also has an error trigger starts once.
    const once = found.filter(
      ({ workflowId, nodeId }) =>
        nodeId !== null ||
        !found.some(
          (other) => other.nodeId !== null && other.kind === 'error' && other.workflowId === workflowId,
        ),
    );
    return once.length === 0 ? null : once.slice(0, limits.completionTriggers);
  }
}

function follows(
  { kind, on, source, target }: EventRoute,
  { status, trigger, workflowId }: EndedExecution,
): boolean {
  if (on !== status) return false;
  if (kind === 'error') return trigger.type !== 'error';
  return source !== null || (target !== workflowId && trigger.type !== 'event' && trigger.type !== 'error');
}
