import { createDecisionResult } from '../../../contract/decisions/decision-result.ts';
import { computeChoice, type DecisionStatus } from '../../../contract/decisions/decisions.ts';
import { isSettled, type ExecutionStatus } from '../../../contract/execution.ts';
import type {
  ResponseResult,
  AssigneeRow,
  DecisionFilter,
  DecisionQuestion,
  DecisionRow,
  NewResponse,
  NewDecision,
} from '../../../ports/store/decisions.ts';
import * as decisions from '../../queries/decisions/decisions.ts';
import * as messages from '../../queries/decisions/decision-messages.ts';
import * as signals from '../../queries/signals.ts';
import * as timers from '../../queries/timers.ts';
import { saveFile } from '../files.ts';
import { selectAll, change, selectFirst, lock, type Statement, type Transaction } from '../../statement.ts';
import type { JsonObject } from '../../../lib/json/json.ts';
import { escapeMarkdown } from '../../../lib/text/escape-markdown.ts';
import { searchText } from '../../../lib/text/search-text.ts';
import { searchPattern } from '../../search-text.ts';

type DecisionRecord = {
  id: string;
  owner_id: string;
  execution_id: string;
  workflow_id: string;
  workflow_name: string;
  node_id: string;
  path: string;
  title: string;
  request: string;
  status: DecisionStatus;
  choice: string | null;
  created_at: number;
  deadline_at: number | null;
  closed_at: number | null;
};
type AssigneeRecord = Omit<AssigneeRow, 'respondedAt' | 'values'> & {
  responded_at: number | null;
  form_values: string | null;
};

/** Marks questions whose message is Markdown. In questions of earlier versions, it is plain text. */
const MARKDOWN = 'markdown';

function readQuestion(text: string): DecisionQuestion {
  const { format, ...question } = JSON.parse(text) as DecisionQuestion & { format?: string };
  if (format === MARKDOWN || question.message === null) return question;
  return { ...question, message: escapeMarkdown(question.message) };
}

/** Serializes the responses to a decision with each other and with its end. */
const decisionLock = (id: string): Transaction<void> => lock(`decision ${id}`);

function* load(record: DecisionRecord): Transaction<DecisionRow> {
  const people = yield* selectAll<AssigneeRecord>(decisions.listAssignees, record.id);
  return {
    id: record.id,
    ownerId: record.owner_id,
    executionId: record.execution_id,
    workflowId: record.workflow_id,
    workflowName: record.workflow_name,
    nodeId: record.node_id,
    path: record.path,
    title: record.title,
    question: readQuestion(record.request),
    status: record.status,
    choice: record.choice,
    createdAt: record.created_at,
    deadlineAt: record.deadline_at,
    closedAt: record.closed_at,
    assignees: people.map(
      ({ assignee, email, role, choice, comment, form_values, channel, responded_at, notices }) => ({
        assignee,
        email,
        role,
        choice,
        comment,
        values: form_values === null ? null : (JSON.parse(form_values) as JsonObject),
        channel,
        respondedAt: responded_at,
        notices,
      }),
    ),
  };
}

function* find(id: string): Transaction<DecisionRow | null> {
  const record = yield* selectFirst<DecisionRecord>(decisions.get, id);
  return record === null ? null : yield* load(record);
}

export function* requestDecision(decision: NewDecision): Transaction<DecisionRow | null> {
  const target = yield* selectFirst<{ number: number; status: ExecutionStatus }>(
    signals.target,
    decision.executionId,
    decision.ownerId,
  );
  if (target === null || isSettled(target.status)) return null;
  const existing = yield* selectFirst<DecisionRecord>(
    decisions.findByPath,
    decision.executionId,
    decision.ownerId,
    decision.path,
  );
  if (existing !== null) {
    if (existing.status === 'cancelled') {
      yield [
        { sql: decisions.reopen, params: [existing.id] },
        { sql: decisions.reopenAssignees, params: [existing.id] },
        { sql: messages.reopen, params: [existing.id] },
      ];
    }
    if (existing.status === 'open' || existing.status === 'cancelled')
      yield [addAssignees(existing.id, decision)];
    return yield* find(existing.id);
  }
  const { id, ownerId, workflowId, nodeId, path, title, question, createdAt, deadlineAt } = decision;
  yield [
    {
      sql: decisions.insert,
      params: [
        target.number,
        id,
        ownerId,
        workflowId,
        nodeId,
        path,
        title,
        searchText(title),
        JSON.stringify({ ...question, format: MARKDOWN }),
        createdAt,
        deadlineAt,
      ],
    },
    addAssignees(id, decision),
  ];
  return yield* find(id);
}

function addAssignees(id: string, { assignees }: NewDecision): Statement {
  return {
    sql: decisions.insertAssignee,
    each: assignees.map(({ assignee, email, role }) => [id, assignee, email, role]),
  };
}

export function* countDecisionNotice(id: string, assignee: string, notices: number): Transaction<void> {
  yield* change(decisions.countNotice, notices, id, assignee, notices);
}

/** For the service itself: of any viewer. */
export function* findDecision(id: string): Transaction<DecisionRow | null> {
  return yield* find(id);
}

export function* getDecision(viewer: string, id: string): Transaction<DecisionRow | null> {
  const decision = yield* find(id);
  return decision !== null && mayView(decision, viewer) ? decision : null;
}

function mayView(decision: DecisionRow, viewer: string): boolean {
  return decision.ownerId === viewer || decision.assignees.some(({ assignee }) => assignee === viewer);
}

export function* listDecisions(
  viewer: string,
  { view, isOpen, search }: DecisionFilter,
  offset: number,
  limit: number,
): Transaction<{ items: DecisionRow[]; total: number }> {
  const conditions = { view, isOpen: isOpen ?? null, search: search !== undefined };
  const params = [viewer, ...(search === undefined ? [] : [searchPattern(search)])];
  const counted = yield* selectFirst<{ n: number }>(decisions.count(conditions), ...params);
  const records = yield* selectAll<DecisionRecord>(decisions.list(conditions), ...params, limit, offset);
  const items: DecisionRow[] = [];
  for (const record of records) items.push(yield* load(record));
  return { items, total: Number(counted?.n ?? 0) };
}

export function* respondToDecision(id: string, response: NewResponse): Transaction<ResponseResult> {
  yield* decisionLock(id);
  const decision = yield* find(id);
  const asked = decision?.assignees.find(({ assignee }) => assignee === response.assignee);
  if (decision === null || asked === undefined) return { kind: 'missing' };
  if (decision.status !== 'open') return { kind: 'closed', decision };
  // The node run that ends the decision may still be waiting for its turn, for example after a restart.
  if (decision.deadlineAt !== null && response.at >= decision.deadlineAt)
    return { kind: 'closed', decision: { ...decision, status: 'expired', closedAt: decision.deadlineAt } };
  if (asked.respondedAt !== null) return { kind: 'responded', decision };
  const target = yield* selectFirst<{ number: number; status: ExecutionStatus }>(
    signals.target,
    decision.executionId,
    decision.ownerId,
  );
  if (target === null) return { kind: 'missing' };
  if (isSettled(target.status)) return { kind: 'closed', decision: { ...decision, status: 'cancelled' } };
  const { choice, comment, values, channel, at, files = [] } = response;
  const formValues = values === null ? null : JSON.stringify(values);
  const { ownerId, executionId } = decision;
  for (const file of files) yield* saveFile({ ...file, ownerId, executionId });
  yield* change(decisions.respond, choice, comment, formValues, channel, at, id, response.assignee);
  const assignees = decision.assignees.map((person) =>
    person === asked ? { ...person, choice, comment, values, channel, respondedAt: at } : person,
  );
  const { policy, required, choices } = decision.question;
  const made = computeChoice(
    policy,
    required,
    choices,
    assignees.map((person) => person.choice),
  );
  if (made === null) return { kind: 'recorded', decision: { ...decision, assignees } };
  const decided: DecisionRow = { ...decision, assignees, status: 'decided', choice: made, closedAt: at };
  yield [
    { sql: decisions.close, params: ['decided', made, at, id] },
    { sql: decisions.closeAssignees, params: [id] },
    { sql: messages.close, params: [at, id] },
    {
      sql: signals.put,
      params: [decision.path, JSON.stringify(createDecisionResult(decided)), at, target.number],
    },
    { sql: timers.set, params: [decision.executionId, decision.path, at] },
  ];
  return { kind: 'recorded', decision: decided };
}

export function* findDecisionByRun(
  ownerId: string,
  executionId: string,
  path: string,
): Transaction<DecisionRow | null> {
  const record = yield* selectFirst<DecisionRecord>(decisions.findByPath, executionId, ownerId, path);
  return record === null ? null : yield* load(record);
}

export function* expireDecision(
  ownerId: string,
  executionId: string,
  path: string,
  at: number,
): Transaction<DecisionRow | null> {
  const record = yield* selectFirst<DecisionRecord>(decisions.findByPath, executionId, ownerId, path);
  if (record === null) return null;
  yield* decisionLock(record.id);
  if ((yield* change(decisions.close, 'expired', null, at, record.id)) > 0)
    yield [
      { sql: decisions.closeAssignees, params: [record.id] },
      { sql: messages.close, params: [at, record.id] },
    ];
  return yield* find(record.id);
}

export function* cancelAbandonedDecisions(before: number, at: number, limit: number): Transaction<number> {
  const found = yield* selectAll<{ id: string }>(decisions.abandoned, before, limit);
  if (found.length === 0) return 0;
  yield* lock(...found.map(({ id }) => `decision ${id}`).toSorted());
  yield [
    { sql: decisions.close, each: found.map(({ id }) => ['cancelled', null, at, id]) },
    { sql: decisions.closeAssignees, each: found.map(({ id }) => [id]) },
    { sql: messages.close, each: found.map(({ id }) => [at, id]) },
  ];
  return found.length;
}
