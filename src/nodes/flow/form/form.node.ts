import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { FieldError } from '../../../contract/errors.ts';
import { listFormFields, readForm } from '../../../contract/forms/form.ts';
import type { Question } from '../../../contract/node-orchestration.ts';
import type { NodeContext, Outcome } from '../../../contract/node-type.ts';
import { isObject, type JsonObject } from '../../../lib/json/json.ts';
import { escapeMarkdown } from '../../../lib/text/escape-markdown.ts';
import { defineNode } from '../../define-node.ts';
import { omitWrongDefaults } from '../../forms/field-check.ts';
import { validateFormContent } from '../../forms/form-check.ts';
import { createFormProperties } from '../../forms/form-schema.ts';
import { invalid } from '../../outcome.ts';
import { closed, duration } from '../../schema.ts';
import { ui } from '../../ui-hints.ts';
import { askPeople, isOutcome, logOmitted, readAsked } from '../approval/ask-people.ts';
import {
  DEFAULT_DEADLINE,
  MAX_TITLE_LENGTH,
  noticeFields,
  noticeSecrets,
  noticeTemplates,
  peopleFields,
  validateNotices,
} from '../approval/people-config.ts';
import { listSlackConnections } from '../approval/slack/slack-config.ts';

/** In characters. */
const MAX_DEFAULT_LENGTH = 20_000;
const SUBMITTED = 'submitted';

const FormConfig = closed({
  title: Type.String({
    minLength: 1,
    maxLength: MAX_TITLE_LENGTH,
    title: 'Title',
    ...ui({ order: 1, hint: '', placeholder: 'Documents for order {{ input.number }}' }),
    description: 'The title of the form, in one line.',
  }),
  ...createFormProperties({
    maxDefault: MAX_DEFAULT_LENGTH,
    defaultText: 'The initial value, for example one of the execution: {{ input.email }}.',
  }),
  assignees: peopleFields.assignees,
  deadline: Type.Optional(
    duration({
      default: DEFAULT_DEADLINE,
      description:
        'How long to wait for the form. Then the node continues through the port expired, or fails with timeout if nothing is connected to it.',
    }),
  ),
  ...noticeFields,
});
type FormConfig = Static<typeof FormConfig>;

const output = Type.Object({
  fields: Type.Object({}),
  submitted_at: Type.String(),
  submitted_by: Type.Object({ user_id: Type.Union([Type.String(), Type.Null()]), email: Type.String() }),
  decision_id: Type.String(),
});

export const form = defineNode({
  type: 'form',
  version: '1.0.0',
  name: 'Form request',
  category: 'flow',
  description:
    'Asks a person to fill in a form in the middle of a run, and continues with the submission. Each person who is asked gets a link, by e-mail or in the inbox. Files become files of the execution. The wait is stored on disk: it occupies no worker and survives restarts.',
  icon: 'clipboard-list',
  keywords: ['form', 'ask', 'input', 'questionnaire', 'survey', 'upload', 'documents'],
  config: FormConfig,
  templates: {
    'fields.*.type': 'literal',
    'fields.*.name': 'literal',
    'fields.*.show_when.field': 'literal',
    brand: 'literal',
    ...noticeTemplates,
  },
  output,
  outputs: [
    { name: SUBMITTED, type: 'object', description: 'The submission' },
    { name: 'expired', type: 'object', description: 'The decision, if the deadline passed first' },
  ],
  // People are asked only after the earlier results are on disk.
  effects: 'external',
  secrets: noticeSecrets,
  connections: listSlackConnections,
  keepsTime: true,
  check: validateFormNode,
  run: (ctx, config) =>
    askPeople(ctx, config, {
      question: (now) => readQuestion(ctx, config, now),
      outputs: (_choice, result) => ({ [SUBMITTED]: toSubmission(result) }),
    }),
  examples: [
    {
      title: 'Ask for the documents of an order',
      config: {
        title: 'Documents for order {{ input.order }}',
        assignees: ['{{ input.email }}'],
        email: { credentials: '{{ secrets.MAIL }}', from: 'Weft <weft@example.com>' },
        fields: [
          { type: 'text', name: 'tax_number', label: 'Tax number', required: true },
          { type: 'file', name: 'certificate', label: 'Certificate', accept: ['.pdf'], max: 5 },
        ],
        deadline: '7d',
      },
      input: { order: 17, email: 'ada@example.com' },
      outputs: {
        submitted: {
          fields: {
            tax_number: 'DE 0123',
            certificate: {
              $file: { id: 'file_1', name: 'certificate.pdf', content_type: 'application/pdf', size: 48_213 },
            },
          },
          submitted_at: '2030-01-31T09:00:00.000Z',
          submitted_by: { user_id: null, email: 'ada@example.com' },
          decision_id: 'dec_1',
        },
      },
    },
  ],
});

function validateFormNode(config: JsonObject): FieldError[] {
  const timeout =
    config['timeout'] === undefined
      ? []
      : [{ field: 'timeout', issue: 'is not supported by a form; use deadline' }];
  return [...timeout, ...validateFormContent(config, true), ...validateNotices(config)];
}

function readQuestion(ctx: NodeContext, config: FormConfig, now: number): Question | Outcome {
  const asked = readAsked(config, now);
  if (isOutcome(asked)) return asked;
  const { entries, omitted, others } = omitWrongDefaults(
    config.fields as JsonObject[],
    validateFormContent(config as JsonObject),
  );
  const [error] = others;
  if (error !== undefined) return invalid(error.field, error.issue);
  logOmitted(ctx, omitted);
  const read = readForm({ ...(config as JsonObject), fields: entries });
  return {
    ...asked,
    message: read.description === null ? null : escapeMarkdown(read.description),
    attachments: [],
    fields: listFormFields(read),
    form: read,
    choices: [{ name: SUBMITTED, label: read.submitLabel ?? 'Submit' }],
    policy: 'anyone',
    required: 1,
  };
}

/** The same names as in the output of a form trigger. */
function toSubmission(result: JsonObject): JsonObject {
  const { values = {}, decided_at = null, decision_id = null, responses } = result;
  const last = Array.isArray(responses) ? responses.at(-1) : null;
  const { user_id = null, email = null } = isObject(last) ? last : {};
  return { fields: values, submitted_at: decided_at, submitted_by: { user_id, email }, decision_id };
}
