import type { Json, JsonObject } from '../../lib/json/json.ts';
import { isObject } from '../../lib/json/json.ts';

export const formFieldTypes = [
  'text',
  'long_text',
  'email',
  'number',
  'date',
  'time',
  'date_time',
  'choice',
  'choices',
  'consent',
  'file',
  'hidden',
  'page',
] as const;
export type FormFieldType = (typeof formFieldTypes)[number];

/** Shows a field only if an earlier field has this value: an option, or true for a consent. */
export type FormCondition = { readonly field: string; readonly equals: string | boolean };

/** A field of a form. `page` begins the next page and has no value. */
export type FormField = {
  readonly name: string;
  readonly type: FormFieldType;
  readonly label: string;
  readonly hint: string | null;
  readonly isRequired: boolean;
  readonly options: readonly string[];
  readonly default: string;
  /** Of the number, of the characters of a text, of the chosen options, or of the size of a file in MiB. */
  readonly min: number | null;
  readonly max: number | null;
  /** Media types such as `image/*`, or extensions such as `.pdf`. Empty: any file. */
  readonly accept: readonly string[];
  readonly showWhen: FormCondition | null;
};

export type FormPage = {
  readonly title: string | null;
  readonly text: string | null;
  readonly fields: readonly FormField[];
};

export type Form = {
  readonly title: string;
  readonly description: string | null;
  /** At least one. */
  readonly pages: readonly FormPage[];
  readonly submitLabel: string | null;
  readonly finalTitle: string | null;
  readonly finalText: string | null;
  /** Where the browser goes after a submission; null: the final page. */
  readonly redirect: string | null;
  readonly brand: FormBrand;
};

/** The look of a page: a name, a logo as a data URL, and the color of buttons. */
export type FormBrand = {
  readonly name: string | null;
  readonly logo: string | null;
  readonly colour: string | null;
};

export function readFormBrand(config: JsonObject): FormBrand {
  const brand = isObject(config['brand'] ?? null) ? (config['brand'] as JsonObject) : {};
  return { name: text(brand['name']), logo: text(brand['logo']), colour: text(brand['colour']) };
}

/** The types whose value can be a condition of later fields. */
export const conditionTypes: readonly FormFieldType[] = ['choice', 'choices', 'consent'];
/** The types that have options. */
export const optionTypes: readonly FormFieldType[] = ['choice', 'choices'];

const text = (value: Json | undefined): string | null =>
  typeof value === 'string' && value !== '' ? value : null;
const number = (value: Json | undefined): number | null => (typeof value === 'number' ? value : null);
const texts = (value: Json | undefined): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];

/** Reads the form of a trigger's configuration, which was validated when it was saved. */
export function readForm(config: JsonObject): Form {
  const pages: { title: string | null; text: string | null; fields: FormField[] }[] = [
    { title: null, text: null, fields: [] },
  ];
  for (const entry of Array.isArray(config['fields']) ? config['fields'] : []) {
    if (!isObject(entry)) continue;
    const field = readField(entry);
    if (field.type === 'page') pages.push({ title: field.label, text: field.hint, fields: [] });
    else pages.at(-1)!.fields.push(field);
  }
  return {
    title: text(config['title']) ?? '',
    description: text(config['description']),
    pages,
    submitLabel: text(config['submit_label']),
    finalTitle: text(config['final_title']),
    finalText: text(config['final_text']),
    redirect: text(config['redirect']),
    brand: readFormBrand(config),
  };
}

/** A text without line breaks, for a control of one line. */
export const toOneLine = (value: string): string => value.replaceAll(/[\n\v\f\r\u0085\u2028\u2029]+/g, ' ');

function readField(entry: JsonObject): FormField {
  const type = formFieldTypes.find((one) => one === entry['type']) ?? 'text';
  const initial =
    typeof entry['default'] === 'number' ? String(entry['default']) : (text(entry['default']) ?? '');
  const condition = isObject(entry['show_when']) ? entry['show_when'] : null;
  const equals = condition?.['equals'] ?? null;
  return {
    name: text(entry['name']) ?? '',
    type,
    label: text(entry['label']) ?? '',
    hint: text(entry['hint']),
    isRequired: entry['required'] === true,
    options: texts(entry['options']),
    default: type === 'text' ? toOneLine(initial) : initial,
    min: number(entry['min']),
    max: number(entry['max']),
    accept: texts(entry['accept']),
    showWhen:
      condition === null
        ? null
        : {
            field: text(condition['field']) ?? '',
            equals: typeof equals === 'boolean' ? equals : (text(equals) ?? ''),
          },
  };
}

/** Every field with a value, in order. */
export function listFormFields(form: Form): FormField[] {
  return form.pages.flatMap(({ fields }) => fields);
}
