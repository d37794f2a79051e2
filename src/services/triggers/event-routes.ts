import type { EndedExecution } from '../../ports/completion-triggers.ts';
import { limits } from '../../ports/limits.ts';
import type { Follower } from '../../ports/store/completion-triggers.ts';
import type { EventRoute } from '../../ports/store/active-triggers.ts';

/** In place of a source: all of the owner's workflows. */
const ALL = '';

/** Who follows on whose end, in memory. Whoever follows nobody costs one look into a map. */
export class EventRoutes {
  /** By owner, then by source. */
  readonly #routes = new Map<string, Map<string, EventRoute[]>>();
  /** What belongs to a workflow, to take it out again. */
  readonly #ofWorkflow = new Map<string, readonly EventRoute[]>();

  /** Replaces all that belongs to the workflow. */
  change(workflowId: string, routes: readonly EventRoute[]): void {
    for (const route of this.#ofWorkflow.get(workflowId) ?? []) this.#remove(route);
    this.#ofWorkflow.delete(workflowId);
    if (routes.length > 0) this.#ofWorkflow.set(workflowId, routes);
    for (const route of routes) {
      const source = route.source ?? ALL;
      const own = this.#routes.get(route.ownerId) ?? new Map<string, EventRoute[]>();
      this.#routes.set(route.ownerId, own);
      own.set(source, [...(own.get(source) ?? []), route]);
    }
  }

  #remove(route: EventRoute): void {
    const own = this.#routes.get(route.ownerId);
    const source = route.source ?? ALL;
    const left = (own?.get(source) ?? []).filter((other) => other !== route);
    if (left.length > 0) own?.set(source, left);
    else own?.delete(source);
    if (own?.size === 0) this.#routes.delete(route.ownerId);
  }

  /** Those that follow on something. */
  workflows(): string[] {
    return [...this.#ofWorkflow.keys()];
  }

  /** Whether the trigger is live. */
  has(workflowId: string, nodeId: string): boolean {
    return this.#ofWorkflow.get(workflowId)?.some((route) => route.nodeId === nodeId) ?? false;
  }

  /**
   * What starts when this execution ends; null: nothing. What an error started starts no error triggers when it fails itself.
   * A trigger for all workflows follows neither its own nor what an event or error started: several of them would start each
   * other without end. At most `limits.followers`, those that name the workflow first.
   */
  of(ended: EndedExecution): Follower[] | null {
    const own = this.#routes.get(ended.ownerId);
    if (own === undefined || ended.status === 'stopped') return null;
    const found: Follower[] = [];
    for (const source of [ended.workflowId, ALL])
      for (const route of own.get(source) ?? []) {
        if (!follows(route, ended)) continue;
        found.push({ workflowId: route.target, nodeId: route.nodeId, kind: route.kind });
      }
    // A workflow that the setting names and that has a trigger for this error starts once.
    const once = found.filter(
      ({ workflowId, nodeId }) =>
        nodeId !== null ||
        !found.some(
          (other) => other.nodeId !== null && other.kind === 'error' && other.workflowId === workflowId,
        ),
    );
    return once.length === 0 ? null : once.slice(0, limits.followers);
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
