import type { Json, JsonObject } from '../../lib/json/json.ts';
import { isObject } from '../../lib/json/json.ts';
import { listFormFields, toOneLine, type Form, type FormField } from './form.ts';

/** What a person has entered, as the browser sends it: a text, the texts of chosen options, or a file. */
export type EnteredValues = ReadonlyMap<string, Json>;

const DECIMAL = /^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;
/** Without the characters that begin a new line. */
const ONE_LINE = '^[^\\n\\v\\f\\r\\u0085\\u2028\\u2029]*$';
const BYTES_PER_MIB = 1024 * 1024;

/** The initial values: the defaults, or those in the query of the URL. Files and consents have none. */
export function createInitialValues(form: Form, query: JsonObject): EnteredValues {
  const entered = new Map<string, Json>();
  for (const field of listFormFields(form)) {
    if (field.type === 'file' || field.type === 'consent') continue;
    const given = Object.hasOwn(query, field.name) ? query[field.name] : undefined;
    const value = given ?? field.default;
    if (field.type === 'choices') entered.set(field.name, value === '' ? [] : [value].flat());
    else if (typeof value === 'string')
      entered.set(field.name, field.type === 'text' ? toOneLine(value) : value);
  }
  return entered;
}

/** What a submitted page contains. A field that is missing has no value. */
export function readEntered(form: Form, body: JsonObject): EnteredValues {
  const entered = new Map<string, Json>();
  for (const { name, type } of listFormFields(form)) {
    const value = Object.hasOwn(body, name) ? (body[name] ?? null) : null;
    if (type === 'choices') entered.set(name, value === null || value === '' ? [] : [value].flat());
    else entered.set(name, value);
  }
  return entered;
}

/** Whether a field is shown. A field that depends on a hidden one is hidden, too. */
export function isShown(form: Form, field: FormField, entered: EnteredValues): boolean {
  const { showWhen } = field;
  if (showWhen === null) return true;
  const source = listFormFields(form).find(({ name }) => name === showWhen.field);
  if (source === undefined || !isShown(form, source, entered)) return false;
  const value = entered.get(source.name) ?? null;
  if (source.type === 'consent') return (value === 'yes') === showWhen.equals;
  return Array.isArray(value) ? value.includes(showWhen.equals) : value === showWhen.equals;
}

/** The value for the workflow; undefined when nothing was entered. */
export function toValue({ type }: FormField, entered: Json): Json | undefined {
  if (type === 'consent') return entered === 'yes';
  if (entered === null || entered === '' || (Array.isArray(entered) && entered.length === 0))
    return undefined;
  if (type === 'number' && typeof entered === 'string')
    return DECIMAL.test(entered.trim()) ? Number(entered) : entered;
  // Browsers end lines with CR LF.
  return typeof entered === 'string' ? entered.replaceAll('\r\n', '\n') : entered;
}

/** The JSON Schema of the value of a field, for a value that was entered. */
export function createFieldSchema(field: FormField): JsonObject {
  const { type, options, min, max } = field;
  const limits = (least: string, most: string): JsonObject => ({
    ...(min === null ? {} : { [least]: min }),
    ...(max === null ? {} : { [most]: max }),
  });
  switch (type) {
    case 'number':
      return { type: 'number', ...limits('minimum', 'maximum') };
    case 'email':
      return { type: 'string', format: 'email' };
    case 'date':
      return { type: 'string', format: 'date' };
    case 'time':
      return { type: 'string', pattern: '^([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9])?$' };
    case 'date_time':
      return {
        type: 'string',
        pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}T([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9])?$',
      };
    case 'choice':
      return { enum: [...options] };
    case 'choices':
      return {
        type: 'array',
        items: { enum: [...options] },
        uniqueItems: true,
        ...limits('minItems', 'maxItems'),
      };
    case 'consent':
      return field.isRequired ? { const: true } : { type: 'boolean' };
    case 'file':
      return {
        type: 'object',
        required: ['$file'],
        properties: {
          $file: {
            type: 'object',
            properties: {
              size: { type: 'integer', ...(max === null ? {} : { maximum: max * BYTES_PER_MIB }) },
            },
          },
        },
      };
    case 'text':
      return { type: 'string', pattern: ONE_LINE, ...limits('minLength', 'maxLength') };
    default:
      return { type: 'string', ...limits('minLength', 'maxLength') };
  }
}

/** Whether a field accepts a file of this name and media type. */
export function acceptsFile({ accept }: FormField, value: Json): boolean {
  if (accept.length === 0) return true;
  const file = isObject(value) && isObject(value['$file']) ? value['$file'] : {};
  const name = lowerCase(file['name']);
  const type = lowerCase(file['content_type']).split(';')[0]!.trim();
  return accept.some((one) => {
    const wanted = one.toLowerCase();
    if (wanted.startsWith('.')) return name.endsWith(wanted);
    return wanted.endsWith('/*') ? type.startsWith(wanted.slice(0, -1)) : type === wanted;
  });
}

const lowerCase = (value: Json | undefined): string => (typeof value === 'string' ? value.toLowerCase() : '');
