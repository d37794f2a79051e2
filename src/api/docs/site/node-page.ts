import type { NodeExample, NodeType } from '../../../contract/node-type.ts';
import { isObject, type Json, type JsonObject } from '../../../lib/json/json.ts';
import { markup, nothing, type Markup } from '../../oauth/markup.ts';
import { textOf } from '../json-text.ts';
import { jsonCode, panel } from './code.ts';
import { heading, section, type Page } from './layout.ts';
import { line, paragraphs } from './prose.ts';
import { createSchemaView, type SchemaView } from './schema-view.ts';

/** Every node has these; they are described once. */
const common = ['retryPolicy', 'timeout'];

/** The catalogue with its configurations, from the node types. */
export function nodePage(types: readonly NodeType[], resources: string): Page {
  const view = createSchemaView({}, resources);
  const first = types.find(({ type }) => type === 'http_request') ?? types[0];
  return {
    path: '/nodes',
    title: 'Node catalogue',
    part: 'Reference',
    entries: [
      { id: 'every-node', label: 'What every node has' },
      ...types.map(({ type }) => ({ id: type, label: type })),
    ],
    body: () => markup`${heading(1, 'nodes', 'Node catalogue')}
<p class="lead">The node types that come with this Weft. Their configuration is checked when a workflow is saved; <code>GET /nodes</code> gives the same as JSON Schema.</p>
${section(
  markup`${heading(2, 'every-node', 'What every node has')}${paragraphs(
    'A text in a configuration may hold templates, `{{ input.name }}`, except where a field is literal. Fields that name a place in what arrived (`field`, `input`, `inputs`) are paths without braces. A template may read a secret (`{{ secrets.NAME }}`) only in the fields that the node lists for this.',
    'Any node may have an `error` output: connected, a failure flows there as `{type, message, node_id, attempt, status?}`; unconnected, it fails the execution.',
  )}${first === undefined ? nothing : view.fields(only(plain(first.config), (name) => common.includes(name)))}`,
  panel(
    'A node in a definition',
    jsonCode({
      id: 'tell_warehouse',
      type: 'http_request',
      name: 'Tell the warehouse',
      position: { x: 480, y: 0 },
      config: {
        method: 'POST',
        url: 'https://api.example.com/shipments',
        retryPolicy: { maxAttempts: 5, initialDelay: '2s' },
        timeout: '20s',
      },
    }),
  ),
)}
${types.map((type) => nodeSection(type, view))}`,
  };
}

function nodeSection(type: NodeType, view: SchemaView): Markup {
  const config = plain(type.config);
  const variants = (config['oneOf'] ?? config['anyOf']) as Json[] | undefined;
  const own = (schema: JsonObject) => only(schema, (name) => !common.includes(name) || type.isTrigger);
  const fields =
    variants === undefined
      ? fieldsOf(view, own(config))
      : markup`${variants
          .filter(isObject)
          .map(
            (variant) =>
              markup`<details><summary>${textOf(variant['title'] ?? 'Variant')}</summary>${fieldsOf(view, own(variant))}</details>`,
          )}`;
  return section(
    markup`${heading(2, type.type, type.name)}<ul class="meta"><li><code>${type.type}</code></li><li>${type.category}</li><li>${type.version}</li><li>effects: ${type.effects}</li>${
      type.timeout === null ? nothing : markup`<li>time-out ${String(type.timeout / 1000)} s unless set</li>`
    }</ul><p>${line(type.description)}</p><h3>Configuration</h3>${fields}${secretsOf(type)}${ports('Inputs', type.inputs)}${ports('Outputs', type.outputs)}`,
    markup`${type.examples.map((example, index) => exampleOf(example, index === 0))}`,
  );
}

function secretsOf({ secrets = {} }: NodeType): Markup {
  const names = Object.keys(secrets);
  if (names.length === 0) return nothing;
  return markup`<p>${line(`Secrets may be read in ${names.map((name) => `\`${name}\``).join(', ')}.`)}</p>`;
}

function fieldsOf(view: SchemaView, schema: JsonObject): Markup {
  const shown = view.fields(schema);
  return shown.text.includes('<li>') ? shown : markup`<p>It has no fields of its own.</p>`;
}

function ports(
  title: string,
  list: readonly { name: string; type: string; description: string; required?: boolean }[],
): Markup {
  if (list.length === 0) return nothing;
  return markup`<h3>${title}</h3><ul class="fields">${list.map(
    ({ name, type, description, required }) =>
      markup`<li><div class="field"><code class="name">${name}</code> <span class="type">${type}</span>${required === true ? markup` <span class="required">required</span>` : nothing}</div><p>${line(description)}</p></li>`,
  )}</ul>`;
}

function exampleOf(example: NodeExample, isOpen: boolean): Markup {
  const result =
    example.failure === undefined
      ? panel('Output by port', jsonCode(example.outputs ?? {}))
      : panel('Fails', markup`with a ${example.failure} error`);
  const panels = markup`${panel('Configuration', jsonCode(example.config))}${panel('Input', jsonCode(example.input))}${result}`;
  return markup`<details class="more"${isOpen ? markup` open` : nothing}><summary>${example.title}</summary>${panels}</details>`;
}

/** A schema as plain JSON, with those of its fields that are wanted. */
function plain(schema: object): JsonObject {
  return JSON.parse(JSON.stringify(schema)) as JsonObject;
}

function only(schema: JsonObject, wanted: (name: string) => boolean): JsonObject {
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const kept = Object.entries(properties).filter(([name]) => wanted(name));
  return { ...schema, properties: Object.fromEntries(kept) };
}
