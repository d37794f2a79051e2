import type { NodeType } from '../../contract/node-type.ts';
import type { NodeTest } from '../../services/workflows/nodes.service.ts';

/** Forms of all operations of a pack would be too long for a catalog entry. */
const packConfigSchema = {
  type: 'object',
  required: ['operation'],
  properties: { operation: { type: 'string', title: 'Operation', description: 'The id of an operation.' } },
};

/** The result of a test of a custom node. */
export function presentNodeTest({ output, error, logs, duration }: NodeTest) {
  return {
    status: error === null ? ('completed' as const) : ('failed' as const),
    output,
    error: error === null ? null : { type: error.type, message: error.message, data: error.data ?? null },
    logs,
    duration,
  };
}

/** A node type as a catalog entry. */
export function presentNode(type: NodeType) {
  return {
    id: type.type,
    name: type.name,
    description: type.description,
    category: type.category,
    version: type.version,
    inputs: type.fields?.inputs ?? type.inputs,
    outputs: type.fields?.outputs ?? type.outputs,
    config_schema: type.pack === undefined ? presentConfigSchema(type) : packConfigSchema,
    icon: type.icon,
    keywords: type.keywords,
    custom: type.category === 'custom',
    effects: type.effects,
    secret_fields: type.pack?.secretFields ?? Object.keys(type.secrets ?? {}),
    pack: type.pack === undefined ? null : { name: type.pack.name, operations: type.pack.operations },
    implementation: presentImplementation(type.implementation),
  };
}

/** Adds the patterns of the fields in which templates are not evaluated, such as `cases.*.name`. */
function presentConfigSchema({ config, templates }: NodeType) {
  const literal = Object.entries(templates ?? {}).flatMap(([pattern, mode]) =>
    mode === 'literal' ? [pattern] : [],
  );
  return literal.length === 0 ? config : { ...config, 'x-literal': literal };
}

/** A single node type, with its code, which may be long. */
export function presentNodeDetail(type: NodeType) {
  return { ...presentNode(type), handler: type.implementation?.handler ?? null };
}

function presentImplementation(implementation: NodeType['implementation']) {
  if (implementation === undefined) return null;
  const { runtime, size, sha256, dependencies } = implementation;
  return { runtime, size, sha256, dependencies };
}
