import type { NodeType } from '../../canvas/model/catalog.ts';
import { isRecord } from './field-path.ts';
import { formatLabel, type Schema } from './field.ts';
import { formatValue } from './format-value.ts';

type Translate = (text: string) => string;

/** The node types with all displayed texts translated. Values of a configuration are kept. */
export function translateTypes(types: readonly NodeType[], translate: Translate): NodeType[] {
  const ports = <P extends { readonly description: string }>(all: readonly P[]): P[] =>
    all.map((port) => ({ ...port, description: translated(port.description, translate) }));
  return types.map((type) => ({
    ...type,
    name: translate(type.name),
    description: translated(type.description, translate),
    inputs: ports(type.inputs),
    outputs: ports(type.outputs),
    config_schema: translateSchema(type.config_schema as Schema, translate) as NodeType['config_schema'],
    // The English name stays searchable.
    keywords: [...type.keywords, type.name],
  }));
}

const translated = (text: string, translate: Translate): string => (text === '' ? '' : translate(text));

/** Names that are made from a key become titles, so that they are translated as well. */
function translateSchema(schema: Schema, translate: Translate): Schema {
  const { title, description, properties, additionalProperties, items, prefixItems, oneOf, discriminator } =
    schema;
  const ui = schema['x-ui'];
  const inner = (part: Schema): Schema => translateSchema(part, translate);
  return {
    ...schema,
    ...(title === undefined ? {} : { title: translated(title, translate) }),
    ...(description === undefined ? {} : { description: translated(description, translate) }),
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties).map(([key, part]) => [
              key,
              inner({ ...part, title: part.title ?? formatLabel(key) }),
            ]),
          ),
        }),
    ...(isRecord(additionalProperties) ? { additionalProperties: inner(additionalProperties) } : {}),
    ...(isRecord(items) ? { items: inner(items) } : {}),
    ...(prefixItems === undefined ? {} : { prefixItems: prefixItems.map(inner) }),
    ...(oneOf === undefined
      ? {}
      : {
          oneOf: oneOf.map((part) =>
            inner(
              discriminator === undefined
                ? part
                : { ...part, title: part.title ?? variantLabel(part, discriminator.propertyName) },
            ),
          ),
        }),
    ...(ui === undefined
      ? {}
      : {
          'x-ui': {
            ...ui,
            ...(ui.hint === undefined ? {} : { hint: translated(ui.hint, translate) }),
            ...(ui.group === undefined ? {} : { group: translate(ui.group) }),
            ...(ui.labels === undefined
              ? {}
              : {
                  labels: Object.fromEntries(
                    Object.entries(ui.labels).map(([value, label]) => [value, translated(label, translate)]),
                  ),
                }),
          },
        }),
  };
}

const variantLabel = (schema: Schema, tag: string): string =>
  formatLabel(formatValue(schema.properties?.[tag]?.const));
