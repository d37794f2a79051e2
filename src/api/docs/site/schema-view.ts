import { isObject, type Json, type JsonObject } from '../../../lib/json/json.ts';
import { markup, nothing, type Markup } from '../../oauth/markup.ts';
import { formatJson } from '../json-text.ts';
import { join, renderLine } from './prose.ts';

/** Maximum depth of fields within fields. */
const MAX_DEPTH = 6;

/** Bodies mark required fields; responses mark optional ones. */
export type Side = 'body' | 'response';

export type SchemaView = {
  /** The fields of an object as a list; nested fields can be expanded. */
  fields(schema: JsonObject, side?: Side): Markup;
  /** Describes the type of a value; named resources are links. */
  type(schema: JsonObject): Markup;
};

/** `components`: the named schemas; `resources`: the path of the page that describes them. */
export function createSchemaView(components: JsonObject, resources: string): SchemaView {
  function resolve(schema: JsonObject): { schema: JsonObject; name: string | null } {
    const { $ref: reference } = schema;
    if (typeof reference !== 'string') return { schema, name: null };
    const name = reference.slice(reference.lastIndexOf('/') + 1);
    const target = components[name];
    return { schema: isObject(target) ? target : {}, name };
  }

  function type(schema: JsonObject): Markup {
    const { name } = resolve(schema);
    if (name !== null) return markup`<a href="${resources}#${name}">${name}</a>`;
    const variants = listVariants(schema);
    if (variants.length > 0) return words(variants.map(type), ' or ');
    if (schema['const'] !== undefined) return markup`<code>${JSON.stringify(schema['const'])}</code>`;
    if (schema['format'] === 'weft-duration') return markup`duration`;
    if (schema['format'] === 'weft-path') return markup`path`;
    if (schema['format'] === 'date-time') return renderNullable(schema, 'timestamp');
    const types = [schema['type'] ?? 'any'].flat() as string[];
    return words(
      types.map((one) => ofType(one, schema)),
      ' or ',
    );
  }

  function ofType(one: string, schema: JsonObject): Markup {
    if (one === 'array') {
      const { items } = schema;
      return isObject(items) ? markup`list of ${type(items)}` : markup`list`;
    }
    const { additionalProperties: values } = schema;
    if (one === 'object' && isObject(values) && Object.keys(values).length > 0)
      return markup`map of ${type(values)}`;
    return markup`${one === 'any' ? 'any JSON' : one}`;
  }

  function field(
    name: string,
    schema: JsonObject,
    note: Markup,
    side: Side,
    seen: readonly string[],
  ): Markup {
    const facts = renderFacts(schema);
    const { description } = { ...resolve(schema).schema, ...schema } as { description?: Json };
    const isIgnored = Object.keys(schema).length === 0 && seen.at(-1)?.endsWith('Input') === true;
    const shown = resolve(schema).name === null ? description : schema['description'];
    const own = isIgnored ? 'Read-only; accepted and ignored in a body.' : shown;
    return markup`<li><div class="field"><code class="name">${name}</code> <span class="type">${type(schema)}</span>${note}</div>${typeof own === 'string' ? markup`<p>${renderLine(own)}</p>` : nothing}${
      facts === null ? nothing : markup`<p class="facts">${facts}</p>`
    }${inner(schema, side, seen)}</li>`;
  }

  /** The expandable fields of a schema. */
  function inner(schema: JsonObject, side: Side, seen: readonly string[]): Markup {
    if (seen.length >= MAX_DEPTH) return nothing;
    const parts = listExpandable(schema);
    return join(
      parts.map(({ schema: part, title }) => {
        const { schema: target, name } = resolve(part);
        if (name !== null && seen.includes(name)) return nothing;
        const next = [...seen, name ?? ''];
        const label = title ?? name;
        return markup`<details><summary>Fields${label === null ? nothing : markup` of ${label}`}</summary>${list(target, side, next)}</details>`;
      }),
    );
  }

  /** The objects with fields within a schema. */
  function listExpandable(schema: JsonObject): { schema: JsonObject; title: string | null }[] {
    const found: { schema: JsonObject; title: string | null }[] = [];
    const open: JsonObject[] = [schema];
    for (let next = open.shift(); next !== undefined; next = open.shift()) {
      const { schema: target } = resolve(next);
      const { items, additionalProperties: values, title } = target;
      if (isObject(target['properties']))
        found.push({ schema: next, title: typeof title === 'string' ? title : null });
      else {
        if (isObject(items)) open.push(items);
        if (isObject(values)) open.push(values);
        open.push(...listVariants(target));
      }
    }
    return found;
  }

  function list(schema: JsonObject, side: Side, seen: readonly string[]): Markup {
    const { properties, required } = schema;
    if (!isObject(properties)) return nothing;
    const names = Array.isArray(required) ? required : [];
    return markup`<ul class="fields">${Object.entries(properties).map(([name, below]) =>
      field(name, isObject(below) ? below : {}, renderNote(names.includes(name), side), side, seen),
    )}</ul>`;
  }

  return {
    type,
    fields(schema, side = 'body') {
      const { schema: target, name } = resolve(schema);
      const seen = name === null ? [] : [name];
      if (isObject(target['properties'])) return list(target, side, seen);
      return inner(target, side, seen);
    },
  };
}

function renderNote(isRequired: boolean, side: Side): Markup {
  if (side === 'body') return isRequired ? markup` <span class="required">required</span>` : nothing;
  return isRequired ? nothing : markup` <span class="optional">may be absent</span>`;
}

function listVariants(schema: JsonObject): JsonObject[] {
  const variants = schema['anyOf'] ?? schema['oneOf'];
  return Array.isArray(variants) ? variants.filter(isObject) : [];
}

function renderNullable(schema: JsonObject, word: string): Markup {
  return markup`${Array.isArray(schema['type']) && schema['type'].includes('null') ? `${word} or null` : word}`;
}

/** Describes values, limits and the default; null when there are none. */
function renderFacts(schema: JsonObject): Markup | null {
  const parts: Markup[] = [];
  const {
    enum: values,
    default: fallback,
    minimum,
    maximum,
    minLength,
    maxLength,
    minItems,
    maxItems,
  } = schema;
  const list = Array.isArray(values)
    ? values
    : isObject(schema['items']) && Array.isArray(schema['items']['enum'])
      ? schema['items']['enum']
      : null;
  if (list !== null)
    parts.push(
      words(
        list.map((value) => markup`<code>${formatJson(value)}</code>`),
        ' ',
      ),
    );
  const from = (low: Json | undefined, high: Json | undefined, unit: string): void => {
    if (low === undefined && high === undefined) return;
    // The minimum length 1 is omitted, because it is expected.
    if (low === 1 && high === undefined && unit !== '') return;
    if (high === undefined) parts.push(markup`from ${number(low)}${unit}`);
    else if (low === undefined) parts.push(markup`at most ${number(high)}${unit}`);
    else parts.push(markup`${number(low)} to ${number(high)}${unit}`);
  };
  from(minimum, maximum, '');
  from(minLength, maxLength, ' characters');
  from(minItems, maxItems, ' items');
  if (fallback !== undefined) parts.push(markup`default <code>${JSON.stringify(fallback)}</code>`);
  return parts.length === 0 ? null : words(parts, ' · ');
}

function number(value: Json | undefined): string {
  return Number(value).toLocaleString('en');
}

function words(parts: readonly Markup[], between: string): Markup {
  return join(parts.flatMap((part, index) => (index === 0 ? [part] : [markup`${between}`, part])));
}
