import { isEmailKey } from '../../contract/decisions/decisions.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Events } from '../../ports/events.ts';
import type { DecisionRow } from '../../ports/store/decisions.ts';

/** Publishes a change of a decision, which is on disk, to the owner and to the users who were asked. */
export function createDecisionEvents(deps: {
  events: Pick<Events, 'publish' | 'hasSubscriber'>;
  clock: Pick<Clock, 'now'>;
}): (decision: DecisionRow) => void {
  return (decision) => {
    const users = decision.assignees.flatMap(({ assignee }) => (isEmailKey(assignee) ? [] : [assignee]));
    for (const userId of new Set([decision.ownerId, ...users])) {
      if (!deps.events.hasSubscriber(userId)) continue;
      deps.events.publish({
        kind: 'decision',
        ownerId: userId,
        decisionId: decision.id,
        executionId: decision.executionId,
        workflowId: decision.workflowId,
        title: decision.title,
        status: decision.status,
        choice: decision.choice,
        isAssigned: users.includes(userId),
        timestamp: deps.clock.now(),
      });
    }
  };
}
