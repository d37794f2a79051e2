import { ListMcpToolsSchema } from '../../contract/requests/mcp.ts';
import { McpToolListResource } from '../../contract/resources/mcp.ts';
import type { McpTools } from '../../services/mcp/mcp-tools.service.ts';
import { presentMcpTools } from '../serializers/mcp.ts';
import type { Route } from './route.ts';

export function mcpRoutes(mcpTools: McpTools): Route[] {
  return [
    {
      method: 'POST',
      path: '/mcp-tools',
      operation: 'listMcpTools',
      status: 200,
      scope: 'workflows:write',
      summary: 'List the tools of an MCP server. A secret or a connection also needs secrets:use',
      response: McpToolListResource,
      body: ListMcpToolsSchema,
      handle: async ({ principal, body }) => presentMcpTools(await mcpTools.list(principal, body)),
    },
  ];
}
