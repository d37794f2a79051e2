import { Type } from 'typebox';
import { AnyJson, Count, JsonObject, OneOf, Text, nullable, defineResource } from './resource.ts';
import { logLevels } from '../execution.ts';
import { nodeCategories } from '../node-type.ts';

/** Response resources of the node catalog. */

/** The result of a test of a custom node. */
export const NodeTestResource = defineResource('NodeTest', 'The result of a custom node that ran once.', {
  status: OneOf(['completed', 'failed']),
  output: AnyJson('The declared outputs by name; null after a failure.'),
  error: nullable(
    defineResource('NodeTestError', 'Why it failed.', {
      type: Text('As in the error of a node run.'),
      message: Text(),
      data: AnyJson('Details, such as the line of an exception; null if there are none.'),
    }),
  ),
  logs: Type.Array(
    defineResource('NodeTestLog', 'An entry that the code logged.', {
      level: OneOf(logLevels),
      message: Text(),
    }),
  ),
  duration: Count('The time in milliseconds, with the wait for a free sandbox.'),
});

const nodeFields = {
  id: Text(),
  name: Text(),
  description: Text(),
  category: OneOf(nodeCategories),
  version: Text('major.minor.patch'),
  inputs: Type.Array(
    defineResource('NodeInput', 'An input port.', {
      name: Text(),
      type: Text(),
      required: Type.Boolean(),
      description: Text(),
    }),
  ),
  outputs: Type.Array(
    defineResource('NodeOutput', 'An output port.', { name: Text(), type: Text(), description: Text() }),
  ),
  config_schema: JsonObject(
    'JSON Schema of its configuration. For a pack only the field `operation`: GET /packs/{name}/operations/{id} has the schema of each.',
  ),
  icon: Text(),
  keywords: Type.Array(Text(), {
    description: 'Other words that people search for, most important first.',
  }),
  custom: Type.Boolean(),
  effects: OneOf(['none', 'external']),
  secret_fields: Type.Array(
    Text('A field of the configuration and everything below it; * matches any key.'),
    {
      description:
        'The fields that may use `{{ secrets.NAME }}`. For a pack those of all operations: GET /packs/{name}/operations/{id} has all of each.',
    },
  ),
  pack: nullable(
    defineResource('NodePack', 'The pack that the node type belongs to; null for every other node.', {
      name: Text(),
      operations: Count('Number of operations.'),
    }),
  ),
  implementation: nullable(
    defineResource(
      'NodeImplementation',
      'The code of a custom node, as it runs; null for every other node.',
      {
        runtime: OneOf(['javascript']),
        size: Count('Size of the code with its packages, in bytes.'),
        sha256: Text('SHA-256 of the code, in hex.'),
        dependencies: Type.Array(
          defineResource('NodeDependency', 'A package bundled with the handler.', {
            path: Text('Its install path, such as `a/node_modules/b`.'),
            version: Text(),
            integrity: Text('The verified hash of its archive.'),
            archive_size: Count('Size of its archive, in bytes.'),
            unpacked_size: Count('Total size of its files, in bytes.'),
            bundled_size: Count('Size of its part of the bundle, in bytes.'),
          }),
        ),
      },
    ),
  ),
};

export const NodeResource = defineResource('Node', 'A node type that a workflow may use.', nodeFields);

export const NodeDetailResource = defineResource('NodeDetail', 'A node type, with its code.', {
  ...nodeFields,
  handler: nullable(
    Text('The code of a custom node as it was registered, without its packages; null for every other node.'),
  ),
});

export const NodeListResource = defineResource('NodeList', 'Node types.', {
  nodes: Type.Array(NodeResource),
});
export const NodeVersionListResource = defineResource(
  'NodeVersionList',
  'All versions of a node type, newest first.',
  {
    versions: Type.Array(NodeResource),
  },
);
