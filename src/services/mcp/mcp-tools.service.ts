import type { McpToolList } from '../../contract/ai/mcp.ts';
import type { Principal } from '../../contract/principal.ts';
import { ListMcpToolsSchema } from '../../contract/requests/mcp.ts';
import { validate } from '../../contract/validate.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { listMcpTools } from '../../nodes/mcp/list-mcp-tools.ts';
import { requireScope } from '../authorize.ts';
import { runList, type ListDeps } from '../list-attempt.ts';

export type McpTools = ReturnType<typeof createMcpTools>;

const LIST_TIMEOUT = '30s';

/** The tools of MCP servers, for the form of the node `mcp_tool`. */
export function createMcpTools(deps: ListDeps) {
  return {
    /**
     * Lists the tools of a server. The scope `secrets:use` is needed to use a secret or a connection.
     * @throws {WeftError} VALIDATION_ERROR with the field, also when the server does not list its tools.
     */
    async list(principal: Principal, input: unknown): Promise<McpToolList> {
      requireScope(principal, 'workflows:write');
      const { refresh = false, ...given } = validate(ListMcpToolsSchema, input);
      const config = { ...given, refresh, timeout: LIST_TIMEOUT } as JsonObject;
      const list = await runList(deps, principal, listMcpTools, config, (message) => ({
        field: 'url',
        issue: `did not list its tools: ${message}`,
      }));
      return list as unknown as McpToolList;
    },
  };
}
