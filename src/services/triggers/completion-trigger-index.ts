import type { EndedExecution } from '../../ports/completion-triggers.ts';
import { limits } from '../../ports/limits.ts';
import type { CompletionStart } from '../../ports/store/completion-triggers.ts';
import type { CompletionTrigger } from '../../ports/store/active-triggers.ts';

/** The key for triggers that follow all workflows of the owner. */
const ALL_WORKFLOWS = '';

/**
 * An in-memory index of completion triggers by source. For a workflow without any, a lookup costs one map
 * access.
 */
export class CompletionTriggerIndex {
  /** By owner, then by source. */
  readonly #bySource = new Map<string, Map<string, CompletionTrigger[]>>();
  /** The triggers of each workflow, for removal. */
  readonly #byWorkflow = new Map<string, readonly CompletionTrigger[]>();

  /** Replaces all triggers of the workflow. */
  change(workflowId: string, triggers: readonly CompletionTrigger[]): void {
    for (const trigger of this.#byWorkflow.get(workflowId) ?? []) this.#remove(trigger);
    this.#byWorkflow.delete(workflowId);
    if (triggers.length > 0) this.#byWorkflow.set(workflowId, triggers);
    for (const trigger of triggers) {
      const source = trigger.source ?? ALL_WORKFLOWS;
      const own = this.#bySource.get(trigger.ownerId) ?? new Map<string, CompletionTrigger[]>();
      this.#bySource.set(trigger.ownerId, own);
      own.set(source, [...(own.get(source) ?? []), trigger]);
    }
  }

  #remove(trigger: CompletionTrigger): void {
    const own = this.#bySource.get(trigger.ownerId);
    const source = trigger.source ?? ALL_WORKFLOWS;
    const left = (own?.get(source) ?? []).filter((other) => other !== trigger);
    if (left.length > 0) own?.set(source, left);
    else own?.delete(source);
    if (own?.size === 0) this.#bySource.delete(trigger.ownerId);
  }

  /** Returns the workflows that have completion triggers. */
  workflows(): string[] {
    return [...this.#byWorkflow.keys()];
  }

  /** Whether the trigger is active. */
  has(workflowId: string, nodeId: string): boolean {
    return this.#byWorkflow.get(workflowId)?.some((trigger) => trigger.nodeId === nodeId) ?? false;
  }

  /**
   * Returns the triggers that this execution starts when it ends; null for none. An execution that an error
   * started starts no error triggers when it fails. A trigger for all workflows follows neither its own
   * executions nor those that an event or error started: several such triggers would start each other
   * endlessly. At most `limits.completionTriggers`, those that name the workflow first.
   */
  findStarts(ended: EndedExecution): CompletionStart[] | null {
    const own = this.#bySource.get(ended.ownerId);
    if (own === undefined || ended.status === 'stopped') return null;
    const found: CompletionStart[] = [];
    for (const source of [ended.workflowId, ALL_WORKFLOWS])
      for (const trigger of own.get(source) ?? []) {
        if (!matchesTrigger(trigger, ended)) continue;
        found.push({ workflowId: trigger.target, nodeId: trigger.nodeId, kind: trigger.kind });
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

function matchesTrigger(
  { kind, on, source, target }: CompletionTrigger,
  { status, trigger, workflowId }: EndedExecution,
): boolean {
  if (on !== status) return false;
  if (kind === 'error') return trigger.type !== 'error';
  return source !== null || (target !== workflowId && trigger.type !== 'event' && trigger.type !== 'error');
}
