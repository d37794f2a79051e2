/** One request of the version 2026-07-28, from a client with the extension for tasks; returns the result. */
export async function sendMcpRequest(
  url: string,
  headers: Readonly<Record<string, string>>,
  method: string,
  params: Readonly<Record<string, unknown>>,
): Promise<Record<string, unknown>> {
  const name = params['name'] ?? params['taskId'];
  const response = await fetch(new URL('/v1/mcp', url), {
    method: 'POST',
    headers: {
      ...headers,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(typeof name === 'string' && { 'mcp-name': name }),
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method,
      params: {
        ...params,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': {
            extensions: { 'io.modelcontextprotocol/tasks': {} },
          },
          ...(params['_meta'] as object | undefined),
        },
      },
    }),
  });
  const { result, error } = (await response.json()) as Record<string, Record<string, unknown>>;
  if (result === undefined) throw new Error(JSON.stringify(error));
  return result;
}
