import { Type } from 'typebox';
import type { Static } from 'typebox';
import {
  MAX_ASSIGNEES,
  MAX_ATTACHMENTS,
  decisionPolicies,
  type DecisionChoice,
} from '../../../contract/decisions/decisions.ts';
import type { FieldError } from '../../../contract/errors.ts';
import { isObject, type Json, type JsonObject } from '../../../lib/json/json.ts';
import { isFileReference } from '../../http/file-field.ts';
import { closed, duration, oneOfTexts } from '../../schema.ts';
import { formFieldTypes } from '../../../contract/forms/form.ts';
import { validateFormFields } from '../../forms/field-check.ts';
import { createFieldSchema } from '../../forms/field-schema.ts';
import { isTemplated } from '../../template-mode.ts';
import { ui } from '../../ui-hints.ts';
import {
  DEFAULT_DEADLINE,
  MAX_TITLE_LENGTH,
  noticeFields,
  peopleFields,
  validateNotices,
  validatePeople,
} from './people-config.ts';

const MAX_FIELDS = 50;
const FIELD_TYPES = formFieldTypes.filter((type) => type !== 'file' && type !== 'page');
/** In characters. */
const MAX_DEFAULT_LENGTH = 20_000;
const DEFAULT_TEXT = 'The initial value, for example a draft that people may change: {{ nodes.draft.text }}.';
const DEFAULT_CHOICES: readonly DecisionChoice[] = [
  { name: 'approved', label: 'Approve' },
  { name: 'rejected', label: 'Reject' },
];
const CHOICE_NAME = /^[a-z][a-z0-9_]*$/;
const CHOICE_NAME_ISSUE = 'must consist of lower-case letters, digits and "_", and begin with a letter';
/** Ports that every approval has. */
const RESERVED_PORTS = new Set(['expired', 'error']);

export const ApprovalConfig = closed({
  title: Type.String({
    minLength: 1,
    maxLength: MAX_TITLE_LENGTH,
    ...ui({ order: 1, placeholder: 'Expense of {{ input.amount }} EUR' }),
    description: 'The question, in one line.',
  }),
  message: Type.Optional(
    Type.String({
      maxLength: 20_000,
      ...ui({ order: 2 }),
      description:
        'What people need to know to decide, in Markdown. Values of expressions are shown as plain text. HTML and images are not shown.',
    }),
  ),
  attachments: Type.Optional(
    Type.Unsafe<Json[]>({
      type: ['array', 'string'],
      maxItems: MAX_ATTACHMENTS,
      title: 'Attachments',
      ...ui({ advanced: true }),
      description:
        'Files of the execution ({"$file": …}) that people can download, such as {{ trigger.fields.invoice }}. A template may return the list.',
    }),
  ),
  fields: Type.Optional(
    Type.Array(
      createFieldSchema(FIELD_TYPES, { maxDefault: MAX_DEFAULT_LENGTH, defaultText: DEFAULT_TEXT }),
      {
        minItems: 1,
        maxItems: MAX_FIELDS,
        title: 'Form',
        ...ui({ advanced: true }),
        description:
          'Fields that people fill in. Required fields are required for the first choice only. The output contains them as values.',
      },
    ),
  ),
  assignees: peopleFields.assignees,
  policy: Type.Optional(
    oneOfTexts(decisionPolicies, {
      default: 'anyone',
      title: 'Who must respond',
      ...ui({
        order: 4,
        hint: '',
        labels: { anyone: 'Anyone', everyone: 'Everyone', at_least: 'At least a number' },
      }),
      description:
        'anyone: the first response decides. everyone: all must make the first choice. at_least: the number in required must make the first choice. When the first choice cannot be reached any more, the most frequent other choice is made.',
    }),
  ),
  required: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_ASSIGNEES,
      ...ui({ order: 5, showWhen: { policy: 'at_least' } }),
      description: 'For the policy at_least: how many people must make the first choice.',
    }),
  ),
  choices: Type.Optional(
    Type.Array(
      closed({
        name: Type.String({ minLength: 1, maxLength: 64, description: 'The output port of this choice.' }),
        label: Type.String({ minLength: 1, maxLength: 60, description: 'The text of the button.' }),
      }),
      {
        minItems: 2,
        maxItems: 10,
        ...ui({ advanced: true }),
        description: 'The choices. Default: approved (Approve) and rejected (Reject).',
      },
    ),
  ),
  deadline: Type.Optional(
    duration({
      default: DEFAULT_DEADLINE,
      description:
        'How long to wait for a decision. Then the node continues through the port expired, or fails with timeout if nothing is connected to it.',
    }),
  ),
  ...noticeFields,
  escalation: Type.Optional(
    closed(
      {
        after: duration({ description: 'When to ask more people: a duration since the question.' }),
        assignees: Type.Array(Type.String({ minLength: 1, maxLength: 320 }), {
          minItems: 1,
          maxItems: MAX_ASSIGNEES,
          description: 'Who is asked then, in the same format as assignees.',
        }),
      },
      {
        title: 'Escalation',
        ...ui({ advanced: true }),
        description:
          'Asks more people if no decision was made. The number of responses that the first choice needs stays the same.',
      },
    ),
  ),
});
export type ApprovalConfig = Static<typeof ApprovalConfig>;
export function listChoices(config: JsonObject): readonly DecisionChoice[] {
  const { choices } = config as Partial<ApprovalConfig>;
  return choices ?? DEFAULT_CHOICES;
}

export function validateApproval(config: JsonObject): FieldError[] {
  const { policy, required, escalation, timeout } = config;
  const errors: FieldError[] = [];
  if (timeout !== undefined)
    errors.push({ field: 'timeout', issue: 'is not supported by an approval; use deadline' });
  if (policy === 'at_least' && required === undefined)
    errors.push({ field: 'required', issue: 'is required for the policy at_least' });
  if (policy !== 'at_least' && required !== undefined)
    errors.push({ field: 'required', issue: 'is only supported by the policy at_least' });
  errors.push(...validateAttachments(config), ...validateFields(config, true));
  errors.push(...validateNotices(config));
  if (isObject(escalation)) errors.push(...validatePeople(escalation['assignees'], 'escalation.assignees'));
  const names = new Set<string>();
  for (const [i, { name }] of listChoices(config).entries()) {
    if (!CHOICE_NAME.test(name)) errors.push({ field: `choices[${i}].name`, issue: CHOICE_NAME_ISSUE });
    else if (RESERVED_PORTS.has(name))
      errors.push({ field: `choices[${i}].name`, issue: `must not be ${name}, which every approval has` });
    else if (names.has(name))
      errors.push({ field: `choices[${i}].name`, issue: `repeats the choice ${name}` });
    names.add(name);
  }
  return errors;
}

/** Files are opened when the node runs. */
export function validateAttachments({ attachments }: JsonObject): FieldError[] {
  if (attachments === undefined || isTemplated(attachments)) return [];
  if (!Array.isArray(attachments)) return [{ field: 'attachments', issue: 'must be a list of files' }];
  return attachments.flatMap((one, i) =>
    isTemplated(one) || isFileReference(one)
      ? []
      : [{ field: `attachments[${i}]`, issue: 'must be a file ({"$file": …})' }],
  );
}

/** With `hasTemplates`, before the templates of the configuration are evaluated. */
export function validateFields({ fields }: JsonObject, hasTemplates: boolean): FieldError[] {
  return validateFormFields((Array.isArray(fields) ? fields : []).filter(isObject), hasTemplates);
}
