import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { McpContent, McpResult } from '../../contract/ai/mcp.ts';
import type { JsonObject } from '../../lib/json/json.ts';

const ANY_TYPE = 'application/octet-stream';

/** Converts the result of a call. */
export function readResult({ content, structuredContent, isError }: CallToolResult): McpResult {
  return {
    content: content.map(readContent),
    structuredContent: (structuredContent as JsonObject | undefined) ?? null,
    isError: isError === true,
  };
}

function readContent(part: CallToolResult['content'][number]): McpContent {
  switch (part.type) {
    case 'text':
      return { kind: 'text', text: part.text };
    case 'image':
    case 'audio':
      return { kind: 'file', contentType: part.mimeType, data: Buffer.from(part.data, 'base64'), uri: null };
    case 'resource': {
      const { resource } = part;
      const isText = 'text' in resource;
      return {
        kind: 'file',
        contentType: resource.mimeType ?? (isText ? 'text/plain' : ANY_TYPE),
        data: isText ? Buffer.from(resource.text) : Buffer.from(resource.blob, 'base64'),
        uri: resource.uri,
      };
    }
    case 'resource_link':
      return {
        kind: 'link',
        uri: part.uri,
        name: part.title ?? part.name,
        description: part.description ?? null,
        contentType: part.mimeType ?? null,
      };
  }
}
