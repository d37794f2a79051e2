import type { McpTool, McpToolList } from '../../contract/ai/mcp.ts';
import { formatIsoTime } from '../../lib/time/iso-time.ts';

export function presentMcpTools({ server, protocolVersion, listedAt, tools }: McpToolList) {
  const { name, title, version } = server;
  return {
    server: { name, title, version },
    protocol_version: protocolVersion,
    listed_at: formatIsoTime(listedAt),
    tools: tools.map(presentMcpTool),
  };
}

function presentMcpTool(tool: McpTool) {
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    input_schema: tool.inputSchema,
    output_schema: tool.outputSchema,
    read_only: tool.isReadOnly,
    idempotent: tool.isIdempotent,
    destructive: tool.isDestructive,
    repeatable: tool.isReadOnly || tool.isIdempotent,
  };
}
