import { createValidationError, WeftError, type FieldError } from '../../contract/errors.ts';
import { listFormFields, readForm, type Form, type FormField } from '../../contract/forms/form.ts';
import { createInitialValues, readEntered, type EnteredValues } from '../../contract/forms/form-values.ts';
import type { FormTexts } from '../../contract/forms/texts/form-texts.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import type { DecisionQuestion } from '../../ports/store/decisions.ts';
import { validateFields } from '../forms/validate-form.ts';

/** The values of one response. */
const MAX_VALUES_BYTES = 262_144;

/** A form of one page with these fields. */
export function toForm(title: string, fields: readonly FormField[]): Form {
  return { ...readForm({ title }), pages: [{ title: null, text: null, fields }] };
}

/**
 * The values of the fields that are shown; null when the question has no fields. A field that is not given
 * has its default. Only the first choice needs the required ones. @throws {WeftError} VALIDATION_ERROR with
 * fields such as `values.amount`.
 */
export function readValues(
  { fields = [], choices }: DecisionQuestion,
  choice: string,
  given: JsonObject = {},
  texts?: FormTexts,
): JsonObject | null {
  const names = new Set(fields.map(({ name }) => name));
  const known = names.size === 0 ? 'it has none' : `its fields are: ${[...names].join(', ')}`;
  const unknown = Object.keys(given)
    .filter((name) => !names.has(name))
    .map((field) => ({ field, issue: `is not a field of this decision; ${known}` }));
  if (fields.length === 0 && unknown.length === 0) return null;
  const files = fields
    .filter(({ type, name }) => type === 'file' && (given[name] ?? null) !== null)
    .map(({ name }) => ({
      field: name,
      issue: 'must be a file that is uploaded on the page of the form, form_url',
    }));
  const isFirst = choice === choices[0]?.name;
  const wanted = isFirst ? fields : fields.map((field) => ({ ...field, isRequired: false }));
  const form = toForm('', wanted);
  const { values, errors: wrong } = validateFields(form, wanted, readGiven(form, given), texts);
  // What is wrong with the kind of a value is named instead of an issue for people.
  const kinds = [...files, ...findWrongConsents(fields, given)];
  const errors = [
    ...unknown,
    ...wrong.filter(({ field }) => !kinds.some((kind) => kind.field === field)),
    ...kinds,
  ];
  if (errors.length > 0)
    throw createValidationError(errors.map(({ field, issue }) => ({ field: `values.${field}`, issue })));
  requireSmallValues(values);
  return values;
}

/** @throws {WeftError} PAYLOAD_TOO_LARGE */
export function requireSmallValues(values: JsonObject): void {
  if (Buffer.byteLength(JSON.stringify(values)) > MAX_VALUES_BYTES)
    throw new WeftError(
      'PAYLOAD_TOO_LARGE',
      `The values are larger than ${MAX_VALUES_BYTES} bytes of JSON.`,
      {
        field: 'values',
        limit: MAX_VALUES_BYTES,
      },
    );
}

function findWrongConsents(fields: readonly FormField[], given: JsonObject): FieldError[] {
  return fields
    .filter(
      ({ type, name }) => type === 'consent' && ![true, false, 'yes', null].includes(given[name] as never),
    )
    .filter(({ name }) => given[name] !== undefined)
    .map(({ name }) => ({ field: name, issue: 'must be true or false' }));
}

/** A field that `given` does not contain has its default. An empty value leaves it empty. */
function readGiven(form: Form, given: JsonObject): EnteredValues {
  const fields = listFormFields(form);
  const missing = new Set(fields.map(({ name }) => name).filter((name) => !Object.hasOwn(given, name)));
  const entered = new Map(readEntered(form, withConsents(fields, given)));
  for (const [name, value] of createInitialValues(form, {})) if (missing.has(name)) entered.set(name, value);
  return entered;
}

/** A page sends a consent as `yes`, and a program as true. */
function withConsents(fields: readonly FormField[], given: JsonObject): JsonObject {
  const consents = fields.filter(({ type, name }) => type === 'consent' && given[name] === true);
  return { ...given, ...Object.fromEntries(consents.map(({ name }) => [name, 'yes'])) };
}
