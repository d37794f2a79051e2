import { isEmailKey } from '../../contract/decisions/decisions.ts';
import type { FormField } from '../../contract/forms/form.ts';
import { formatIsoTimeOrNull, formatIsoTime } from '../../lib/time/iso-time.ts';
import type { DecisionChange } from '../../ports/events.ts';
import type { Decisions, DecisionView } from '../../services/decisions/decisions.service.ts';
import { presentList } from './accounts.ts';

export function presentDecision(decision: DecisionView) {
  const { question } = decision;
  return {
    id: decision.id,
    title: decision.title,
    message: question.message,
    attachments: (question.attachments ?? []).map(({ id, name, contentType, size }) => ({
      id,
      name,
      content_type: contentType,
      size,
    })),
    status: decision.status,
    choice: decision.choice,
    choices: question.choices.map(({ name, label }) => ({ name, label })),
    fields: (question.fields ?? []).map(presentField),
    policy: question.policy,
    required: question.required,
    assignees: decision.assignees.map((person) => ({
      user_id: isEmailKey(person.assignee) ? null : person.assignee,
      email: person.email,
      role: person.role,
      choice: person.choice,
      comment: person.comment,
      values: person.values,
      via: person.channel,
      responded_at: formatIsoTimeOrNull(person.respondedAt),
    })),
    form_url: decision.formUrl,
    can_respond:
      decision.status === 'open' &&
      decision.assignees.some(
        ({ assignee, respondedAt }) => assignee === decision.viewer && respondedAt === null,
      ),
    workflow_id: decision.workflowId,
    workflow_name: decision.workflowName,
    execution_id: decision.executionId,
    node_id: decision.nodeId,
    created_at: formatIsoTime(decision.createdAt),
    deadline: formatIsoTimeOrNull(decision.deadlineAt),
    closed_at: formatIsoTimeOrNull(decision.closedAt),
  };
}

function presentField({ name, type, label, hint, isRequired, options, min, max, ...field }: FormField) {
  const { default: initial, showWhen } = field;
  return {
    name,
    type,
    label,
    hint,
    required: isRequired,
    options,
    default: initial,
    min,
    max,
    show_when: showWhen,
  };
}

export function presentDecisions(list: Awaited<ReturnType<Decisions['list']>>) {
  return presentList('decisions', list, presentDecision);
}

export function presentDecisionChange(change: DecisionChange) {
  return {
    decision_id: change.decisionId,
    execution_id: change.executionId,
    workflow_id: change.workflowId,
    title: change.title,
    status: change.status,
    choice: change.choice,
    assigned: change.isAssigned,
    timestamp: formatIsoTime(change.timestamp),
  };
}
