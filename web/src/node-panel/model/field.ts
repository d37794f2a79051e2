import { formatValue } from './format-value.ts';

/** How the form shows a field; `docs/custom-nodes.md` describes the hints. */
export type UiHints = {
  readonly showWhen?: Readonly<Record<string, unknown>>;
  readonly order?: number;
  readonly group?: string;
  readonly advanced?: boolean;
  readonly required?: boolean;
  readonly hidden?: boolean;
  readonly hint?: string;
  readonly placeholder?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly control?: string;
  readonly loads?: readonly string[];
  readonly searches?: boolean;
};

/** A JSON Schema of a node's configuration, as the catalog gives it. */
export type Schema = {
  readonly type?: string | readonly string[];
  readonly title?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly examples?: readonly unknown[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema | boolean;
  readonly prefixItems?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly discriminator?: { readonly propertyName: string };
  readonly 'x-ui'?: UiHints;
};

/** What a text stands for, where a form can offer what there is. */
export type Names = 'node' | 'workflow' | 'secret' | 'connection';

/** How a value of a configuration is edited. */
export type Control =
  | { readonly kind: 'text'; readonly isLong: boolean }
  /** `takesList`: a list stands as JSON where a path is not what is meant. */
  | { readonly kind: 'path'; readonly takesList: boolean }
  | { readonly kind: 'code' }
  | { readonly kind: 'duration' }
  | { readonly kind: 'name'; readonly of: Names }
  /** Of values that are no lists and no objects. */
  | { readonly kind: 'choice'; readonly options: readonly unknown[] }
  | {
      readonly kind: 'number';
      readonly isWhole: boolean;
      readonly minimum?: number;
      readonly maximum?: number;
    }
  | { readonly kind: 'switch' }
  | { readonly kind: 'condition' }
  /** The fields that a JSON Schema requires. */
  | { readonly kind: 'json-schema' }
  /** A stored secret as a template. */
  | { readonly kind: 'secret-template' }
  /** The pack loads the choices, or the fields of the object. */
  | { readonly kind: 'loaded'; readonly of: 'choice' | 'choices' | 'fields' }
  /** Any JSON. */
  | { readonly kind: 'value' }
  | { readonly kind: 'list'; readonly item: Schema }
  | { readonly kind: 'map'; readonly value: Schema }
  | { readonly kind: 'group'; readonly fields: readonly Field[] }
  | { readonly kind: 'variant'; readonly tag: string; readonly variants: readonly Variant[] };

export type Field = {
  /** The key in the object that holds it. */
  readonly key: string;
  readonly label: string;
  readonly description: string | null;
  readonly isRequired: boolean;
  readonly default: unknown;
  readonly schema: Schema;
  readonly ui: UiHints;
};

/** One shape of several, told apart by the value of a field. */
export type Variant = { readonly value: string; readonly label: string; readonly schema: Schema };

/** Greater than every order that a hint gives. */
const DEFAULT_ORDER = 1_000_000;
/** Texts that are likely to have several lines. */
const LONG_TEXT_FIELDS = new Set(['text', 'html', 'body', 'message', 'query', 'description', 'template']);
const NAMES_BY_KIND: Readonly<Record<string, Names>> = {
  'weft-node': 'node',
  'weft-workflow': 'workflow',
  'weft-secret': 'secret',
  'weft-connection': 'connection',
};

/** What is loaded, by the type of the value. */
const LOADED_BY_TYPE: Readonly<Record<string, 'choices' | 'fields'>> = { array: 'choices', object: 'fields' };

export function selectControl(schema: Schema, key = ''): Control {
  if (schema['x-ui']?.loads !== undefined)
    return { kind: 'loaded', of: LOADED_BY_TYPE[String(schema.type)] ?? 'choice' };
  if (schema['x-ui']?.control === 'json_schema') return { kind: 'json-schema' };
  if (schema['x-ui']?.control === 'secret') return { kind: 'secret-template' };
  if (schema.oneOf !== undefined && schema.discriminator !== undefined)
    return variantControl(schema.oneOf, schema.discriminator.propertyName);
  const options = schema.const === undefined ? schema.enum : [schema.const];
  if (options !== undefined)
    return options.some((option) => typeof option === 'object' && option !== null)
      ? { kind: 'value' }
      : { kind: 'choice', options };
  const given = schema.type === undefined ? [] : [schema.type].flat();
  // A value that may be null is edited as the other type; a template can stand for null.
  const types = given.length === 2 ? given.filter((type) => type !== 'null') : given;
  if (schema.format === 'weft-path') return { kind: 'path', takesList: types.includes('array') };
  if (types.length !== 1)
    return types.includes('object') || types.length === 0 ? { kind: 'value' } : selectLooseControl(types);
  switch (types[0]) {
    case 'string':
      return textControl(schema, key);
    case 'integer':
    case 'number':
      return {
        kind: 'number',
        isWhole: types[0] === 'integer',
        ...(schema.minimum === undefined ? {} : { minimum: schema.minimum }),
        ...(schema.maximum === undefined ? {} : { maximum: schema.maximum }),
      };
    case 'boolean':
      return { kind: 'switch' };
    case 'array':
      // A tuple has one schema per index, which a list of equal rows cannot show.
      return typeof schema.items !== 'object' || schema.prefixItems !== undefined
        ? { kind: 'value' }
        : { kind: 'list', item: schema.items };
    case 'object':
      return objectControl(schema);
    default:
      return { kind: 'value' };
  }
}

/** The fields of an object: those with an order, then the required ones, then the others as in the schema. */
export function listFields(schema: Schema): Field[] {
  const required = new Set(schema.required ?? []);
  const fields = Object.entries(schema.properties ?? {}).map(([key, part]) => ({
    key,
    label: part.title ?? formatLabel(key),
    description: getDescription(part),
    isRequired: required.has(key),
    default: part.default,
    schema: part,
    ui: withExample(part),
  }));
  const rank = ({ ui, isRequired }: Field): number =>
    ui.order ?? (isRequired ? DEFAULT_ORDER : DEFAULT_ORDER + 1);
  return fields.toSorted((a, b) => rank(a) - rank(b));
}

/** The hints of a field, with its example as the placeholder. */
function withExample({ 'x-ui': hints = {}, examples, default: value }: Schema): UiHints {
  const [example] = examples ?? [];
  if (hints.placeholder !== undefined || value !== undefined) return hints;
  return typeof example === 'string' || typeof example === 'number'
    ? { ...hints, placeholder: String(example) }
    : hints;
}

/** The hint of a field; null: none. */
export function getDescription(schema: Schema): string | null {
  const text = schema['x-ui']?.hint ?? schema.description ?? '';
  return text === '' ? null : text;
}

/** `retryPolicy` and `retry_policy` as people write it. */
export function formatLabel(key: string): string {
  const words = key
    .replaceAll('_', ' ')
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .trim();
  const spelled = words.replaceAll(/\b(url|id|html|json|sql|http|cc|bcc)\b/g, (word) => word.toUpperCase());
  return spelled.charAt(0).toUpperCase() + spelled.slice(1);
}

/** What a fieldPath holds when it is added. */
export function createEmptyValue(schema: Schema): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.default !== undefined) return structuredClone(schema.default);
  const control = selectControl(schema);
  switch (control.kind) {
    case 'loaded':
      return control.of === 'choice' ? '' : control.of === 'choices' ? [] : {};
    case 'list':
      return [];
    case 'map':
      return {};
    case 'condition':
      return { field: '', operator: 'equals', value: '' };
    case 'group':
      return createFilledObject(schema);
    case 'variant':
      return control.variants[0] === undefined ? {} : createFilledObject(control.variants[0].schema);
    case 'number':
      return control.minimum ?? 0;
    case 'switch':
      return true;
    case 'choice':
      return control.options[0] ?? '';
    case 'json-schema':
      return { type: 'object', properties: {} };
    default:
      return '';
  }
}

/** An object with what it needs to have. */
export function createFilledObject(schema: Schema): Record<string, unknown> {
  return Object.fromEntries(
    listFields(schema)
      .filter((field) => field.isRequired)
      .map((field) => [field.key, createEmptyValue(field.schema)]),
  );
}

function textControl(schema: Schema, key: string): Control {
  const { format } = schema;
  if (format === 'weft-duration') return { kind: 'duration' };
  if (format === 'weft-code') return { kind: 'code' };
  const of = format === undefined ? undefined : NAMES_BY_KIND[format];
  return of === undefined ? { kind: 'text', isLong: LONG_TEXT_FIELDS.has(key) } : { kind: 'name', of };
}

/** A text, a number or a boolean is written as it is printed; with a list among them it is any value. */
function selectLooseControl(types: readonly string[]): Control {
  return types.includes('array') ? { kind: 'value' } : { kind: 'text', isLong: false };
}

function objectControl(schema: Schema): Control {
  const { properties, additionalProperties: values } = schema;
  if (properties !== undefined) {
    const isCondition = ['operator', 'all', 'any', 'not'].every((key) => Object.hasOwn(properties, key));
    return isCondition ? { kind: 'condition' } : { kind: 'group', fields: listFields(schema) };
  }
  return typeof values === 'object' ? { kind: 'map', value: values } : { kind: 'value' };
}

function variantControl(schemas: readonly Schema[], tag: string): Control {
  const variants = schemas.map((schema): Variant => {
    const value = formatValue(schema.properties?.[tag]?.const);
    return { value, label: schema.title ?? formatLabel(value), schema };
  });
  return { kind: 'variant', tag, variants };
}
