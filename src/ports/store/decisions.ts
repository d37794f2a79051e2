import type {
  ResponseChannel,
  AssigneeKey,
  DecisionAttachment,
  DecisionChoice,
  DecisionPolicy,
  DecisionStatus,
} from '../../contract/decisions/decisions.ts';
import type { Form, FormField } from '../../contract/forms/form.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import type { AuditedChange } from './audit.ts';
import type { NewFile } from './files.ts';

/** A person who was asked, with the response if there is one. Times in ms since the epoch. */
export type AssigneeRow = {
  assignee: AssigneeKey;
  email: string;
  /** The role by which the person was asked; null: asked by address. */
  role: string | null;
  choice: string | null;
  comment: string | null;
  /** What the person filled in; null: no response yet, or the question has no fields. */
  values: JsonObject | null;
  channel: ResponseChannel | null;
  respondedAt: number | null;
  /** Number of e-mails that were sent: the question and its reminders. */
  notices: number;
};

/** What a node asks; stored as JSON. `required` responses of the first choice make it. */
export type DecisionQuestion = {
  /** Markdown, in which values of the execution are escaped. */
  message: string | null;
  /** Absent in questions of versions before attachments. */
  attachments?: readonly DecisionAttachment[];
  /** Absent in questions of versions before fields. */
  fields?: readonly FormField[];
  /** The pages that people fill in; absent: the page of a decision. */
  form?: Form;
  choices: readonly DecisionChoice[];
  policy: DecisionPolicy;
  required: number;
};

export type NewDecision = {
  id: string;
  ownerId: string;
  executionId: string;
  workflowId: string;
  nodeId: string;
  path: string;
  title: string;
  question: DecisionQuestion;
  createdAt: number;
  deadlineAt: number | null;
  assignees: readonly { assignee: AssigneeKey; email: string; role: string | null }[];
};

export type DecisionRow = Omit<NewDecision, 'assignees'> & {
  workflowName: string;
  status: DecisionStatus;
  choice: string | null;
  closedAt: number | null;
  /** Ordered by e-mail address. */
  assignees: readonly AssigneeRow[];
};

/** `assigned`: to the viewer. `owned`: asked by the viewer's executions. */
export type DecisionFilter = {
  view: 'assigned' | 'owned';
  isOpen?: boolean;
  /** Part of the title, in lower case. */
  search?: string;
};

export type NewResponse = {
  assignee: AssigneeKey;
  choice: string;
  comment: string | null;
  values: JsonObject | null;
  channel: ResponseChannel;
  at: number;
  /** The files of `values`, which become files of the execution. */
  files?: readonly NewFile[];
};

/**
 * `responded`: the assignee has responded before. `closed`: the decision is not open any more. In both cases
 * nothing changes. `missing`: no such decision, or not of this assignee.
 */
export type ResponseResult =
  | { kind: 'recorded' | 'responded' | 'closed'; decision: DecisionRow }
  | { kind: 'missing' };

export type DecisionStore = {
  /**
   * Idempotent: a node run has one decision, which is returned. Assignees that it lacks are added while it is
   * open. One that was cancelled is opened again. Null when the execution does not exist or has ended.
   */
  request(decision: NewDecision): Promise<DecisionRow | null>;
  /** Raises the number of e-mails that an assignee got to `notices`. */
  countNotice(id: string, assignee: AssigneeKey, notices: number): Promise<void>;
  /** For the service itself: without a viewer. */
  find(id: string): Promise<DecisionRow | null>;
  /** Null unless `viewer` is the owner or an assignee. */
  get(viewer: string, id: string): Promise<DecisionRow | null>;
  /** The decision of a node run; null when there is none. */
  findByRun(ownerId: string, executionId: string, path: string): Promise<DecisionRow | null>;
  /** Newest first. */
  list(
    viewer: string,
    filter: DecisionFilter,
    offset: number,
    limit: number,
  ): Promise<{ items: DecisionRow[]; total: number }>;
  /**
   * Records a response. When it decides, the node run that waits is resumed in the same transaction.
   */
  respond(id: string, response: NewResponse, event?: AuditedChange): Promise<ResponseResult>;
  /**
   * Ends an open decision of a node run whose deadline has passed. Returns the decision, which may have been
   * decided before; null when there is none.
   */
  expire(ownerId: string, executionId: string, path: string, at: number): Promise<DecisionRow | null>;
  /** Cancels at most `limit` open decisions, created before `before`, whose node run no longer waits. */
  cancelAbandoned(before: number, at: number, limit: number): Promise<number>;
};

/** A message in Slack about a decision. `ts` identifies it in its channel. */
export type DecisionMessage = { decisionId: string; channel: string; ts: string };

/** A message that does not show the end of its decision yet. `dueAt` in ms since the epoch. */
export type DueDecisionMessage = DecisionMessage & { failures: number; dueAt: number };

export type DecisionMessageEnd = { kind: 'done' } | { kind: 'retry'; failures: number; next: number };

/** Messages about decisions. A message is due when its decision is closed, in the same transaction. */
export type DecisionMessageStore = {
  /** Idempotent. The message of a decision that is closed is due at `at`; null: it is not recorded. */
  add(message: DecisionMessage, at: number | null): Promise<void>;
  /** The number of messages of a decision that were not updated yet. */
  count(decisionId: string): Promise<number>;
  due(now: number, limit: number): Promise<DueDecisionMessage[]>;
  /** When the next message is due; null: none. */
  next(): Promise<number | null>;
  /** Reserves a message until then. False: another process has it, or it is not due any more. */
  claim(message: DueDecisionMessage, until: number): Promise<boolean>;
  /** `until`: of the claim. No effect after another claim. */
  end(message: DecisionMessage, until: number, end: DecisionMessageEnd): Promise<void>;
};
