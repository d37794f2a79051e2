import type { Form, FormField } from './forms/form.ts';
import type { ExecutionStatus, NodeError, NodeErrorType } from './execution.ts';
import type { Json, JsonObject } from '../lib/json/json.ts';
import type {
  AssigneeKey,
  DecisionAttachment,
  DecisionChoice,
  DecisionPolicy,
} from './decisions/decisions.ts';

/** Access to other executions and to approvals. Every call belongs to the node run that makes it. */
export type NodeOrchestration = {
  /**
   * Starts another workflow of the same owner. The same node run gets the same child on every attempt; `part`
   * distinguishes several children of one node run.
   */
  startChild(child: {
    workflowId: string;
    input: Json;
    waits: boolean;
    type: 'sub_workflow' | 'error';
    part?: string;
  }): Promise<
    { kind: 'started'; executionId: string } | { kind: 'refused'; type: NodeErrorType; message: string }
  >;
  child(
    executionId: string,
  ): Promise<
    | { kind: 'open' }
    | { kind: 'ended'; status: ExecutionStatus; output: Json; error: NodeError | null }
    | { kind: 'gone' }
  >;
  /** Has no effect on an execution that has ended. */
  stopChild(executionId: string): Promise<void>;
  /** The signal posted to this node run; undefined until there is one. */
  signal(): Promise<Json | undefined>;
  /** The URL at which a POST resumes this node run. */
  resumeUrl(): string;
  /**
   * Asks people. A node run asks once: further calls return the same decision, and ask only assignees that
   * are new. The responses resume the node run with a signal, the result of the decision.
   */
  ask(question: Question): Promise<QuestionResult>;
  /** Records that a person has got `notices` e-mails about the decision. */
  countNotice(decisionId: string, person: QuestionRecipient, notices: number): Promise<void>;
  /** Whether a message about the decision, which is open, was recorded. */
  hasMessage(decisionId: string): Promise<boolean>;
  /** Records a message in Slack about the decision. It is updated when the decision has ended. */
  recordMessage(message: { decisionId: string; channel: string; ts: string }): Promise<void>;
  /**
   * Ends the open decision of this node run at its deadline. Returns the result; `choice` null: none made.
   */
  endQuestion(): Promise<{ choice: string | null; result: JsonObject }>;
  notify(notice: {
    level: 'info' | 'success' | 'warning' | 'error';
    message: string;
    channel: string | null;
  }): void;
  /** Whether a connection leaves this port of the node. */
  isConnected(port: string): boolean;
};

/** `askedAt` and `deadline` in epoch ms. `refused`: nothing was asked, because of a field of the question. */
export type QuestionResult =
  | {
      kind: 'asked';
      decisionId: string;
      askedAt: number;
      deadline: number;
      attachments: readonly DecisionAttachment[];
      people: QuestionRecipient[];
    }
  | { kind: 'refused'; field: string; issue: string };

/**
 * A person who was asked. `url` is the page on which only this person can respond. `notices` is the number of
 * e-mails that were sent.
 */
export type QuestionRecipient = {
  assignee: AssigneeKey;
  email: string;
  hasAccount: boolean;
  hasResponded: boolean;
  url: string;
  notices: number;
};

/**
 * A question to people. `assignees` are e-mail addresses, `role:admin` and `role:member`; empty: the owner of
 * the execution. `required` is for the policy `at_least`. `deadline` in epoch ms.
 */
export type Question = {
  title: string;
  /** Markdown, in which values of the execution are escaped. */
  message: string | null;
  /** Only used when the question is asked first. */
  attachments: readonly DecisionAttachment[];
  /** What people fill in; empty: only a choice and a comment. */
  fields: readonly FormField[];
  /** The pages with these fields; undefined: the fields are part of the page of a decision. */
  form?: Form;
  choices: readonly DecisionChoice[];
  policy: DecisionPolicy;
  required: number;
  assignees: readonly string[];
  deadline: number;
};
