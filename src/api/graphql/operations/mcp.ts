import { ListMcpToolsSchema } from '../../../contract/requests/mcp.ts';
import { McpToolListResource } from '../../../contract/resources/mcp.ts';
import { presentMcpTools } from '../../serializers/mcp.ts';
import type { GraphqlServices } from '../services.ts';
import { createInputArg, createOutputType, type OperationBuilder } from './operation-builder.ts';
import type { Operation } from './operation.ts';

export function mcpOperations(builder: OperationBuilder, { mcpTools }: GraphqlServices): Operation[] {
  const list = createOutputType(builder, McpToolListResource);
  const input = createInputArg(builder, 'input', 'ListMcpToolsInput', ListMcpToolsSchema);
  return [
    {
      kind: 'mutation',
      name: 'listMcpTools',
      scope: 'workflows:write',
      description:
        'Lists the tools of an MCP server. A secret or a connection also needs the scope secrets:use.',
      args: input.args,
      type: list.type,
      resolve: async (args, principal) =>
        list.show(presentMcpTools(await mcpTools.list(principal, input.read(args)))),
    },
  ];
}
