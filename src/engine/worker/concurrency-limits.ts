import type { WorkflowSettings } from '../../contract/definition.ts';
import { isWorker, type Cluster } from './leader-election.ts';

type Execution = { readonly id: string; readonly workflowId: string };

/**
 * The `max_concurrency` of workflows. A process that is alone on its store counts its executions. In a
 * cluster only the store knows how many are running, and processes notify each other which workflows are
 * full.
 */
export class ConcurrencyLimits {
  private readonly cluster: Cluster | null;
  private readonly runningByWorkflow = new Map<string, number>();
  /** Workflows at their limit, with the limit. */
  private readonly full = new Map<string, number>();
  /** In a cluster: the executions of this process that count against a limit. */
  private readonly limited = new Set<string>();

  constructor(cluster: Cluster | null) {
    this.cluster = cluster;
  }

  get fullWorkflows(): string[] {
    return [...this.full.keys()];
  }

  isFull(workflowId: string): boolean {
    return this.full.has(workflowId);
  }

  /** Whether a new execution has to queue because of its workflow's limit. */
  mustQueue(workflowId: string, { max_concurrency: limit }: WorkflowSettings): boolean {
    const { cluster } = this;
    if (cluster !== null && (limit !== undefined || !isWorker(cluster.process))) return true;
    if (limit === undefined || (this.runningByWorkflow.get(workflowId) ?? 0) < limit) return false;
    this.full.set(workflowId, limit);
    return true;
  }

  add({ workflowId }: Execution): void {
    this.runningByWorkflow.set(workflowId, (this.runningByWorkflow.get(workflowId) ?? 0) + 1);
  }

  /** A claimed execution was added. */
  claimed({ id, workflowId }: Execution, { max_concurrency: limit }: WorkflowSettings): void {
    if (limit === undefined) return;
    if (this.cluster !== null) this.limited.add(id);
    else if (this.runningByWorkflow.get(workflowId)! >= limit) this.full.set(workflowId, limit);
  }

  /** Returns whether the execution counted against a limit that other processes know. */
  remove({ id, workflowId }: Execution): boolean {
    const running = this.runningByWorkflow.get(workflowId)! - 1;
    if (running === 0) this.runningByWorkflow.delete(workflowId);
    else this.runningByWorkflow.set(workflowId, running);
    if (this.cluster === null) {
      // An execution that was only being queued frees no slot.
      if (running < (this.full.get(workflowId) ?? Infinity)) this.full.delete(workflowId);
      return false;
    }
    if (!this.limited.delete(id)) return false;
    this.full.delete(workflowId);
    this.cluster.bus.publish('workflow_full', { workflowId, isFull: false });
    return true;
  }

  /**
   * The store refused a claim. A process alone on its store ignores executions that an earlier process left
   * running.
   */
  claimRefused(workflowId: string): void {
    if (this.cluster === null) return;
    this.full.set(workflowId, Infinity);
    this.cluster.bus.publish('workflow_full', { workflowId, isFull: true });
  }

  /** Another process reports that a workflow is at its limit, or no longer. */
  setFull(workflowId: string, isFull: boolean): void {
    if (isFull) this.full.set(workflowId, Infinity);
    else this.full.delete(workflowId);
  }

  /** Clears the full workflows: the process that reported them may be gone. */
  clearFull(): void {
    this.full.clear();
  }
}
