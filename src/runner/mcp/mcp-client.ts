import type { LoggingLevel } from '@modelcontextprotocol/sdk/types.js';
import type { McpCall, McpResult, McpServer, McpTool, McpToolList } from '../../contract/mcp.ts';
import type { LogLevel } from '../../contract/execution.ts';
import type { Clock } from '../../ports/clock.ts';
import { limits } from '../../ports/limits.ts';
import { httpFailure } from '../http/http-failure.ts';
import type { McpChannel } from './mcp-channel.ts';
import { readHost } from './mcp-failure.ts';
import { withMcpSession, type McpSession } from './mcp-session.ts';
import { readResult } from './read-result.ts';
import { readTool } from './read-tools.ts';
import { createToolKey, ToolCache } from './tool-cache.ts';

/** The level of a log entry for each level of the protocol. */
const LEVELS: Readonly<Record<LoggingLevel, LogLevel>> = {
  debug: 'debug',
  info: 'info',
  notice: 'info',
  warning: 'warning',
  error: 'error',
  critical: 'error',
  alert: 'error',
  emergency: 'error',
};

/** Calls tools of MCP servers. The library is loaded with the first call. Rejects with HttpFailure. */
export type McpClient = {
  listTools(channel: McpChannel, server: McpServer, options?: { refresh?: boolean }): Promise<McpToolList>;
  callTool(channel: McpChannel, server: McpServer, call: McpCall): Promise<McpResult>;
};

export function createMcpClient(clock: Clock): McpClient {
  const cache = new ToolCache(clock);

  return {
    async listTools(channel, server, { refresh = false } = {}) {
      const key = createToolKey(channel.ownerId, server, await server.credentials.proof());
      const known = refresh ? null : cache.get(key);
      if (known !== null) return known;
      const list = await withMcpSession(clock, channel, server, (session) =>
        readList(server, session, clock.now()),
      );
      cache.set(key, list);
      return list;
    },

    async callTool(channel, server, { tool, arguments: given }) {
      const key = createToolKey(channel.ownerId, server, await server.credentials.proof());
      const { CallToolResultSchema, LoggingMessageNotificationSchema, ToolListChangedNotificationSchema } =
        await import('@modelcontextprotocol/sdk/types.js');
      return withMcpSession(clock, channel, server, async ({ client, signal }) => {
        client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => {
          const { level, logger, data } = params;
          const text = typeof data === 'string' ? data : JSON.stringify(data);
          channel.log(LEVELS[level], `${logger === undefined ? '' : `${logger}: `}${text}`, null);
        });
        client.setNotificationHandler(ToolListChangedNotificationSchema, () => cache.forget(key));
        const result = await client.request(
          { method: 'tools/call', params: { name: tool, arguments: given } },
          CallToolResultSchema,
          {
            signal,
            timeout: server.timeout,
            onprogress: ({ progress, total, message }) => {
              const share = total === undefined ? String(progress) : `${progress} of ${total}`;
              channel.log(
                'info',
                message === undefined ? `Progress: ${share}` : `Progress: ${share}: ${message}`,
                {
                  progress,
                  total: total ?? null,
                },
              );
            },
          },
        );
        return readResult(result);
      });
    },
  };
}

/** All pages of the list of tools. */
async function readList(
  server: McpServer,
  { client, signal, getProtocolVersion }: McpSession,
  now: number,
): Promise<McpToolList> {
  const { ListToolsResultSchema } = await import('@modelcontextprotocol/sdk/types.js');
  const tools: McpTool[] = [];
  let chars = 0;
  const info = client.getServerVersion();
  // A server without tools does not have to support the request.
  let cursor: string | undefined = client.getServerCapabilities()?.tools === undefined ? undefined : '';
  while (cursor !== undefined) {
    const page = await client.request(
      { method: 'tools/list', params: cursor === '' ? {} : { cursor } },
      ListToolsResultSchema,
      { signal, timeout: server.timeout },
    );
    for (const tool of page.tools) tools.push(readTool(tool));
    chars += JSON.stringify(page.tools).length;
    if (tools.length > limits.mcpTools || chars > limits.mcpToolChars)
      throw httpFailure(
        'limit',
        `${readHost(server)} must list at most ${limits.mcpTools} tools with ${limits.mcpToolChars} characters`,
        false,
      );
    cursor = page.nextCursor === '' || page.tools.length === 0 ? undefined : page.nextCursor;
  }
  return {
    server: {
      name: info?.name ?? '',
      title: info?.title ?? info?.name ?? '',
      version: info?.version ?? '',
    },
    protocolVersion: getProtocolVersion(),
    tools,
    listedAt: now,
  };
}
