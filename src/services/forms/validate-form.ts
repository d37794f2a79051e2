import type { ErrorObject } from 'ajv';
import type { FieldError } from '../../contract/errors.ts';
import type { Form, FormField } from '../../contract/forms/form.ts';
import {
  acceptsFile,
  fieldSchema,
  isShown,
  toValue,
  type Entered,
} from '../../contract/forms/form-values.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { compileSchema, fits } from '../../nodes/data/json-schema/json-schema.ts';
import { validateSchema } from '../../nodes/validate-schema.ts';

/** One schema for each field, so that validation names every field that is wrong. */
const schemas = new WeakMap<FormField, JsonObject>();

/** The values of the shown fields, and an error for each that is wrong. */
export function validateFields(
  form: Form,
  fields: readonly FormField[],
  entered: Entered,
): { values: JsonObject; errors: FieldError[] } {
  const values: JsonObject = {};
  const errors: FieldError[] = [];
  for (const field of fields) {
    if (!isShown(form, field, entered)) continue;
    const value = toValue(field, entered.get(field.name) ?? null);
    const issue = findIssue(field, value);
    if (issue !== null) errors.push({ field: field.name, issue });
    else if (value !== undefined) values[field.name] = value;
  }
  return { values, errors };
}

function findIssue(field: FormField, value: Json | undefined): string | null {
  if (value === undefined) return field.isRequired ? 'This field is required.' : null;
  const schema = schemas.get(field) ?? fieldSchema(field);
  schemas.set(field, schema);
  const check = compileSchema(schema);
  if (fits(check, value))
    return field.type !== 'file' || acceptsFile(field, value)
      ? null
      : `Choose a file of these types: ${field.accept.join(', ')}.`;
  const [error] = check.errors ?? [];
  return error === undefined ? 'This value is not valid.' : describeIssue(field, error, value);
}

/** For people who fill in a form: what to enter. */
function describeIssue(field: FormField, error: ErrorObject, value: Json): string {
  const { type, min, max } = field;
  switch (type) {
    case 'email':
      return 'Enter an email address, such as name@example.com.';
    case 'date':
      return 'Enter a date, such as 2026-01-31.';
    case 'time':
      return 'Enter a time, such as 14:30.';
    case 'date_time':
      return 'Enter a date and a time, such as 2026-01-31T14:30.';
    case 'consent':
      return 'This field is required.';
    case 'choice':
      return 'Choose one of the options.';
    case 'file':
      return error.keyword === 'maximum'
        ? `Choose a file of at most ${max} MB.`
        : 'Choose a file. If there was an error, choose it again.';
    case 'choices':
      if (error.keyword === 'minItems') return `Choose at least ${min} options.`;
      return error.keyword === 'maxItems' ? `Choose at most ${max} options.` : 'Choose from the options.';
    case 'number':
      if (error.keyword === 'minimum') return `Enter a number of at least ${min}.`;
      return error.keyword === 'maximum' ? `Enter a number of at most ${max}.` : 'Enter a number.';
    default:
      if (error.keyword === 'minLength') return `Enter at least ${min} characters.`;
      return error.keyword === 'maxLength'
        ? `Enter at most ${max} characters.`
        : `${validateSchema(error, value).issue}.`;
  }
}
