import type { McpCall, McpResult, McpServer, McpToolList } from '../../contract/ai/mcp.ts';
import type { Clock } from '../../ports/clock.ts';
import type { McpChannel } from './mcp-channel.ts';
import { createToolKey, ToolCache } from './tool-cache.ts';

/** Calls tools of MCP servers. The library is loaded with the first call. Rejects with HttpFailure. */
export type McpClient = {
  listTools(channel: McpChannel, server: McpServer, options?: { refresh?: boolean }): Promise<McpToolList>;
  callTool(channel: McpChannel, server: McpServer, call: McpCall): Promise<McpResult>;
};

export function createMcpClient(clock: Clock): McpClient {
  const cache = new ToolCache(clock);
  /** Requests for lists, by key and time limit. */
  const pendingLists = new Map<string, Promise<McpToolList>>();

  async function request(channel: McpChannel, server: McpServer, key: string): Promise<McpToolList> {
    const { requestTools } = await import('./mcp-calls.ts');
    const list = await requestTools(clock, channel, server);
    cache.set(key, list);
    return list;
  }

  return {
    async listTools(channel, server, { refresh = false } = {}) {
      const key = createToolKey(channel.ownerId, server, await server.credentials.proof());
      const known = refresh ? null : cache.get(key);
      if (known !== null) return known;
      const flightKey = `${key} ${server.timeout}`;
      // The attempt that requests it may end before it has the list, so that the others request it
      // themselves.
      const earlier = pendingLists.get(flightKey);
      const joined = earlier === undefined ? null : await earlier.catch(() => null);
      if (joined !== null) return joined;
      const pendingList: Promise<McpToolList> = request(channel, server, key).finally(() => {
        if (pendingLists.get(flightKey) === pendingList) pendingLists.delete(flightKey);
      });
      pendingLists.set(flightKey, pendingList);
      return pendingList;
    },

    async callTool(channel, server, call) {
      const key = createToolKey(channel.ownerId, server, await server.credentials.proof());
      const { requestCall } = await import('./mcp-calls.ts');
      return requestCall(clock, channel, server, call, () => cache.forget(key));
    },
  };
}
