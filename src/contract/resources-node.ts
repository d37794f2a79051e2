import { Type } from 'typebox';
import { JsonObject, OneOf, Text, resource } from './resource.ts';
import { nodeCategories } from './node-type.ts';

/** What answers show of the catalogue. */

export const NodeResource = resource('Node', 'A node type that a workflow may use.', {
  id: Text(),
  name: Text(),
  description: Text(),
  category: OneOf(nodeCategories),
  version: Text('major.minor.patch'),
  inputs: Type.Array(
    resource('NodeInput', 'A port that takes.', {
      name: Text(),
      type: Text(),
      required: Type.Boolean(),
      description: Text(),
    }),
  ),
  outputs: Type.Array(
    resource('NodeOutput', 'A port that gives.', { name: Text(), type: Text(), description: Text() }),
  ),
  config_schema: JsonObject('JSON Schema of its configuration.'),
  icon: Text(),
  custom: Type.Boolean(),
  effects: OneOf(['none', 'external']),
});

export const NodeListResource = resource('NodeList', 'Node types.', { nodes: Type.Array(NodeResource) });
export const NodeVersionListResource = resource('NodeVersionList', 'All versions of one, newest first.', {
  versions: Type.Array(NodeResource),
});
