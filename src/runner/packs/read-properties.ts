import type { NpmProperty, NpmPropertyKind } from '../../contract/packs/npm-properties.ts';
import { isObject, type Json, type JsonObject } from '../../lib/json/json.ts';

export type Warn = (text: string) => void;

/** Limits of what a package may declare; more is left out with a warning. */
const MAX_PROPERTIES = 200;
const MAX_OPTIONS = 1_000;
const MAX_DEPTH = 3;
const MAX_NAME_LENGTH = 200;
const MAX_TITLE_LENGTH = 200;
const MAX_DESCRIPTION_LENGTH = 4_000;
/** Characters of a default or of the value of an option, as JSON. */
const MAX_VALUE_LENGTH = 10_000;

/** The kinds of Activepieces. */
const kinds: Readonly<Record<string, NpmPropertyKind>> = {
  SHORT_TEXT: 'text',
  COLOR: 'text',
  LONG_TEXT: 'long_text',
  SECRET_TEXT: 'secret',
  NUMBER: 'number',
  CHECKBOX: 'checkbox',
  DATE_TIME: 'date_time',
  STATIC_DROPDOWN: 'choice',
  STATIC_MULTI_SELECT_DROPDOWN: 'choices',
  DROPDOWN: 'loaded_choice',
  MULTI_SELECT_DROPDOWN: 'loaded_choices',
  DYNAMIC: 'loaded_fields',
  ARRAY: 'list',
  OBJECT: 'object',
  FILE: 'file',
  JSON: 'any',
  CUSTOM: 'any',
};
/** Texts between the fields of a form. */
const NOTE = 'MARKDOWN';

/** Reads the properties of an action, authentication or list elements. `where` is for warnings. */
export function readProperties(value: Json | undefined, where: string, warn: Warn, depth = 1): NpmProperty[] {
  const given = Array.isArray(value) ? value : [];
  if (given.length > MAX_PROPERTIES)
    warn(`${where} has more than ${MAX_PROPERTIES} fields; the others are left out.`);
  const names = new Set<string>();
  return given.slice(0, MAX_PROPERTIES).flatMap((one) => {
    if (!isObject(one) || one['type'] === NOTE) return [];
    const { name } = one;
    if (typeof name !== 'string' || name === '' || name.length > MAX_NAME_LENGTH || names.has(name)) {
      warn(`A field of ${where} without a usable name is left out.`);
      return [];
    }
    names.add(name);
    return [readProperty(one, name, where, warn, depth)];
  });
}

function readProperty(prop: JsonObject, name: string, where: string, warn: Warn, depth: number): NpmProperty {
  const {
    type,
    displayName,
    description,
    required,
    defaultValue,
    options,
    properties,
    refreshers,
    refreshOnSearch,
  } = prop;
  const known = typeof type === 'string' && Object.hasOwn(kinds, type) ? kinds[type] : undefined;
  if (known === undefined)
    warn(`The field ${name} of ${where} has the unknown kind ${readText(type, 100)}, and takes any value.`);
  const read = known === 'choice' || known === 'choices' ? readOptions(options) : [];
  // Without options, any value may be the right one.
  const isEmpty = (known === 'choice' || known === 'choices') && read.length === 0;
  const kind = isEmpty ? (known === 'choice' ? 'loaded_choice' : 'loaded_choices') : (known ?? 'any');
  return {
    name,
    kind,
    title: readText(displayName, MAX_TITLE_LENGTH) || name,
    description: readText(description, MAX_DESCRIPTION_LENGTH),
    required: readFlag(required),
    default: readValue(defaultValue) ?? null,
    options: read,
    properties:
      kind === 'list' && depth < MAX_DEPTH
        ? readProperties(properties ?? [], `${name} of ${where}`, warn, depth + 1)
        : [],
    ...(known !== undefined && isLoaded(known)
      ? { refreshers: readRefreshers(refreshers), searches: readFlag(refreshOnSearch) }
      : {}),
  };
}

function isLoaded(kind: NpmPropertyKind): boolean {
  return kind === 'loaded_choice' || kind === 'loaded_choices' || kind === 'loaded_fields';
}

function readRefreshers(value: Json | undefined): string[] {
  const names = (Array.isArray(value) ? value : []).filter((one) => typeof one === 'string');
  return [...new Set(names)].slice(0, MAX_PROPERTIES);
}

function readOptions(value: Json | undefined): NpmProperty['options'] {
  const found = (Array.isArray(value) ? value : []).slice(0, MAX_OPTIONS).flatMap((one) => {
    const option = isObject(one) ? readValue(one['value']) : undefined;
    if (!isObject(one) || option === undefined) return [];
    return [{ label: readText(one['label'], MAX_TITLE_LENGTH) || JSON.stringify(option), value: option }];
  });
  return [...new Map(found.map((one) => [JSON.stringify(one.value), one])).values()];
}

function readValue(value: Json | undefined): Json | undefined {
  return value === undefined || JSON.stringify(value).length > MAX_VALUE_LENGTH ? undefined : value;
}

export function readText(value: Json | undefined, most: number): string {
  return typeof value === 'string' ? value.trim().slice(0, most) : '';
}

export function readFlag(value: Json | undefined): boolean {
  return value === true;
}
