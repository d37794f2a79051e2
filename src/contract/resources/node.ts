import { Type } from 'typebox';
import { Count, JsonObject, OneOf, Text, nullable, resource } from './resource.ts';
import { nodeCategories } from '../node-type.ts';

/** What answers show of the catalogue. */

const nodeFields = {
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
  secret_fields: Type.Array(
    Text('A field of the configuration, with all that lies under it; * stands for any key.'),
    { description: 'The fields that may read `{{ secrets.NAME }}`.' },
  ),
  implementation: nullable(
    resource('NodeImplementation', 'The code of a custom node, as it runs; null for every other node.', {
      runtime: OneOf(['javascript']),
      size: Count('Bytes of the code, with that of its packages.'),
      sha256: Text('Of the code, in hex.'),
      dependencies: Type.Array(
        resource('NodeDependency', 'A package that was bundled with the handler.', {
          path: Text('Its install path: its name, behind those of the packages in whose folder it lies.'),
          version: Text(),
          integrity: Text('The hash of its archive, which was checked.'),
          archive_size: Count('Bytes of its archive.'),
          unpacked_size: Count('Bytes of its files.'),
          bundled_size: Count('Bytes of the code that are of it.'),
        }),
      ),
    }),
  ),
};

export const NodeResource = resource('Node', 'A node type that a workflow may use.', nodeFields);

export const NodeDetailResource = resource('NodeDetail', 'A node type, with its code.', {
  ...nodeFields,
  handler: nullable(
    Text('The code of a custom node as it was registered, without its packages; null for every other node.'),
  ),
});

export const NodeListResource = resource('NodeList', 'Node types.', { nodes: Type.Array(NodeResource) });
export const NodeVersionListResource = resource('NodeVersionList', 'All versions of one, newest first.', {
  versions: Type.Array(NodeResource),
});
