import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { caller, waitUntil, type ApiResponse } from '../support/service.ts';
import { startMcpServer, startServerEverything, type FakeMcpServer } from '../support/servers/mcp-server.ts';
import { useService } from '../support/use-service.ts';
import { manual } from './definitions.ts';

/* The built program with the server that exercises all features of the protocol, and with a fake. */

const service = useService();
const { api } = service;
let everything: { url: string; close(): Promise<void> };
let fake: FakeMcpServer;

beforeAll(async () => {
  [everything, fake] = await Promise.all([
    startServerEverything(),
    startMcpServer([{ name: 'one' }, { name: 'two', annotations: { idempotentHint: true } }]),
  ]);
});
afterAll(async () => {
  await everything.close();
  await fake.close();
});

const list = (body: object, call = api): Promise<ApiResponse> => call('POST', '/mcp-tools', { body });
type Tool = { name: string; input_schema: object; output_schema: object | null; repeatable: boolean };
const readTools = ({ body }: ApiResponse): Tool[] => (body as { tools: Tool[] }).tools;
const readError = ({ body }: ApiResponse) =>
  (body as { error: { code: string; details: { field: string; issue: string } } }).error;

type Execution = {
  id: string;
  status: string;
  output: Record<string, unknown>;
  error: { type: string; message: string } | null;
};
async function save(config: object): Promise<string> {
  const definition = {
    nodes: [manual, { id: 'n', type: 'mcp_tool', config: { url: everything.url, ...config } }],
    connections: [{ from: 'start', to: 'n' }],
  };
  const made = await api('POST', '/workflows', { body: { name: 'W', definition } });
  expect(made.status, made.text).toBe(201);
  return (made.body as { id: string }).id;
}
async function run(config: object): Promise<Execution> {
  const id = await save(config);
  return (await api('POST', `/workflows/${id}/execute`, { body: { wait: '30s' } })).body as Execution;
}
const logsOf = async (id: string): Promise<string[]> =>
  ((await api('GET', `/executions/${id}/logs`)).body as { logs: { message: string }[] }).logs.map(
    ({ message }) => message,
  );

describe('server-everything', () => {
  test('its tools are listed with forms', async () => {
    const response = await list({ url: everything.url });
    expect(response.status, response.text).toBe(200);
    expect(response.body).toMatchObject({
      server: { name: 'mcp-servers/everything' },
      protocol_version: '2025-11-25',
    });
    const tools = new Map(readTools(response).map((tool) => [tool.name, tool]));
    expect(tools.get('get-sum')).toMatchObject({
      input_schema: {
        type: 'object',
        required: ['a', 'b'],
        properties: { a: { type: 'number', description: 'First number' } },
      },
      repeatable: true,
    });
    expect(tools.get('get-structured-content')?.output_schema).toMatchObject({
      properties: { temperature: { type: 'number' } },
    });
  });

  test('text, and an argument that does not fit', async () => {
    const sum = await run({ tool: 'get-sum', arguments: { a: 19, b: 23 } });
    expect(sum).toMatchObject({
      status: 'completed',
      output: { result: 'The sum of 19 and 23 is 42.', files: [], links: [] },
    });
    const wrong = await run({ tool: 'get-sum', arguments: { a: 'x', b: 23 } });
    expect(wrong.error).toMatchObject({
      type: 'validation',
      message: 'arguments.a: must be a number',
    });
  });

  test('structured content', async () => {
    const weather = await run({ tool: 'get-structured-content', arguments: { location: 'Chicago' } });
    expect(weather.output).toMatchObject({
      result: { temperature: expect.any(Number) as number, conditions: expect.any(String) as string },
    });
  });

  test('an image as a file, and links', async () => {
    const { output } = await run({ tool: 'get-tiny-image' });
    const [file] = output['files'] as { $file: { id: string; name: string; content_type: string } }[];
    expect(file).toMatchObject({ $file: { content_type: 'image/png' } });
    const content = await api('GET', `/files/${file!.$file.id}`);
    expect(content.text.slice(1, 4)).toBe('PNG');
    const links = await run({ tool: 'get-resource-links', arguments: { count: 2 } });
    expect(links.output['links']).toHaveLength(2);
  });

  test('progress in the log', async () => {
    const done = await run({
      tool: 'trigger-long-running-operation',
      arguments: { duration: 0.2, steps: 2 },
    });
    expect(done.status).toBe('completed');
    expect(await logsOf(done.id)).toEqual(
      expect.arrayContaining(['Progress: 1 of 2', 'Progress: 2 of 2']) as string[],
    );
  });

  test('the end by a stop, and by the time limit', async () => {
    const config = { tool: 'trigger-long-running-operation', arguments: { duration: 60, steps: 600 } };
    const begun = await api('POST', `/workflows/${await save(config)}/execute`, { body: {} });
    const { id } = begun.body as Execution;
    await waitUntil(
      () => logsOf(id),
      (logs) => logs.includes('Progress: 1 of 600'),
    );
    const stopped = await api('POST', `/executions/${id}/stop`, { body: {} });
    expect((stopped.body as Execution).status).toBe('stopped');
    const late = await run({ ...config, timeout: '300ms' });
    expect(late.error).toMatchObject({ type: 'timeout' });
  });
});

describe('the list', () => {
  test('is cached, until it is refreshed', async () => {
    const count = () => fake.received.filter(({ method }) => method === 'tools/list').length;
    await list({ url: fake.url });
    const before = count();
    expect(readTools(await list({ url: fake.url }))).toMatchObject([
      { name: 'one', repeatable: false },
      { name: 'two', repeatable: true },
    ]);
    expect(count()).toBe(before);
    await list({ url: fake.url, refresh: true });
    expect(count()).toBe(before + 1);
  });

  test('uses secrets, which are redacted in it', async () => {
    expect((await api('PUT', '/secrets/MCP', { body: { value: 'token-123456' } })).status).toBe(200);
    const authentication = { type: 'bearer', token: '{{ secrets.MCP }}' };
    fake.tools = [{ name: 'echo', description: 'You are token-123456' }];
    const response = await list({ url: fake.url, authentication });
    expect(readTools(response)).toMatchObject([{ description: 'You are •••' }]);
    expect(fake.received.at(-1)?.headers['authorization']).toBe('Bearer token-123456');
  });

  test.each([
    [{}, 'url', 'is required'],
    [{ url: 'ftp://x' }, 'url', 'must be an http or https URL'],
    [{ url: 'http://10.9.8.7/mcp' }, 'url', /^did not list its tools: /],
    [{ url: 'http://x.example/{{ input.a.b }}' }, 'url', /./],
    [
      { url: 'http://x.example', authentication: { type: 'bearer', token: '{{ secrets.NONE }}' } },
      'authentication.token',
      /NONE/,
    ],
    [{ url: 'http://x.example', authentication: { type: 'connection', connection: 'NONE' } }, 'url', /NONE/],
    [{ url: 'http://x.example', authentication: { type: 'odd' } }, 'authentication.type', /must be one of/],
    [{ url: 'http://x.example', tool: 'x' }, 'tool', /./],
  ])('refuses %j with the field', async (body, field, issue) => {
    const response = await list(body);
    expect(response.status).toBe(400);
    const { code, details } = readError(response);
    expect([code, details.field]).toEqual(['VALIDATION_ERROR', field]);
    expect(details.issue).toMatch(issue);
  });

  test('needs the scopes for workflows and for secrets', async () => {
    const withScopes = async (...scopes: string[]) => {
      const made = await api('POST', '/api-keys', { body: { name: 'k', scopes } });
      return caller(service.weft.url, { 'x-api-key': (made.body as { key: string }).key });
    };
    const authentication = { type: 'bearer', token: '{{ secrets.MCP }}' };
    expect((await list({ url: fake.url }, await withScopes('nodes:read'))).status).toBe(403);
    const writer = await withScopes('workflows:write');
    expect((await list({ url: fake.url }, writer)).status).toBe(200);
    const refused = await list({ url: fake.url, authentication }, writer);
    expect(readError(refused)).toMatchObject({
      code: 'FORBIDDEN',
      details: { scope: 'secrets:use', field: 'authentication.token' },
    });
    const user = await withScopes('workflows:write', 'secrets:use');
    expect((await list({ url: fake.url, authentication }, user)).status).toBe(200);
  });
});
