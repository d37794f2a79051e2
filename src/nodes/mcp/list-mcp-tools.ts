import { Type } from 'typebox';
import { HttpFailure } from '../../contract/node-type.ts';
import type { Json } from '../../lib/json/json.ts';
import { listNamedConnections } from '../http/authentication.ts';
import { defineNode } from '../define-node.ts';
import { done, invalid } from '../outcome.ts';
import { closed } from '../schema.ts';
import {
  createServer,
  serverFields,
  serverSecrets,
  serverTemplates,
  URL_ISSUE,
  validateServer,
} from './mcp-fields.ts';

/**
 * Lists the tools of a server. It is not in the catalog: the service of the list runs it as a node, so that
 * the same secrets, egress policy and limits apply. Its output is an `McpToolList`.
 */
export const listMcpTools = defineNode({
  type: 'list_mcp_tools',
  version: '1.0.0',
  name: 'List MCP tools',
  category: 'connector',
  description: 'Lists the tools of an MCP server.',
  icon: 'plug',
  config: closed({ ...serverFields, refresh: Type.Boolean() }),
  templates: serverTemplates,
  outputs: [{ name: 'out', type: 'object', description: 'An McpToolList' }],
  effects: 'external',
  secrets: serverSecrets,
  keepsTime: true,
  check: validateServer,
  connections: listNamedConnections,
  async run(ctx, config) {
    const server = createServer(ctx, config);
    if (server === null) return invalid('url', URL_ISSUE);
    try {
      return done((await ctx.mcp.listTools(server, { refresh: config.refresh })) as unknown as Json);
    } catch (error) {
      if (error instanceof HttpFailure) return { kind: 'failed', error: error.failure };
      throw error;
    }
  },
  examples: [],
});
