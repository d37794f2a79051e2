import { Type } from 'typebox';
import type { QuestionResult, Question } from '../../../contract/node-flow.ts';
import type { NodeContext, Outcome } from '../../../contract/node-type.ts';
import { formFields, readForm } from '../../../contract/forms/form.ts';
import { isObject, type JsonObject } from '../../../lib/json/json.ts';
import { parseDuration } from '../../../lib/time/duration.ts';
import { defineNode } from '../../define-node.ts';
import { invalid } from '../../outcome.ts';
import {
  ApprovalConfig,
  DEFAULT_DEADLINE,
  MAX_TITLE,
  PERSON_ISSUE,
  isPerson,
  listChoices,
  toAddress,
  validateApproval,
  validateFields,
} from './approval-config.ts';
import { sendNotices } from './approval-notice.ts';

export const approval = defineNode({
  type: 'approval',
  version: '1.0.0',
  name: 'Approval',
  category: 'flow',
  description:
    'Asks people to approve, reject, or make another choice, and continues through the port of the choice. The question is in the inbox of each user who is asked, and an e-mail can bring each person a link to a page with the question. The wait is stored on disk: it occupies no worker and survives restarts.',
  icon: 'user-check',
  keywords: [
    'approve',
    'reject',
    'human in the loop',
    'decision',
    'review',
    'confirm',
    'ask',
    'inbox',
    'sign off',
    'four eyes',
  ],
  config: ApprovalConfig,
  templates: {
    policy: 'literal',
    'choices.*.name': 'literal',
    'fields.*.type': 'literal',
    'fields.*.name': 'literal',
    'fields.*.show_when.field': 'literal',
  },
  output: Type.Object({
    decision_id: Type.String(),
    choice: Type.String(),
    decided_at: Type.String(),
    decided_by: Type.String(),
    comment: Type.Union([Type.String(), Type.Null()]),
    values: Type.Object({}),
    responses: Type.Array(
      Type.Object({
        email: Type.String(),
        user_id: Type.Union([Type.String(), Type.Null()]),
        choice: Type.String(),
        comment: Type.Union([Type.String(), Type.Null()]),
        values: Type.Object({}),
        via: Type.String(),
        responded_at: Type.String(),
      }),
    ),
  }),
  outputs: [
    { name: 'expired', type: 'object', description: 'The responses so far, if the deadline passed first' },
  ],
  dynamicOutputs: (config) =>
    listChoices(config).map(({ name, label }) => ({
      name,
      type: 'object',
      description: `Who decided, when and how, if the choice was ${label}`,
    })),
  // People are asked only after the earlier results are on disk.
  effects: 'external',
  secrets: { 'email.credentials': 'request' },
  keepsTime: true,
  check: validateApproval,
  run: ask,
  examples: [
    {
      title: 'Two of three people approve an expense',
      config: {
        title: 'Expense of {{ input.amount }} EUR',
        message: '{{ input.purpose }}',
        assignees: ['ada@example.com', 'bob@example.com', 'eve@example.com'],
        policy: 'at_least',
        required: 2,
        deadline: '7d',
      },
      input: { amount: 250, purpose: 'A chair' },
      outputs: {
        approved: {
          decision_id: 'dec_1',
          choice: 'approved',
          decided_at: '2030-01-31T09:00:00.000Z',
          decided_by: 'bob@example.com',
          comment: null,
          values: {},
          responses: [],
        },
      },
    },
  ],
});

async function ask(ctx: NodeContext, config: ApprovalConfig): Promise<Outcome> {
  const result = await ctx.flow.signal();
  if (isObject(result) && typeof result['choice'] === 'string')
    return { kind: 'done', outputs: { [result['choice']]: result } };
  const { resumed } = ctx;
  if (resumed !== null && ctx.now() < resumed.due) return { kind: 'wait', until: resumed.due, event: true };
  return proceed(ctx, config);
}

/** Does what is due: asks, reminds, escalates or ends. Each step is recorded, so that none is repeated. */
async function proceed(ctx: NodeContext, config: ApprovalConfig): Promise<Outcome> {
  const now = ctx.now();
  const question = readQuestion(config, now);
  if (isOutcome(question)) return question;
  const first = await ctx.flow.ask(question);
  if (first.kind === 'refused') return invalid(first.field, first.issue);
  const { askedAt, deadline } = first;
  if (now >= deadline) return end(ctx, config);
  const { escalation, reminders = [] } = config;
  const reminderTimes = reminders.map((reminder) => askedAt + toMs(reminder));
  const escalationTimes = escalation === undefined ? [] : [askedAt + toMs(escalation.after)];
  let asked: QuestionResult = first;
  if (escalation !== undefined && escalationTimes.some((time) => now >= time)) {
    const more = readPeople(escalation.assignees, 'escalation.assignees');
    if (isOutcome(more)) return more;
    asked = await ctx.flow.ask({ ...question, assignees: [...question.assignees, ...more] });
    if (asked.kind === 'refused') return invalid(`escalation.${asked.field}`, asked.issue);
  }
  const notices = 1 + reminderTimes.filter((time) => now >= time).length;
  const failure = await sendNotices(ctx, config, question, asked, notices);
  if (failure !== null) return failure;
  if (ctx.resumed === null)
    ctx.log('info', `Waiting for a decision of ${asked.people.map(({ email }) => email).join(', ')}`, {
      decision_id: asked.decisionId,
    });
  const next = [...reminderTimes, ...escalationTimes].filter((time) => time > now);
  return { kind: 'wait', until: Math.min(deadline, ...next), event: true };
}

const CONTROL_CHARACTERS = /[\p{Cc}\p{Cs}\u2028\u2029]/u;

const isOutcome = (value: object): value is Outcome => 'kind' in value;

function readQuestion(config: ApprovalConfig, now: number): Question | Outcome {
  const { title, message, policy = 'anyone', required = 1 } = config;
  // It becomes the subject of an e-mail.
  if (CONTROL_CHARACTERS.test(title))
    return invalid('title', 'must not contain line breaks or other control characters');
  if (title.length > MAX_TITLE) return invalid('title', `must have at most ${MAX_TITLE} characters`);
  const assignees = readPeople(config.assignees ?? [], 'assignees');
  if (isOutcome(assignees)) return assignees;
  const [error] = validateFields(config, false);
  if (error !== undefined) return invalid(error.field, error.issue);
  return {
    title,
    message: message ?? null,
    fields: formFields(readForm({ fields: config.fields ?? [] } as JsonObject)),
    choices: listChoices(config),
    policy,
    required,
    assignees,
    deadline: now + toMs(config.deadline ?? DEFAULT_DEADLINE),
  };
}

function readPeople(people: readonly string[], field: string): string[] | Outcome {
  const wrong = people.findIndex((person) => !isPerson(person));
  if (wrong >= 0) return invalid(`${field}[${wrong}]`, PERSON_ISSUE);
  return people.map((person) => toAddress(person) ?? person);
}

const toMs = (text: string): number => parseDuration(text) ?? 0;

async function end(ctx: NodeContext, config: ApprovalConfig): Promise<Outcome> {
  const { choice, result } = await ctx.flow.endQuestion();
  if (choice !== null) return { kind: 'done', outputs: { [choice]: result } };
  if (ctx.flow.isConnected('expired')) return { kind: 'done', outputs: { expired: result } };
  const message = `No decision was made within ${config.deadline ?? DEFAULT_DEADLINE}.`;
  return { kind: 'failed', error: { type: 'timeout', message } };
}
