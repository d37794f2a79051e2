import type { JsonObject } from '../../lib/json/json.ts';
import { isoOrNull } from '../../lib/time/iso-time.ts';
import { isEmailKey, type AnswerChannel, type AssigneeKey } from './decisions.ts';

type Answered = {
  readonly assignee: AssigneeKey;
  readonly email: string;
  readonly choice: string | null;
  readonly comment: string | null;
  readonly channel: AnswerChannel | null;
  readonly answeredAt: number | null;
};

/** The output of a node that asked people: the choice, and who answered what, when and how. */
export function createDecisionResult(decision: {
  readonly id: string;
  readonly choice: string | null;
  readonly closedAt: number | null;
  readonly assignees: readonly Answered[];
}): JsonObject {
  const answers = decision.assignees
    .filter(({ answeredAt }) => answeredAt !== null)
    .toSorted((a, b) => Number(a.answeredAt) - Number(b.answeredAt))
    .map((person) => ({
      email: person.email,
      user_id: isEmailKey(person.assignee) ? null : person.assignee,
      choice: person.choice,
      comment: person.comment,
      via: person.channel,
      answered_at: isoOrNull(person.answeredAt),
    }));
  return {
    decision_id: decision.id,
    choice: decision.choice,
    decided_at: isoOrNull(decision.closedAt),
    decided_by: answers.at(-1)?.email ?? null,
    comment: answers.at(-1)?.comment ?? null,
    answers,
  };
}
