import type { JsonObject } from '../../lib/json/json.ts';
import { formatIsoTimeOrNull } from '../../lib/time/iso-time.ts';
import { isEmailKey, type ResponseChannel, type AssigneeKey } from './decisions.ts';

type Responded = {
  readonly assignee: AssigneeKey;
  readonly email: string;
  readonly choice: string | null;
  readonly comment: string | null;
  readonly values: JsonObject | null;
  readonly channel: ResponseChannel | null;
  readonly respondedAt: number | null;
};

/** The output of a node with a decision: the choice, and each response with its person, time and channel. */
export function createDecisionResult(decision: {
  readonly id: string;
  readonly choice: string | null;
  readonly closedAt: number | null;
  readonly assignees: readonly Responded[];
}): JsonObject {
  const responses = decision.assignees
    .filter(({ respondedAt }) => respondedAt !== null)
    .toSorted((a, b) => Number(a.respondedAt) - Number(b.respondedAt))
    .map((person) => ({
      email: person.email,
      user_id: isEmailKey(person.assignee) ? null : person.assignee,
      choice: person.choice,
      comment: person.comment,
      values: person.values ?? {},
      via: person.channel,
      responded_at: formatIsoTimeOrNull(person.respondedAt),
    }));
  return {
    decision_id: decision.id,
    choice: decision.choice,
    decided_at: formatIsoTimeOrNull(decision.closedAt),
    decided_by: responses.at(-1)?.email ?? null,
    comment: responses.at(-1)?.comment ?? null,
    values: responses.at(-1)?.values ?? {},
    responses,
  };
}
