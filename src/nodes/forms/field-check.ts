import type { FieldError } from '../../contract/errors.ts';
import {
  conditionTypes,
  listFormFields,
  optionTypes,
  readForm,
  type Form,
  type FormField,
  type FormFieldType,
} from '../../contract/forms/form.ts';
import { createFieldSchema, toValue } from '../../contract/forms/form-values.ts';
import { isObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { compileSchema, matchesSchema } from '../data/json-schema/json-schema.ts';
import { isTemplated } from '../template-mode.ts';

const NAME = /^[A-Za-z][A-Za-z0-9_]*$/;
const ACCEPT = /^(?:\.[A-Za-z0-9]+|[a-z]+\/(?:\*|[A-Za-z0-9.+-]+))$/;
const TEXT_TYPES: readonly FormFieldType[] = ['text', 'long_text'];

/** The properties that only some types have. */
const typesOfProperty: Readonly<Record<string, readonly FormFieldType[]>> = {
  options: optionTypes,
  accept: ['file'],
  min: [...TEXT_TYPES, 'number', 'choices'],
  max: [...TEXT_TYPES, 'number', 'choices', 'file'],
};
const NO_DEFAULT: readonly FormFieldType[] = ['consent', 'file', 'page'];

const DEFAULT_ERROR = /^fields\[(\d+)\]\.default$/;

/**
 * Splits the errors of evaluated fields. What an execution prints into a default is not known when the
 * workflow is saved, so a wrong one leaves its field empty. `entries`: the fields without wrong defaults.
 */
export function omitWrongDefaults(
  entries: readonly JsonObject[],
  errors: readonly FieldError[],
): { entries: JsonObject[]; omitted: FieldError[]; others: FieldError[] } {
  const omitted = errors.filter(({ field }) => DEFAULT_ERROR.test(field));
  const indexes = new Set(omitted.map(({ field }) => Number(DEFAULT_ERROR.exec(field)?.[1])));
  const kept = entries.map(({ default: initial, ...entry }, i) =>
    initial === undefined || indexes.has(i) ? entry : { ...entry, default: initial },
  );
  return { entries: kept, omitted, others: errors.filter((error) => !omitted.includes(error)) };
}

/**
 * What the schema of a field cannot express. With `hasTemplates`, a default may be a template, whose value is
 * not known yet.
 */
export function validateFormFields(entries: readonly JsonObject[], hasTemplates = false): FieldError[] {
  const form = readForm({ fields: [...entries] });
  return entries.flatMap((entry, i) => {
    const { default: initial } = entry;
    const isKnown = !hasTemplates || typeof initial !== 'string' || !isTemplated(initial);
    return validateEntry(entry, form, `fields[${i}]`, entries.slice(0, i), isKnown);
  });
}

function validateEntry(
  entry: JsonObject,
  form: Form,
  at: string,
  before: readonly JsonObject[],
  isDefaultKnown: boolean,
): FieldError[] {
  const { type, name } = entry as { type: FormFieldType; name?: string };
  const errors: FieldError[] = [];
  const add = (key: string, issue: string): void => void errors.push({ field: `${at}.${key}`, issue });
  for (const [key, types] of Object.entries(typesOfProperty))
    if (entry[key] !== undefined && !types.includes(type)) add(key, `is not supported by the type ${type}`);
  if (entry['default'] !== undefined && NO_DEFAULT.includes(type))
    add('default', `is not supported by the type ${type}`);
  if (type === 'page') {
    for (const key of ['name', 'required', 'show_when'])
      if (entry[key] !== undefined) add(key, 'is not supported by the type page');
    return errors;
  }
  if (name === undefined) add('name', 'is required');
  else if (!NAME.test(name)) add('name', 'must consist of letters, digits and "_", and begin with a letter');
  else if (before.some((other) => other['name'] === name)) add('name', 'is used by another field');
  if (optionTypes.includes(type)) {
    const options = texts(entry['options']);
    if (options.length === 0) add('options', `is required by the type ${type}`);
    else if (new Set(options).size < options.length) add('options', 'must not have the same entry twice');
  }
  if (type === 'hidden' && entry['required'] === true) add('required', 'is not supported by the type hidden');
  const accept = Array.isArray(entry['accept']) ? entry['accept'] : [];
  accept.forEach((one, i) => {
    if (typeof one !== 'string' || !ACCEPT.test(one))
      add(`accept[${i}]`, 'must be a media type such as image/* or an extension such as .pdf');
  });
  errors.push(...validateLimits(entry, type, at));
  const field = listFormFields(form).find((one) => one.name === name);
  if (errors.length === 0 && isDefaultKnown && field !== undefined && field.default !== '')
    errors.push(...validateDefault(field, at));
  errors.push(...validateCondition(entry['show_when'], at, before));
  return errors;
}

function validateLimits({ min, max }: JsonObject, type: FormFieldType, at: string): FieldError[] {
  const errors: FieldError[] = [];
  if (type !== 'number')
    for (const [key, value] of Object.entries({ min, max }))
      if (typeof value === 'number' && (value < 0 || (type !== 'file' && !Number.isInteger(value))))
        errors.push({ field: `${at}.${key}`, issue: 'must be a whole number of at least 0' });
  if (typeof min === 'number' && typeof max === 'number' && min > max)
    errors.push({ field: `${at}.max`, issue: 'must not be less than min' });
  return errors;
}

function validateDefault(field: FormField, at: string): FieldError[] {
  const entered: Json = field.type === 'choices' ? [field.default] : field.default;
  const value = toValue(field, entered);
  const check = compileSchema(createFieldSchema({ ...field, min: null }));
  return value === undefined || matchesSchema(check, value)
    ? []
    : [{ field: `${at}.default`, issue: 'must be a valid value of this field' }];
}

function validateCondition(
  condition: Json | undefined,
  at: string,
  before: readonly JsonObject[],
): FieldError[] {
  if (!isObject(condition)) return [];
  const source = before.find(({ name }) => name === condition['field']);
  if (source === undefined || !conditionTypes.includes(source['type'] as FormFieldType))
    return [
      {
        field: `${at}.show_when.field`,
        issue: 'must be the name of an earlier field of type choice, choices or consent',
      },
    ];
  const { equals } = condition;
  const options = texts(source['options']);
  if (
    source['type'] === 'consent'
      ? typeof equals === 'boolean'
      : typeof equals === 'string' && options.includes(equals)
  )
    return [];
  const issue =
    source['type'] === 'consent' ? 'must be true or false' : `must be one of ${options.join(', ')}`;
  return [{ field: `${at}.show_when.equals`, issue }];
}

function texts(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}
