import type { SlackResult } from '../../../nodes/flow/approval/slack/slack-message.ts';
import type { DecisionRow } from '../../../ports/store/decisions.ts';

/**
 * Converts an ended decision to the content of its Slack message. A decision that is still open has expired,
 * but its node run has not ended it yet.
 */
export function toSlackResult({ id, title, question, assignees, ...decision }: DecisionRow): SlackResult {
  const { message, attachments = [], choices } = question;
  const hasFields = question.form !== undefined || (question.fields ?? []).length > 0;
  const { status, choice, closedAt, deadlineAt } = decision;
  const end =
    status === 'open' ? ({ status: 'expired', closedAt: deadlineAt } as const) : { status, closedAt };
  return { id, title, message, attachments, choices, hasFields, ...end, choice, responses: assignees };
}
