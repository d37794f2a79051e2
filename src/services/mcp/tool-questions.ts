import { createValidationError } from '../../contract/errors.ts';
import type { FormField } from '../../contract/forms/form.ts';
import type { Principal } from '../../contract/principal.ts';
import type { Engine } from '../../engine/engine-api.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import type { DecisionRow, DecisionStore } from '../../ports/store/decisions.ts';
import type { ExecutionRow } from '../../ports/store/execution-row.ts';
import type { ExecutionStore } from '../../ports/store/executions.ts';
import { hasScope } from '../authorize.ts';
import type { Decisions } from '../decisions/decisions.service.ts';
import type { Resume } from '../executions/resume.service.ts';
import type { ResumeUrls } from '../executions/resume-url.ts';

/** What an execution asks its caller. `path` of the node run that waits. */
export type ToolQuestion =
  | { readonly kind: 'decision'; readonly path: string; readonly decision: DecisionRow }
  | { readonly kind: 'event'; readonly path: string; readonly nodeId: string };

/** The response of a client: accepted with values, declined, or without a choice. */
export type QuestionResponse = {
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content: JsonObject;
};

const EVENT_NODE_TYPE = 'wait_for_event';

/** The questions that executions ask their callers: decisions of the caller, and events. */
export function createToolQuestions(deps: {
  readonly engine: Pick<Engine, 'waiting'>;
  readonly executions: Pick<ExecutionStore, 'readSignal'>;
  readonly decisions: Pick<DecisionStore, 'findByRun'>;
  readonly decisionService: Pick<Decisions, 'respond'>;
  readonly resume: Resume;
  readonly resumeUrls: ResumeUrls;
}) {
  async function readDecision(principal: Principal, row: ExecutionRow, path: string) {
    const decision = await deps.decisions.findByRun(row.ownerId, row.id, path);
    if (decision?.status !== 'open' || !hasScope(principal, 'decisions:write')) return null;
    const own = decision.assignees.find(({ assignee }) => assignee === principal.userId);
    const needsFile = decision.question.fields?.some(({ type, isRequired }) => type === 'file' && isRequired);
    return own === undefined || own.respondedAt !== null || needsFile === true ? null : decision;
  }

  async function respondToDecision(
    principal: Principal,
    decisionId: string,
    { choice, comment, ...values }: JsonObject,
  ): Promise<void> {
    await deps.decisionService.respond(principal, decisionId, {
      choice,
      ...(comment !== undefined && { comment }),
      ...(Object.keys(values).length > 0 && { values }),
    });
  }

  return {
    /** The questions that the caller can respond to now. */
    async find(principal: Principal, row: ExecutionRow): Promise<ToolQuestion[]> {
      const found: ToolQuestion[] = [];
      for (const { type, path, nodeId } of await deps.engine.waiting(row)) {
        if (type === EVENT_NODE_TYPE) {
          // The execution may not have continued yet.
          const received = await deps.executions.readSignal(row.ownerId, row.id, path);
          if (received === null) found.push({ kind: 'event', path, nodeId });
          continue;
        }
        const decision = await readDecision(principal, row, path);
        if (decision !== null) found.push({ kind: 'decision', path, decision });
      }
      return found;
    },

    /**
     * Passes a response to the execution; returns whether it was one. Declining a question with two choices
     * makes the second one. Any other question stays open.
     * @throws {WeftError} VALIDATION_ERROR for values that do not fit the question
     */
    async respond(
      principal: Principal,
      row: ExecutionRow,
      question: ToolQuestion,
      response: QuestionResponse,
    ): Promise<boolean> {
      const { action, content } = response;
      if (question.kind === 'event') {
        if (action !== 'accept') return false;
        const token = deps.resumeUrls.createToken({
          ownerId: row.ownerId,
          executionId: row.id,
          path: question.path,
        });
        await deps.resume.post(token, content);
        return true;
      }
      const { choices, fields = [] } = question.decision.question;
      if (action === 'accept') {
        const choice = content['choice'] ?? choices[0]?.name ?? null;
        const unknown = Object.keys(content).filter((name) => !isKnown(name, fields));
        if (unknown.length > 0)
          throw createValidationError(unknown.map((name) => ({ field: name, issue: 'was not asked for' })));
        await respondToDecision(principal, question.decision.id, { ...content, choice });
        return true;
      }
      const [, second, third] = choices;
      if (action === 'cancel' || second === undefined || third !== undefined) return false;
      await respondToDecision(principal, question.decision.id, { choice: second.name });
      return true;
    },
  };
}

export type ToolQuestions = ReturnType<typeof createToolQuestions>;

function isKnown(name: string, fields: readonly FormField[]): boolean {
  return name === 'choice' || name === 'comment' || fields.some((field) => field.name === name);
}

/** The JSON Schema of the values that a question asks for: a flat object, as clients show it as a form. */
export function createQuestionSchema(question: ToolQuestion): JsonObject {
  if (question.kind === 'event')
    return {
      type: 'object',
      properties: { data: { type: 'string', title: 'Data', description: 'The workflow continues with it.' } },
    };
  const { choices, fields = [] } = question.decision.question;
  const shown = fields.filter(({ type }) => type !== 'file' && type !== 'hidden' && type !== 'page');
  return {
    type: 'object',
    properties: {
      choice: {
        type: 'string',
        title: 'Decision',
        oneOf: choices.map(({ name, label }) => ({ const: name, title: label })),
        ...(choices[0] && { default: choices[0].name }),
      },
      ...Object.fromEntries(shown.map((field) => [field.name, fieldOfQuestion(field)])),
      comment: { type: 'string', title: 'Comment', maxLength: 5_000 },
    },
    required: ['choice', ...shown.filter(isAlwaysRequired).map(({ name }) => name)],
  };
}

function isAlwaysRequired({ isRequired, showWhen, type }: FormField): boolean {
  return isRequired && showWhen === null && type !== 'consent';
}

function fieldOfQuestion(field: FormField): JsonObject {
  const { type, label, hint, options } = field;
  const common: JsonObject = { title: label, ...(hint !== null && { description: hint }) };
  switch (type) {
    case 'number':
      return { type: 'number', ...common };
    case 'consent':
      return { type: 'boolean', ...common };
    case 'choice':
      return { type: 'string', enum: [...options] as Json[], ...common };
    case 'choices':
      return { type: 'array', items: { type: 'string', enum: [...options] as Json[] }, ...common };
    case 'email':
    case 'date':
      return { type: 'string', format: type, ...common };
    default:
      return { type: 'string', ...common };
  }
}
