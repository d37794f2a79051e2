import { Type } from 'typebox';
import type { DecisionAttachment } from '../../../contract/decisions/decisions.ts';
import type { Question } from '../../../contract/node-orchestration.ts';
import type { NodeContext, Outcome } from '../../../contract/node-type.ts';
import { listFormFields, readForm } from '../../../contract/forms/form.ts';
import type { JsonObject } from '../../../lib/json/json.ts';
import { defineNode } from '../../define-node.ts';
import { isFileReference } from '../../http/file-field.ts';
import { omitWrongDefaults } from '../../forms/field-check.ts';
import { invalid } from '../../outcome.ts';
import {
  ApprovalConfig,
  listChoices,
  validateApproval,
  validateAttachments,
  validateFields,
} from './approval-config.ts';
import { askPeople, isOutcome, logOmitted, readAsked } from './ask-people.ts';
import { noticeSecrets, noticeTemplates } from './people-config.ts';
import { listSlackConnections } from './slack/slack-config.ts';

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
    'wait for approval',
    'ask',
    'inbox',
    'sign off',
    'four eyes',
  ],
  config: ApprovalConfig,
  templates: {
    message: 'markdown',
    policy: 'literal',
    'choices.*.name': 'literal',
    'fields.*.type': 'literal',
    'fields.*.name': 'literal',
    'fields.*.show_when.field': 'literal',
    ...noticeTemplates,
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
  secrets: noticeSecrets,
  connections: listSlackConnections,
  keepsTime: true,
  check: validateApproval,
  run: (ctx, config) =>
    askPeople(ctx, config, {
      question: (now) => readQuestion(ctx, config, now),
      outputs: (choice, result) => ({ [choice]: result }),
    }),
  examples: [
    {
      title: 'Two of three people approve an expense',
      config: {
        title: 'Expense of {{ input.amount }} EUR',
        message: '**Purpose**: {{ input.purpose }}\n\n[Travel rules](https://example.com/rules)',
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

async function readQuestion(
  ctx: NodeContext,
  config: ApprovalConfig,
  now: number,
): Promise<Question | Outcome> {
  const { message, policy = 'anyone', required = 1 } = config;
  const asked = readAsked(config, now);
  if (isOutcome(asked)) return asked;
  const { entries, omitted, others } = omitWrongDefaults(
    (config.fields ?? []) as JsonObject[],
    validateFields(config, false),
  );
  const [error] = [...validateAttachments(config as JsonObject), ...others];
  if (error !== undefined) return invalid(error.field, error.issue);
  logOmitted(ctx, omitted);
  // The question is asked once. A reminder needs the files no more.
  const attachments = ctx.resumed === null ? await findAttachments(ctx, config) : [];
  if (!Array.isArray(attachments)) return attachments;
  return {
    ...asked,
    message: message === undefined || message === '' ? null : message,
    attachments,
    fields: listFormFields(readForm({ fields: entries })),
    choices: listChoices(config),
    policy,
    required,
  };
}

/** A file that is named twice is attached once. */
async function findAttachments(
  ctx: NodeContext,
  { attachments = [] }: ApprovalConfig,
): Promise<DecisionAttachment[] | Outcome> {
  const found = new Map<string, DecisionAttachment>();
  for (const [i, reference] of attachments.entries()) {
    if (!isFileReference(reference)) continue;
    const { id } = reference.$file;
    const file = await ctx.files.open(reference);
    if (file === null) return invalid(`attachments[${i}]`, `must be a file of this execution, not ${id}`);
    found.set(id, { id, name: file.name, contentType: file.contentType, size: file.size });
  }
  return [...found.values()];
}
