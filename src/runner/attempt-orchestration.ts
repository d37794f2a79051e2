import type { NodeOrchestration } from '../contract/node-orchestration.ts';
import { redactJson } from '../lib/text/redact-json.ts';
import { redactMarkdown } from '../lib/text/escape-markdown.ts';
import type { Orchestration } from '../ports/orchestration.ts';
import type { Attempt } from '../ports/runner.ts';

/** The access of one attempt to other executions and to people. Texts for people are redacted. */
export function createAttemptOrchestration(
  flow: Orchestration,
  attempt: Attempt,
  redact: (text: string) => string,
): NodeOrchestration {
  const { ownerId, executionId, workflowId, nodeId, path } = attempt;
  const caller = { ownerId, executionId, workflowId, nodeId, path, key: attempt.idempotencyKey };
  return {
    startChild: (child) => flow.startChild(caller, child),
    child: (id) => flow.child(ownerId, id),
    stopChild: (id) => flow.stopChild(ownerId, id),
    signal: () => flow.signal(caller),
    resumeUrl: () => flow.resumeUrl({ ownerId, executionId, path }),
    ask: (question) =>
      flow.ask(caller, {
        ...question,
        title: redact(question.title),
        fields: redactJson(question.fields, redact),
        ...(question.form === undefined ? {} : { form: redactJson(question.form, redact) }),
        attachments: question.attachments.map((file) => ({ ...file, name: redact(file.name) })),
        message: question.message === null ? null : redactMarkdown(question.message, redact),
      }),
    countNotice: (decisionId, person, notices) => flow.countNotice(decisionId, person, notices),
    hasMessage: (decisionId) => flow.hasMessage(decisionId),
    recordMessage: (message) => flow.recordMessage(message),
    endQuestion: () => flow.endQuestion(caller),
    notify: (notice) => flow.notify(caller, { ...notice, message: redact(notice.message) }),
    isConnected: (port) => attempt.isConnected(port),
  };
}
