import { Type } from 'typebox';
import type { Static } from 'typebox';
import {
  MAX_ASSIGNEES,
  decisionPolicies,
  type DecisionChoice,
} from '../../../contract/decisions/decisions.ts';
import type { FieldError } from '../../../contract/errors.ts';
import { roles } from '../../../contract/principal.ts';
import { isObject, type JsonObject } from '../../../lib/json/json.ts';
import { parseDuration } from '../../../lib/time/duration.ts';
import { validateCredentials } from '../../connectors/credentials.ts';
import { readAddresses } from '../../connectors/mail-address.ts';
import { closed, duration, oneOfTexts } from '../../schema.ts';
import { formFieldTypes } from '../../../contract/forms/form.ts';
import { validateFormFields } from '../../forms/field-check.ts';
import { createFieldSchema } from '../../forms/field-schema.ts';
import { isTemplated } from '../../template-mode.ts';
import { ui } from '../../ui-hints.ts';

const MAX_FIELDS = 50;
const FIELD_TYPES = formFieldTypes.filter((type) => type !== 'file' && type !== 'page');
/** In characters. */
const MAX_DEFAULT = 20_000;
const DEFAULT_TEXT = 'The initial value, for example a draft that people may change: {{ nodes.draft.text }}.';
export const MAX_TITLE = 200;
export const DEFAULT_DEADLINE = '30d';
const DEFAULT_CHOICES: readonly DecisionChoice[] = [
  { name: 'approved', label: 'Approve' },
  { name: 'rejected', label: 'Reject' },
];
const CHOICE_NAME = /^[a-z][a-z0-9_]*$/;
const CHOICE_NAME_ISSUE = 'must consist of lower-case letters, digits and "_", and begin with a letter';
/** Ports that every approval has. */
const RESERVED_PORTS = new Set(['expired', 'error']);
export const PERSON_ISSUE = `must be an e-mail address or one of: ${roles.map((role) => `role:${role}`).join(', ')}`;

export const ApprovalConfig = closed({
  title: Type.String({
    minLength: 1,
    maxLength: MAX_TITLE,
    ...ui({ order: 1, placeholder: 'Expense of {{ input.amount }} EUR' }),
    description: 'The question, in one line.',
  }),
  message: Type.Optional(
    Type.String({
      maxLength: 20_000,
      ...ui({ order: 2 }),
      description: 'What people need to know to decide. Line breaks are kept.',
    }),
  ),
  fields: Type.Optional(
    Type.Array(createFieldSchema(FIELD_TYPES, { maxDefault: MAX_DEFAULT, defaultText: DEFAULT_TEXT }), {
      minItems: 1,
      maxItems: MAX_FIELDS,
      title: 'Form',
      ...ui({ advanced: true }),
      description:
        'Fields that people fill in. Required fields are required for the first choice only. The output contains them as values.',
    }),
  ),
  assignees: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 320 }), {
      maxItems: MAX_ASSIGNEES,
      ...ui({ order: 3 }),
      description:
        'Who is asked: e-mail addresses of users or of other people, role:admin or role:member. Users with a role are determined when the node asks. Default: you.',
    }),
  ),
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
  email: Type.Optional(
    closed(
      {
        credentials: Type.String({
          minLength: 1,
          ...ui({ control: 'secret' }),
          description:
            'The SMTP server: a secret with smtp://user:password@host:port, or smtps:// for implicit TLS, as in the node Email.',
        }),
        from: Type.String({
          minLength: 1,
          ...ui({ placeholder: 'Weft <weft@example.com>', hint: '' }),
          description: 'The sender: one address such as Weft <weft@example.com>.',
        }),
      },
      {
        title: 'E-mail',
        ...ui({ advanced: true }),
        description:
          'Sends each person an e-mail with a link to a page with the question. Required for people without an account.',
      },
    ),
  ),
  reminders: Type.Optional(
    Type.Array(duration(), {
      maxItems: 10,
      ...ui({ advanced: true }),
      description:
        'When people who have not responded get the e-mail again: durations since the question, in ascending order, such as 1d and 3d.',
    }),
  ),
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
  const { policy, required, assignees, timeout } = config;
  const errors: FieldError[] = [];
  if (timeout !== undefined)
    errors.push({ field: 'timeout', issue: 'is not supported by an approval; use deadline' });
  if (policy === 'at_least' && required === undefined)
    errors.push({ field: 'required', issue: 'is required for the policy at_least' });
  if (policy !== 'at_least' && required !== undefined)
    errors.push({ field: 'required', issue: 'is only supported by the policy at_least' });
  errors.push(...validateFields(config, true));
  errors.push(...validatePeople(assignees, 'assignees'));
  const { email, reminders, escalation } = config;
  if (isObject(email)) errors.push(...validateEmail(email));
  const times = (Array.isArray(reminders) ? reminders : []).map((text) =>
    typeof text === 'string' ? parseDuration(text) : null,
  );
  for (const [i, time] of times.entries())
    if (time !== null && i > 0 && time <= (times[i - 1] ?? time))
      errors.push({ field: `reminders[${i}]`, issue: 'must be longer than the reminder before it' });
  if (times.length > 0 && email === undefined)
    errors.push({ field: 'email', issue: 'is required for reminders' });
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

/** With `hasTemplates`, before the templates of the configuration are evaluated. */
export function validateFields({ fields }: JsonObject, hasTemplates: boolean): FieldError[] {
  return validateFormFields((Array.isArray(fields) ? fields : []).filter(isObject), hasTemplates);
}

function validatePeople(people: unknown, field: string): FieldError[] {
  return (Array.isArray(people) ? people : []).flatMap((person, i) =>
    typeof person === 'string' && !isTemplated(person) && !isPerson(person)
      ? [{ field: `${field}[${i}]`, issue: PERSON_ISSUE }]
      : [],
  );
}

function validateEmail({ credentials, from }: JsonObject): FieldError[] {
  const errors = validateCredentials({ credentials: credentials ?? null }).map(({ issue }) => ({
    field: 'email.credentials',
    issue,
  }));
  if (typeof from === 'string' && !isTemplated(from) && toAddress(from) === null)
    errors.push({ field: 'email.from', issue: 'must be exactly one address' });
  return errors;
}

export function isPerson(text: string): boolean {
  return roles.some((role) => text === `role:${role}`) || toAddress(text) !== null;
}

/** Null unless the text is exactly one e-mail address. */
export function toAddress(text: string): string | null {
  const found = readAddresses(text);
  return typeof found === 'string' || found.length !== 1 ? null : (found[0]?.address ?? null);
}
