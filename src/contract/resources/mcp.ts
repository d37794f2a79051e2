import { Type } from 'typebox';
import { JsonObject, Text, Time, nullable, defineResource } from './resource.ts';

/** Response resources of MCP servers. */

const McpToolResource = defineResource('McpTool', 'A tool of an MCP server.', {
  name: Text(),
  title: Text(),
  description: Text(),
  input_schema: JsonObject('JSON Schema of its arguments, as forms and the validation of the node use it.'),
  output_schema: nullable(
    JsonObject('JSON Schema of its structured content; null if the server states none.'),
  ),
  read_only: Type.Boolean({ description: 'Whether the server states that a call changes nothing.' }),
  idempotent: Type.Boolean({
    description: 'Whether the server states that repeating a call has no further effect.',
  }),
  destructive: Type.Boolean({ description: 'Whether a call may change or delete what exists.' }),
  repeatable: Type.Boolean({
    description: 'Whether the node calls it again if the service stopped during a call.',
  }),
});

export const McpToolListResource = defineResource('McpToolList', 'The tools of an MCP server.', {
  server: defineResource('McpServerInfo', 'What the server states about itself.', {
    name: Text(),
    title: Text(),
    version: Text(),
  }),
  protocol_version: Text('The version of the protocol that was negotiated, such as `2025-11-25`.'),
  listed_at: Time('When the list was loaded from the server.'),
  tools: Type.Array(McpToolResource),
});
