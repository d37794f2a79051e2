import type { McpCall, McpResult, McpServer, McpToolList } from '../../contract/ai/mcp.ts';
import type { Clock } from '../../ports/clock.ts';
import { createListKey, ListCache } from '../list-cache.ts';
import type { McpChannel } from './mcp-channel.ts';

/** Calls tools of MCP servers. The library is loaded with the first call. Rejects with HttpFailure. */
export type McpClient = {
  listTools(channel: McpChannel, server: McpServer, options?: { refresh?: boolean }): Promise<McpToolList>;
  callTool(channel: McpChannel, server: McpServer, call: McpCall): Promise<McpResult>;
};

export function createMcpClient(clock: Clock): McpClient {
  const lists = new ListCache<McpToolList>(clock);

  return {
    async listTools(channel, server, { refresh = false } = {}) {
      const key = await createKey(channel, server);
      return lists.load(key, { refresh, timeout: server.timeout }, async () => {
        const { requestTools } = await import('./mcp-calls.ts');
        return requestTools(clock, channel, server);
      });
    },

    async callTool(channel, server, call) {
      const key = await createKey(channel, server);
      const { requestCall } = await import('./mcp-calls.ts');
      return requestCall(clock, channel, server, call, () => lists.forget(key));
    },
  };
}

async function createKey({ ownerId }: McpChannel, { url, proxy, credentials }: McpServer): Promise<string> {
  const { headers, query } = await credentials.proof();
  return createListKey([ownerId, url, proxy ?? null, headers, query]);
}
