import { Type } from 'typebox';

/** The server whose tools are listed, with the fields of the node `mcp_tool`. */
export const ListMcpToolsSchema = Type.Object(
  {
    url: Type.String({
      minLength: 1,
      maxLength: 16_384,
      description: 'The URL of the server. It may use `{{ secrets.NAME }}`.',
    }),
    authentication: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description:
          'How requests authenticate, as in the node `mcp_tool`: `{"type": "connection", "connection": "TRACKER"}`. It may use `{{ secrets.NAME }}`.',
      }),
    ),
    proxy: Type.Optional(
      Type.String({ minLength: 1, maxLength: 16_384, description: 'The http or https URL of a proxy.' }),
    ),
    refresh: Type.Optional(
      Type.Boolean({
        description:
          'Whether to load the list from the server instead of the cache. Default: false. A list is cached for five minutes.',
      }),
    ),
  },
  { title: 'ListMcpToolsInput', additionalProperties: false },
);
