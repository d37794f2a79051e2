import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CallToolResultSchema, CreateTaskResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { expect } from 'vitest';

const VERSION = '2025-11-25';

/** A client of the version 2025-11-25 of MCP, with the library of that version. */
export async function connectEarlierClient(
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  const transport = new StreamableHTTPClientTransport(new URL('/v1/mcp', url), { requestInit: { headers } });
  await client.connect(transport as never);
  expect(transport.protocolVersion).toBe(VERSION);
  await client.listTools();
  return client;
}

/** Starts a call as a task; returns its id without waiting for its end. */
export async function startEarlierTask(
  client: Client,
  name: string,
  args: Record<string, unknown> = {},
  meta: Record<string, unknown> = {},
): Promise<string> {
  const params = { name, arguments: args, task: {}, _meta: meta };
  const { task } = await client.request({ method: 'tools/call', params }, CreateTaskResultSchema);
  expect(task).toMatchObject({ status: 'working', ttl: null, pollInterval: 1_000 });
  return task.taskId;
}

/** Waits for the result of a task, for at most `timeout` ms. */
export const readEarlierResult = (client: Client, id: string, timeout?: number) =>
  client.experimental.tasks.getTaskResult(id, CallToolResultSchema, timeout === undefined ? {} : { timeout });
