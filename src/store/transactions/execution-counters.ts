import type { ExecutionStatus } from '../../contract/execution.ts';
import * as counters from '../queries/counters.ts';
import type { Scalar, Statement } from '../statement.ts';

/** The scope of a counter: all executions, an owner's or a workflow's. */
export const everyone = 'all';
export const ofOwner = (id: string): string => `owner:${id}`;
export const ofWorkflow = (id: string): string => `workflow:${id}`;

/**
 * Changes of the totals in one transaction, summed here and written once per counter. Each execution counts
 * three times: for all, for its owner and for its workflow. A total is exact because it changes in the
 * transaction of its rows.
 */
export class CounterDeltas {
  readonly #subjects = new Map<string, Map<string, number>>();

  move(ownerId: string, workflowId: string, from: ExecutionStatus | null, to: ExecutionStatus | null): void {
    if (from === to) return;
    for (const subject of [everyone, ofOwner(ownerId), ofWorkflow(workflowId)]) {
      let statuses = this.#subjects.get(subject);
      if (statuses === undefined) this.#subjects.set(subject, (statuses = new Map<string, number>()));
      if (from !== null) statuses.set(from, (statuses.get(from) ?? 0) - 1);
      if (to !== null) statuses.set(to, (statuses.get(to) ?? 0) + 1);
    }
  }

  /** In a fixed order, so that two transactions never deadlock. */
  statements(): Statement[] {
    const each: Scalar[][] = [];
    for (const subject of [...this.#subjects.keys()].toSorted()) {
      const statuses = this.#subjects.get(subject)!;
      for (const status of [...statuses.keys()].toSorted()) {
        const n = statuses.get(status)!;
        if (n !== 0) each.push([subject, status, n]);
      }
    }
    return each.length === 0 ? [] : [{ sql: counters.add, each }];
  }
}
