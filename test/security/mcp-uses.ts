import type { IncomingMessage } from 'node:http';

/** The fields of the node `mcp_tool` that may read a secret. */
const requests: ((url: string, value: string) => object)[] = [
  (url, value) => ({ tool: 'x', url: `${url}?key=${value}` }),
  (url, value) => ({ tool: 'x', url, arguments: { key: value, deep: [value] } }),
  (url, value) => ({ tool: 'x', url, authentication: { type: 'bearer', token: value } }),
  (url, value) => ({
    tool: 'x',
    url,
    authentication: { type: 'basic', username: value, password: value },
  }),
  (url, value) => ({ tool: 'x', url, authentication: { type: 'header', name: 'x-api-key', value } }),
];

/** A call of each of the servers with a secret in each of the fields. */
export const listMcpUses = (urls: readonly string[]) =>
  urls.flatMap((url) => requests.map((request) => ({ config: (value: string) => request(url, value) })));

/** Answers as a server with a tool, which at the second address fails and tells all that it got. */
export function respondAsMcp(
  { method, url = '' }: IncomingMessage,
  body: string,
  all: string,
  respond: (status: number, value: unknown) => void,
): void {
  if (method !== 'POST') return respond(method === 'DELETE' ? 200 : 405, {});
  const { id, method: asked } = JSON.parse(body) as { id?: number; method: string };
  if (id === undefined) return respond(202, {});
  const isFailing = url.includes('/mcp-error');
  const results: Record<string, object> = {
    initialize: {
      protocolVersion: '2025-11-25',
      capabilities: { tools: {} },
      serverInfo: { name: 'up', version: '1' },
    },
    'tools/list': { tools: [{ name: 'x', inputSchema: { type: 'object' } }] },
    'tools/call': { content: [{ type: 'text', text: isFailing ? all : 'done' }], isError: isFailing },
  };
  respond(200, { jsonrpc: '2.0', id, result: results[asked] });
}
