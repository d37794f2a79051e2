import { selectControl, type Field, type Schema } from './field.ts';
import { isRecord } from './field-path.ts';

export type Group = { readonly title: string; readonly fields: readonly Field[] };

/** How the fields of an object are distributed in a form. */
export type Layout = {
  readonly main: readonly Field[];
  /** Collapsed sections. */
  readonly groups: readonly Group[];
  /** Offered under "Add option". */
  readonly options: readonly Field[];
};

/** The fields to show for an object. `revealed` are keys to show in any case, as added or invalid. */
export function arrangeFields(
  fields: readonly Field[],
  object: Readonly<Record<string, unknown>>,
  revealed: ReadonlySet<string> = new Set(),
): Layout {
  const main: Field[] = [];
  const groups = new Map<string, Field[]>();
  const options: Field[] = [];
  for (const field of fields) {
    const { key, ui } = field;
    const isShown = revealed.has(key) || (object[key] !== undefined && !isOnlyValue(field, object[key]));
    if (!isShown && (ui.hidden === true || !isRelevant(field, fields, object))) continue;
    if (ui.group !== undefined) groups.set(ui.group, [...(groups.get(ui.group) ?? []), field]);
    else if (ui.advanced === true && !field.isRequired && !isShown) options.push(field);
    else main.push(field);
  }
  return { main, groups: [...groups].map(([title, all]) => ({ title, fields: all })), options };
}

/** Whether the values of the other fields make a field relevant. A template may have any value. */
function isRelevant(
  { ui }: Field,
  fields: readonly Field[],
  object: Readonly<Record<string, unknown>>,
): boolean {
  return Object.entries(ui.showWhen ?? {}).every(([key, expected]) => {
    const value = object[key] ?? fields.find((field) => field.key === key)?.default;
    return [expected].flat().includes(value as string) || (typeof value === 'string' && value.includes('{{'));
  });
}

/** Whether a hidden field has the only value that it accepts. */
function isOnlyValue({ ui, schema }: Field, value: unknown): boolean {
  return ui.hidden === true && schema.enum?.length === 1 && schema.enum[0] === value;
}

/** The schema of a configuration: of the chosen variant if there are several. */
export function selectShape(schema: Schema, config: Readonly<Record<string, unknown>>): Schema {
  const control = selectControl(schema);
  if (control.kind !== 'variant') return schema;
  return control.variants.find(({ value }) => value === config[control.tag])?.schema ?? {};
}

/** The value of an option when it is added; undefined: the field is only shown. */
export function createAddedValue(field: Field, empty: (schema: Schema) => unknown): unknown {
  const control = selectControl(field.schema, field.key);
  switch (control.kind) {
    case 'list':
      return [empty(control.item)];
    case 'map':
      return { name1: empty(control.value) };
    case 'group':
    case 'variant':
    case 'condition':
      return empty(field.schema);
    default:
      return undefined;
  }
}

/** The number of fields that have a value. */
export function countSet(fields: readonly Field[], object: unknown): number {
  return isRecord(object) ? fields.filter(({ key }) => object[key] !== undefined).length : 0;
}
