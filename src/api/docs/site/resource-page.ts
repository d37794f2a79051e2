import { isObject, type JsonObject } from '../../../lib/json/json.ts';
import { markup } from '../../oauth/markup.ts';
import { createExample } from '../example-value.ts';
import { renderJson, renderPanel } from './code.ts';
import { renderHeading, renderSection, type Page } from './layout.ts';
import { renderLine } from './prose.ts';
import type { SchemaView } from './schema-view.ts';

/** All named schemas of the documents. Those of bodies come last. */
export function createResourcePage(components: JsonObject, view: SchemaView): Page {
  const names = Object.keys(components);
  const isInput = (name: string): boolean => name.endsWith('Input');
  const sorted = [...names.filter((name) => !isInput(name)), ...names.filter(isInput)];
  return {
    path: '/resources',
    title: 'Resources',
    part: 'Reference',
    entries: sorted.map((name) => ({ id: name, label: name })),
    body: () => markup`${renderHeading(1, 'resources', 'Resources')}
<p class="lead">The objects in responses and bodies, by name. GraphQL has the same objects with names in camelCase.</p>
${sorted.map((name) => {
  const schema = components[name];
  if (!isObject(schema)) return markup``;
  const { description } = schema;
  const reference = { $ref: `#/components/schemas/${name}` };
  const example = isInput(name) ? null : renderPanel(name, renderJson(createExample(reference, components)));
  return renderSection(
    markup`${renderHeading(2, name, name)}${typeof description === 'string' ? markup`<p>${renderLine(description)}</p>` : ''}${view.fields(schema, isInput(name) ? 'body' : 'response')}`,
    example,
  );
})}`,
  };
}
