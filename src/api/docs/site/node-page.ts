import type { NodeExample, NodeType } from '../../../contract/node-type.ts';
import { isObject, type Json, type JsonObject } from '../../../lib/json/json.ts';
import { markup, nothing, type Markup } from '../../oauth/markup.ts';
import { formatJson } from '../json-text.ts';
import { renderJson, renderPanel } from './code.ts';
import { renderHeading, renderSection, type Page } from './layout.ts';
import { renderLine, renderParagraphs } from './prose.ts';
import { createSchemaView, type SchemaView } from './schema-view.ts';

/** Fields of every node, which are described once. */
const commonFields = ['retryPolicy', 'timeout'];

/** The node catalog with configurations, from the node types. */
export function createNodePage(types: readonly NodeType[], resources: string): Page {
  const view = createSchemaView({}, resources);
  const first = types.find(({ type }) => type === 'http_request') ?? types[0];
  return {
    path: '/nodes',
    title: 'Node catalog',
    part: 'Reference',
    entries: [
      { id: 'every-node', label: 'Common fields' },
      ...types.map(({ type }) => ({ id: type, label: type })),
    ],
    body: () => markup`${renderHeading(1, 'nodes', 'Node catalog')}
<p class="lead">The built-in node types with their configuration, inputs, outputs and examples. Weft validates a configuration when a workflow is saved. <code>GET /nodes</code> returns the node types with their configuration as JSON Schema.</p>
${renderSection(
  markup`${renderHeading(2, 'every-node', 'Common fields')}${renderParagraphs(
    'Strings in a configuration may contain templates, `{{ input.name }}`, unless the field is literal. `field`, `input` and `inputs` select a part of the input by a path without braces. Secrets, `{{ secrets.NAME }}`, are available only in the fields that the node type lists.',
    'Every node may have an `error` output. If it is connected, it receives the error as `{type, message, node_id, attempt, status?}`; otherwise the execution fails.',
  )}${first === undefined ? nothing : view.fields(filterFields(toJson(first.config), (name) => commonFields.includes(name)))}`,
  renderPanel(
    'A node in a definition',
    renderJson({
      id: 'tell_warehouse',
      type: 'http_request',
      name: 'Notify the warehouse',
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
  const config = toJson(type.config);
  const variants = (config['oneOf'] ?? config['anyOf']) as Json[] | undefined;
  const own = (schema: JsonObject) =>
    filterFields(schema, (name) => !commonFields.includes(name) || type.isTrigger);
  const fields =
    variants === undefined
      ? renderFields(view, own(config))
      : markup`${variants
          .filter(isObject)
          .map(
            (variant) =>
              markup`<details><summary>${formatJson(variant['title'] ?? 'Variant')}</summary>${renderFields(view, own(variant))}</details>`,
          )}`;
  return renderSection(
    markup`${renderHeading(2, type.type, type.name)}<ul class="meta"><li><code>${type.type}</code></li><li>${type.category}</li><li>${type.version}</li><li>effects: ${type.effects}</li>${
      type.timeout === null ? nothing : markup`<li>default time-out ${String(type.timeout / 1000)} s</li>`
    }</ul><p>${renderLine(type.description)}</p><h3>Configuration</h3>${fields}${renderSecrets(type)}${renderPorts('Inputs', type.inputs)}${renderPorts('Outputs', type.outputs)}`,
    markup`${type.examples.map((example, index) => renderExample(example, index === 0))}`,
  );
}

function renderSecrets({ secrets = {} }: NodeType): Markup {
  const names = Object.keys(secrets);
  if (names.length === 0) return nothing;
  return markup`<p>${renderLine(`Secrets may be read in ${names.map((name) => `\`${name}\``).join(', ')}.`)}</p>`;
}

function renderFields(view: SchemaView, schema: JsonObject): Markup {
  const shown = view.fields(schema);
  return shown.text.includes('<li>') ? shown : markup`<p>No fields of its own.</p>`;
}

function renderPorts(
  title: string,
  list: readonly { name: string; type: string; description: string; required?: boolean }[],
): Markup {
  if (list.length === 0) return nothing;
  return markup`<h3>${title}</h3><ul class="fields">${list.map(
    ({ name, type, description, required }) =>
      markup`<li><div class="field"><code class="name">${name}</code> <span class="type">${type}</span>${required === true ? markup` <span class="required">required</span>` : nothing}</div><p>${renderLine(description)}</p></li>`,
  )}</ul>`;
}

function renderExample(example: NodeExample, isOpen: boolean): Markup {
  const result =
    example.failure === undefined
      ? renderPanel('Output by port', renderJson(example.outputs ?? {}))
      : renderPanel('Fails', markup`with a ${example.failure} error`);
  const panels = markup`${renderPanel('Configuration', renderJson(example.config))}${renderPanel('Input', renderJson(example.input))}${result}`;
  return markup`<details class="more"${isOpen ? markup` open` : nothing}><summary>${example.title}</summary>${panels}</details>`;
}

/** Converts a schema to plain JSON. */
function toJson(schema: object): JsonObject {
  return JSON.parse(JSON.stringify(schema)) as JsonObject;
}

function filterFields(schema: JsonObject, wanted: (name: string) => boolean): JsonObject {
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const kept = Object.entries(properties).filter(([name]) => wanted(name));
  return { ...schema, properties: Object.fromEntries(kept) };
}
