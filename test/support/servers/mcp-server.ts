import { spawn } from 'node:child_process';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { json } from 'node:stream/consumers';
import type { Json, JsonObject } from '../../../src/lib/json/json.ts';
import { freePort } from './free-port.ts';

/** A message that a client sent, and the headers of its request. */
export type McpMessage = {
  method: string;
  id?: number | string;
  params: JsonObject;
  headers: IncomingHttpHeaders;
  url: string;
};

/** A tool call that the fake server received, and the functions that respond to it. */
export type McpExchange = {
  /** The id of the request. */
  id: number | string;
  message: McpMessage;
  response: ServerResponse;
  /** Sends the result, as JSON unless a stream was opened. */
  result: (result: JsonObject) => void;
  error: (code: number, text: string) => void;
  /** Sends a notification in a stream. */
  notify: (method: string, params: JsonObject) => void;
};

export type FakeMcpTool = {
  name: string;
  title?: string;
  inputSchema?: JsonObject;
  outputSchema?: JsonObject;
  annotations?: JsonObject;
  execution?: JsonObject;
  description?: string;
  call?: (exchange: McpExchange) => void | Promise<void>;
};

export type FakeMcpServer = {
  readonly url: string;
  readonly port: number;
  readonly received: McpMessage[];
  /** The sessions that a client has ended. */
  readonly ended: string[];
  tools: FakeMcpTool[];
  /** Whether it keeps a stream of messages open for each session, and how many were open at once. */
  keepsStreams: boolean;
  readonly mostStreams: number;
  /** Continues a stream after the event with this id. */
  resume: (lastEventId: string, response: ServerResponse) => void;
  /** Answers a request in place of the fake when it returns true. */
  intercept: (message: McpMessage, response: ServerResponse) => boolean;
  calls(tool?: string): McpMessage[];
  close(): Promise<void>;
};

/** An MCP server on 127.0.0.1 with the tools of a test. */
export async function startMcpServer(
  tools: FakeMcpTool[],
  { protocolVersion, pageSize = 100 }: { protocolVersion?: string; pageSize?: number } = {},
): Promise<FakeMcpServer> {
  let sessions = 0;
  let streams = 0;
  let mostStreams = 0;
  const server = createServer((request, response) => {
    const { method, headers, url = '' } = request;
    if (method === 'DELETE') {
      fake.ended.push(String(headers['mcp-session-id']));
      response.writeHead(204).end();
      return;
    }
    const lastEventId = headers['last-event-id'];
    if (method === 'GET' && typeof lastEventId === 'string') {
      fake.resume(lastEventId, response);
      return;
    }
    if (method === 'GET' && fake.keepsStreams) {
      streams++;
      mostStreams = Math.max(mostStreams, streams);
      response.once('close', () => streams--);
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      return;
    }
    if (method !== 'POST') {
      response.writeHead(405).end();
      return;
    }
    json(request).then(
      (body) =>
        receive(
          { ...(body as McpMessage), params: (body as McpMessage).params ?? {}, headers, url },
          response,
        ),
      () => response.destroy(),
    );
  });

  function receive(message: McpMessage, response: ServerResponse): void {
    fake.received.push(message);
    if (fake.intercept(message, response)) return;
    const { method, id, params } = message;
    if (id === undefined) {
      response.writeHead(202).end();
      return;
    }
    const exchange = createExchange(id, message, response);
    if (method === 'initialize') {
      response.setHeader('mcp-session-id', `session-${++sessions}`);
      exchange.result({
        protocolVersion: protocolVersion ?? (params['protocolVersion'] as string),
        capabilities: { tools: {}, logging: {} },
        serverInfo: { name: 'fake', title: 'A fake', version: '1.2.3' },
      });
    } else if (method === 'tools/list') {
      const start = Number(params['cursor'] ?? 0);
      const page = fake.tools.slice(start, start + pageSize);
      exchange.result({
        tools: page.map(({ call: _call, ...tool }) => ({
          inputSchema: { type: 'object' },
          ...tool,
        })) as Json[],
        ...(start + pageSize < fake.tools.length ? { nextCursor: String(start + pageSize) } : {}),
      });
    } else if (method === 'tools/call') {
      const tool = fake.tools.find(({ name }) => name === params['name']);
      if (tool?.call === undefined) exchange.result({ content: [{ type: 'text', text: 'done' }] });
      else void tool.call(exchange);
    } else exchange.error(-32_601, 'Method not found');
  }

  const fake: FakeMcpServer = {
    url: '',
    port: 0,
    received: [],
    ended: [],
    tools,
    keepsStreams: false,
    get mostStreams() {
      return mostStreams;
    },
    resume: (_lastEventId, response) => void response.writeHead(405).end(),
    intercept: () => false,
    calls: (tool) =>
      fake.received.filter(
        ({ method, params }) => method === 'tools/call' && (tool === undefined || params['name'] === tool),
      ),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(fake, { port, url: `http://127.0.0.1:${port}/mcp` });
}

function createExchange(id: number | string, message: McpMessage, response: ServerResponse): McpExchange {
  let isStream = false;
  const event = (value: JsonObject): void => {
    response.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...value })}\n\n`);
  };
  const end = (value: JsonObject): void => {
    if (isStream) {
      event({ id, ...value });
      response.end();
      return;
    }
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...value }));
  };
  return {
    id,
    message,
    response,
    result: (result) => end({ result }),
    error: (code, text) => end({ error: { code, message: text } }),
    notify(method, params) {
      if (!isStream) response.writeHead(200, { 'content-type': 'text/event-stream' });
      isStream = true;
      event({ method, params });
    },
  };
}

/** The server that exercises all features of the protocol, as a program. */
export async function startServerEverything(): Promise<{ url: string; close(): Promise<void> }> {
  const port = await freePort();
  const main = createRequire(import.meta.url).resolve(
    '@modelcontextprotocol/server-everything/dist/index.js',
  );
  const child = spawn(process.execPath, [main, 'streamableHttp'], {
    cwd: path.dirname(main),
    env: { PATH: process.env['PATH'], PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  await new Promise<void>((resolve, reject) => {
    let text = '';
    child.stderr.on('data', (chunk: Buffer) => {
      text += String(chunk);
      if (text.includes('listening on port')) resolve();
    });
    child.once('exit', () => reject(new Error(`server-everything ended: ${text}`)));
  });
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async close() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
