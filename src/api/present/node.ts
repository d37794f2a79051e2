import type { NodeType } from '../../contract/node-type.ts';

/** A node type as a catalogue entry. */
export function presentNode(type: NodeType) {
  return {
    id: type.type,
    name: type.name,
    description: type.description,
    category: type.category,
    version: type.version,
    inputs: type.fields?.inputs ?? type.inputs,
    outputs: type.fields?.outputs ?? type.outputs,
    config_schema: type.config,
    icon: type.icon,
    custom: type.category === 'custom',
    effects: type.effects,
    implementation: type.implementation ?? null,
  };
}
