import type { FieldError } from '../../contract/errors.ts';
import type { Form, FormField } from '../../contract/forms/form.ts';
import {
  acceptsFile,
  createFieldSchema,
  isShown,
  toValue,
  type EnteredValues,
} from '../../contract/forms/form-values.ts';
import { en } from '../../contract/forms/texts/en.ts';
import type { FormTexts } from '../../contract/forms/texts/form-texts.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { compileSchema, matchesSchema } from '../../nodes/data/json-schema/json-schema.ts';

/** One schema for each field, so that validation names every field that is wrong. */
const schemas = new WeakMap<FormField, JsonObject>();

/** The values of the shown fields, and an error for each that is wrong, in the language of `texts`. */
export function validateFields(
  form: Form,
  fields: readonly FormField[],
  entered: EnteredValues,
  texts: FormTexts = en,
): { values: JsonObject; errors: FieldError[] } {
  const values: JsonObject = {};
  const errors: FieldError[] = [];
  for (const field of fields) {
    if (!isShown(form, field, entered)) continue;
    const value = toValue(field, entered.get(field.name) ?? null);
    const issue = findIssue(field, value, texts.issues);
    if (issue !== null) errors.push({ field: field.name, issue });
    else if (value !== undefined) values[field.name] = value;
  }
  return { values, errors };
}

function findIssue(field: FormField, value: Json | undefined, texts: FormTexts['issues']): string | null {
  if (value === undefined) return field.isRequired ? texts.required : null;
  const schema = schemas.get(field) ?? createFieldSchema(field);
  schemas.set(field, schema);
  const check = compileSchema(schema);
  if (matchesSchema(check, value))
    return field.type !== 'file' || acceptsFile(field, value)
      ? null
      : texts.fileTypes(field.accept.join(', '));
  return describeIssue(field, check.errors?.[0]?.keyword ?? '', texts);
}

/** What to enter. `keyword`: of the JSON Schema that the value does not fulfill. */
function describeIssue({ type, min, max }: FormField, keyword: string, texts: FormTexts['issues']): string {
  const [least, most] = [min ?? 0, max ?? 0];
  switch (type) {
    case 'email':
      return texts.email;
    case 'date':
      return texts.date;
    case 'time':
      return texts.time;
    case 'date_time':
      return texts.dateTime;
    case 'consent':
      return texts.required;
    case 'choice':
      return texts.choice;
    case 'file':
      return keyword === 'maximum' ? texts.fileSize(most) : texts.file;
    case 'choices':
      if (keyword === 'minItems') return texts.minChoices(least);
      return keyword === 'maxItems' ? texts.maxChoices(most) : texts.choices;
    case 'number':
      if (keyword === 'minimum') return texts.minNumber(least);
      return keyword === 'maximum' ? texts.maxNumber(most) : texts.number;
    default:
      if (keyword === 'minLength') return texts.minText(least);
      if (keyword === 'maxLength') return texts.maxText(most);
      return keyword === 'pattern' ? texts.oneLine : texts.text;
  }
}
