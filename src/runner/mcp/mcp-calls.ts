import {
  CallToolResultSchema,
  ListToolsResultSchema,
  LoggingMessageNotificationSchema,
  ToolListChangedNotificationSchema,
  type LoggingLevel,
  type Progress,
} from '@modelcontextprotocol/sdk/types.js';
import type { McpCall, McpResult, McpServer, McpTool, McpToolList } from '../../contract/ai/mcp.ts';
import type { LogLevel } from '../../contract/execution.ts';
import type { Clock } from '../../ports/clock.ts';
import { limits } from '../../ports/limits.ts';
import { httpFailure } from '../http/http-failure.ts';
import { ListeningLimit } from './listening-limit.ts';
import type { McpChannel } from './mcp-channel.ts';
import { readHost } from './mcp-failure.ts';
import { withMcpSession, type McpSession } from './mcp-session.ts';
import { readResult } from './read-result.ts';
import { readTool } from './read-tools.ts';

/*
 * Calls with the protocol library. This module and those that it imports are loaded with the first call.
 */

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

/** Of all calls in this process. */
const listening = new ListeningLimit();

/** Lists the tools of a server. */
export function requestTools(clock: Clock, channel: McpChannel, server: McpServer): Promise<McpToolList> {
  return withMcpSession(clock, channel, server, listening, (session) =>
    readList(server, session, clock.now()),
  );
}

/** Calls a tool once. `toolsChanged`: the server says that its list of tools is no longer valid. */
export function requestCall(
  clock: Clock,
  channel: McpChannel,
  server: McpServer,
  { tool, arguments: given }: McpCall,
  toolsChanged: () => void,
): Promise<McpResult> {
  return withMcpSession(clock, channel, server, listening, async ({ client, signal }) => {
    client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => {
      const { level, logger, data } = params;
      const text = typeof data === 'string' ? data : JSON.stringify(data);
      channel.log(LEVELS[level], `${logger === undefined ? '' : `${logger}: `}${text}`, null);
    });
    client.setNotificationHandler(ToolListChangedNotificationSchema, toolsChanged);
    const result = await client.request(
      { method: 'tools/call', params: { name: tool, arguments: given } },
      CallToolResultSchema,
      { signal, timeout: server.timeout, onprogress: (progress) => logProgress(channel, progress) },
    );
    return readResult(result);
  });
}

function logProgress(channel: McpChannel, { progress, total, message }: Progress): void {
  const share = total === undefined ? String(progress) : `${progress} of ${total}`;
  const text = message === undefined ? share : `${share}: ${message}`;
  channel.log('info', `Progress: ${text}`, { progress, total: total ?? null });
}

/** All pages of the list of tools. */
async function readList(
  server: McpServer,
  { client, signal, protocolVersion }: McpSession,
  now: number,
): Promise<McpToolList> {
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
    protocolVersion,
    tools,
    listedAt: now,
  };
}
