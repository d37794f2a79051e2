import { isObject, type JsonObject } from '../../../lib/json/json.ts';
import { markup } from '../../oauth/markup.ts';
import { createExample } from '../example-value.ts';
import { jsonCode, panel } from './code.ts';
import { heading, section, type Page } from './layout.ts';
import { line } from './prose.ts';
import type { SchemaView } from './schema-view.ts';

/** All named schemas of the documents. Those of bodies come last. */
export function resourcePage(components: JsonObject, view: SchemaView): Page {
  const names = Object.keys(components);
  const isInput = (name: string): boolean => name.endsWith('Input');
  const sorted = [...names.filter((name) => !isInput(name)), ...names.filter(isInput)];
  return {
    path: '/resources',
    title: 'Resources',
    part: 'Reference',
    entries: sorted.map((name) => ({ id: name, label: name })),
    body: () => markup`${heading(1, 'resources', 'Resources')}
<p class="lead">The objects in responses and bodies, by name. GraphQL has the same objects with names in camelCase.</p>
${sorted.map((name) => {
  const schema = components[name];
  if (!isObject(schema)) return markup``;
  const { description } = schema;
  const reference = { $ref: `#/components/schemas/${name}` };
  const example = isInput(name) ? null : panel(name, jsonCode(createExample(reference, components)));
  return section(
    markup`${heading(2, name, name)}${typeof description === 'string' ? markup`<p>${line(description)}</p>` : ''}${view.fields(schema, isInput(name) ? 'body' : 'response')}`,
    example,
  );
})}`,
  };
}
