import { useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { McpToolList } from 'weft-client';
import type { Doc } from '../../canvas/model/document.ts';
import { client } from '../../data/client.ts';
import { formatServer, rememberList, readMcpServer, type McpServer } from './mcp-tools.ts';

/** ms, as in the cache of the service. */
const MAX_LIST_AGE_MS = 5 * 60_000;
/** Servers of one workflow whose tools are loaded for completion. */
const MAX_SERVERS = 10;

export const createMcpToolsQuery = (server: McpServer, refresh = false) => ({
  queryKey: ['mcp-tools', formatServer(server)],
  queryFn: async ({ signal }: { signal: AbortSignal }): Promise<McpToolList> => {
    const list = await client.mcpTools.list({ ...server, ...(refresh ? { refresh } : {}) }, { signal });
    rememberList(server, list);
    return list;
  },
  staleTime: MAX_LIST_AGE_MS,
  retry: false,
});

/**
 * Loads the tools of a workflow's servers to complete the outputs of its nodes. Uses only the servers that
 * existed when the node `nodeId` was opened, so that a URL is not called while it is typed.
 */
export function useMcpTools(doc: Doc, nodeId: string): void {
  const queries = useMemo(
    () => {
      const servers = new Map<string, McpServer>();
      for (const entry of doc.nodes.values()) {
        const server = entry.config?.['tool'] === undefined ? null : readMcpServer(entry);
        if (server !== null && servers.size < MAX_SERVERS) servers.set(formatServer(server), server);
      }
      return [...servers.values()].map((server) => createMcpToolsQuery(server));
    },
    // eslint-disable-next-line react-hooks/exhaustive-deps
    [nodeId],
  );
  useQueries({ queries });
}
