import {
  Client as CurrentClient,
  StreamableHTTPClientTransport as CurrentTransport,
} from '@modelcontextprotocol/client';
import { createMCPClient } from '@ai-sdk/mcp';
import { Client as EarlierClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as EarlierTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { completeWith, createToolWorkflows, createStopNode } from '../support/ai/tool-workflows.ts';
import {
  startServiceWithAccounts,
  type Headers,
  type ServiceWithAccounts,
} from '../support/service-with-accounts.ts';
import { waitUntil, type Call } from '../support/service.ts';

type Result = { content: { type: string; text: string }[]; structuredContent?: unknown; isError?: boolean };
type CallTool = (name: string, args?: object, meta?: object) => Promise<Result>;
type Connection = {
  readonly tools: () => Promise<string[]>;
  readonly call: CallTool;
  close(): Promise<void>;
};

let service: ServiceWithAccounts;
let api: Call;
let session: Headers;

beforeAll(async () => {
  service = await startServiceWithAccounts();
  session = await service.session(service.admin);
  api = service.as(session);
  const inputSchema = {
    type: 'object',
    properties: { order: { type: 'string' }, amount: { type: 'number', minimum: 1 } },
    required: ['order'],
    additionalProperties: false,
  };
  await createToolWorkflows(api, [
    {
      name: 'refund',
      trigger: {
        title: 'Refund an order',
        inputSchema,
        outputSchema: {
          type: 'object',
          properties: { refunded: { type: 'number' } },
          required: ['refunded'],
        },
        idempotent: true,
      },
      nodes: [completeWith({ refunded: '{{ input.amount }}' })],
    },
    {
      name: 'wrong_output',
      trigger: { outputSchema: { type: 'object', required: ['total'] } },
      nodes: [completeWith({ sum: 3 })],
    },
    { name: 'fails', nodes: [createStopNode('The order is closed.')] },
    {
      name: 'approve',
      nodes: [
        {
          id: 'ask',
          type: 'approval',
          config: {
            title: 'Refund 17?',
            fields: [{ type: 'number', label: 'Amount', name: 'amount', required: true }],
          },
        },
        completeWith('{{ nodes.ask }}'),
      ],
      connections: [
        { from: 'start', to: 'ask' },
        { from: 'ask', to: 'end' },
      ],
    },
    {
      name: 'slow',
      nodes: [{ id: 'wait', type: 'delay', config: { duration: '1s' } }, completeWith('slow result')],
    },
    {
      name: 'endless',
      nodes: [{ id: 'wait', type: 'delay', config: { duration: '1h' } }, completeWith('never')],
    },
  ]);
});
afterAll(() => service.close());

async function connectCurrent(
  headers: Headers,
  answer?: (message: string, schema: unknown) => object,
): Promise<Connection> {
  const client = new CurrentClient(
    { name: 'test', version: '1.0.0' },
    {
      capabilities: answer === undefined ? {} : { elicitation: { form: {} } },
      versionNegotiation: { mode: 'auto' },
    },
  );
  if (answer !== undefined)
    client.setRequestHandler(
      'elicitation/create',
      ({ params }) =>
        answer(params.message, (params as { requestedSchema?: unknown }).requestedSchema) as never,
    );
  await client.connect(
    new CurrentTransport(new URL('/v1/mcp', service.weft.url), { requestInit: { headers } }),
  );
  expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
  return {
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args = {}, meta) =>
      (await client.callTool({
        name,
        arguments: args as Record<string, unknown>,
        ...(meta !== undefined && { _meta: meta as Record<string, unknown> }),
      })) as Result,
    close: () => client.close(),
  };
}

async function connectEarlier(headers: Headers): Promise<Connection> {
  const client = new EarlierClient({ name: 'test', version: '1.0.0' });
  await client.connect(
    new EarlierTransport(new URL('/v1/mcp', service.weft.url), { requestInit: { headers } }) as never,
  );
  return {
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args = {}) =>
      (await client.callTool({ name, arguments: args as Record<string, unknown> })) as Result,
    close: () => client.close(),
  };
}

async function connectAiSdk(headers: Headers): Promise<Connection> {
  const client = await createMCPClient({
    transport: { type: 'http', url: new URL('/v1/mcp', service.weft.url).href, headers },
  });
  return {
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args = {}) => (await client.callTool({ name, arguments: args as never })) as Result,
    close: () => client.close(),
  };
}

const textOf = ({ content }: Result): string => content.map(({ text }) => text).join('');
const valueOf = (result: Result) => JSON.parse(textOf(result)) as Record<string, never>;

async function countExecutions(): Promise<number> {
  const { body } = await api('GET', '/executions?limit=1');
  return (body as { pagination: { total: number } }).pagination.total;
}

describe.each([
  ['the current version of the protocol', connectCurrent],
  ['the version before it', connectEarlier],
  ['the client of the AI SDK', connectAiSdk],
])('%s', (_name, connect) => {
  test('lists the tools, and calls one', async () => {
    const client = await connect(session);
    expect(await client.tools()).toEqual(
      expect.arrayContaining(['approve', 'refund', 'slow', 'weft_create_workflow']),
    );
    const result = await client.call('refund', { order: '17', amount: 5 });
    expect(result).toMatchObject({ structuredContent: { refunded: 5 } });
    expect(result.isError ?? false).toBe(false);
    await client.close();
  });

  test('arguments that do not match start nothing, and name the field', async () => {
    const client = await connect(session);
    const before = await countExecutions();
    const result = await client.call('refund', { order: '17', amount: 0 });
    expect(result.isError).toBe(true);
    expect(valueOf(result)['error']).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { field: 'amount' },
    });
    expect(await countExecutions()).toBe(before);
    await client.close();
  });

  test('a failed execution, and an output that does not match, are errors of the tool', async () => {
    const client = await connect(session);
    const failed = await client.call('fails');
    expect(failed.isError).toBe(true);
    expect(valueOf(failed)['error']).toMatchObject({ message: 'The order is closed.', node_id: 'end' });
    const wrong = await client.call('wrong_output');
    expect(wrong.isError).toBe(true);
    expect(textOf(wrong)).toMatch(/^The output of the execution ex_\w+ is not valid: total: is required/);
    await client.close();
  });

  test('an unknown tool is an error of the protocol', async () => {
    const client = await connect(session);
    await expect(client.call('unknown')).rejects.toMatchObject({ code: -32602 });
    await expect(client.call('weft_unknown')).rejects.toMatchObject({ code: -32602 });
    await client.close();
  });

  test('a client that leaves does not stop the execution', async () => {
    const client = await connect(session);
    const before = await countExecutions();
    const left = client.call('slow').catch(() => null);
    await waitUntil(countExecutions, (count) => count > before);
    await client.close();
    await left;
    const { body } = await api('GET', '/executions?limit=1');
    const { id } = (body as { executions: { id: string }[] }).executions[0]!;
    const done = await waitUntil(
      async () => (await api('GET', `/executions/${id}`)).body as { status: string; output: unknown },
      ({ status }) => status === 'completed',
    );
    expect(done.output).toBe('slow result');
  });
});

describe('questions', () => {
  test('an approval is asked by the client, and its response continues the execution', async () => {
    const asked: { message: string; schema: unknown }[] = [];
    const client = await connectCurrent(session, (message, schema) => {
      asked.push({ message, schema });
      return { action: 'accept', content: { choice: 'approved', amount: 12, comment: 'fine' } };
    });
    const result = await client.call('approve');
    expect(asked).toEqual([
      {
        message: 'Refund 17?',
        schema: expect.objectContaining({ required: ['choice', 'amount'] }) as unknown,
      },
    ]);
    expect(result.structuredContent).toMatchObject({ values: { amount: 12 }, comment: 'fine' });
    await client.close();
  });

  test('a decline makes the second choice', async () => {
    const client = await connectCurrent(session, () => ({ action: 'decline' }));
    const result = await client.call('approve');
    const id = /ex_\w+/.exec(textOf(result))?.[0];
    const { body } = await api('GET', '/decisions?view=owned&limit=1');
    expect((body as { decisions: object[] }).decisions[0]).toMatchObject({ choice: 'rejected' });
    expect(id === undefined || result.isError === undefined).toBe(true);
    await client.close();
  });

  test('a response that does not fit is refused, and changes nothing', async () => {
    const client = await connectCurrent(session, () => ({
      action: 'accept',
      content: { choice: 'approved' },
    }));
    await expect(client.call('approve')).rejects.toThrow(/values.amount|amount/);
    const { body } = await api('GET', '/decisions?view=owned&limit=1');
    expect((body as { decisions: object[] }).decisions[0]).toMatchObject({ status: 'open' });
    await client.close();
  });
});

describe('credentials', () => {
  test('without one, the response names the metadata of the resource', async () => {
    const { origin } = new URL(service.weft.url);
    const refused = await fetch(`${origin}/v1/mcp`, { method: 'POST', body: '{}' });
    expect(refused.status).toBe(401);
    const challenge = refused.headers.get('www-authenticate') ?? '';
    const metadata = /resource_metadata="([^"]+)"/.exec(challenge)?.[1] ?? '';
    expect(await (await fetch(metadata)).json()).toMatchObject({
      resource: `${origin}/v1/mcp`,
      authorization_servers: [origin],
    });
  });

  test('users see the tools of their own workflows only', async () => {
    const client = await connectCurrent(await service.session(service.other));
    expect((await client.tools()).filter((name) => !name.startsWith('weft_'))).toEqual([]);
    await expect(client.call('refund', { order: '17' })).rejects.toMatchObject({ code: -32602 });
    await client.close();
  });

  test('a key has the tools of its scopes', async () => {
    const reader = await connectCurrent(await service.apiKey(service.admin, ['workflows:read']));
    expect(await reader.tools()).toEqual(['weft_list_workflows', 'weft_get_workflow']);
    await expect(reader.call('refund', { order: '17' })).rejects.toThrow(/executions:write/);
    const writer = await connectCurrent(await service.apiKey(service.admin, ['executions:write']));
    const before = await countExecutions();
    await expect(writer.call('refund', { order: '17' })).rejects.toThrow(/executions:read/);
    expect(await countExecutions()).toBe(before);
    await writer.close();
    const refused = await reader.call('weft_create_workflow', { name: 'No' });
    expect(valueOf(refused)['error']).toMatchObject({ code: 'FORBIDDEN' });
    await reader.close();
    const token = await service.oauthToken(service.admin, ['executions:write', 'executions:read']);
    const runner = await connectCurrent(token.headers);
    expect(await runner.call('refund', { order: '17', amount: 2 })).toMatchObject({
      structuredContent: { refunded: 2 },
    });
    await runner.close();
  });

  test('the same idempotency key starts one execution', async () => {
    const client = await connectCurrent(session);
    const before = await countExecutions();
    const meta = { 'weft/idempotencyKey': 'order-17' };
    for (let call = 0; call < 3; call++)
      expect(await client.call('refund', { order: '17', amount: 3 }, meta)).toMatchObject({
        structuredContent: { refunded: 3 },
      });
    expect(await countExecutions()).toBe(before + 1);
    const other = await client.call('refund', { order: '18', amount: 3 }, meta);
    expect(valueOf(other)['error']).toMatchObject({ code: 'CONFLICT' });
    const wrong = client.call('refund', { order: '17' }, { 'weft/idempotencyKey': 17 });
    await expect(wrong).rejects.toMatchObject({ code: -32602 });
    const empty = await client.call('refund', { order: '17' }, { 'weft/idempotencyKey': '' });
    expect(valueOf(empty)['error']).toMatchObject({
      message: '_meta.weft/idempotencyKey: must have 1 to 255 characters',
    });
    expect(await countExecutions()).toBe(before + 1);
    await client.close();
  });
});

test('a batch of messages is refused', async () => {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  const refused = await api('POST', '/mcp', { body: [message, message] });
  expect(refused.status).toBe(400);
  expect(refused.body).toMatchObject({
    error: {
      code: 'VALIDATION_ERROR',
      details: { field: 'body', issue: 'must be one message, not a batch' },
    },
  });
});

test('a long list of tools has pages', async () => {
  const headers = await service.session(service.member);
  const names = Array.from({ length: 201 }, (_, i) => `tool_${String(i).padStart(3, '0')}`);
  await createToolWorkflows(
    service.as(headers),
    names.map((name) => ({ name, nodes: [completeWith(name)] })),
  );
  const page = async (cursor?: string) => {
    const { body, text } = await service.as({ ...headers, accept: 'application/json, text/event-stream' })(
      'POST',
      '/mcp',
      {
        body: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: cursor === undefined ? {} : { cursor } },
      },
    );
    const message = body ?? JSON.parse(text.slice(text.indexOf('{')));
    return (message as { result: { tools: { name: string }[]; nextCursor?: string } }).result;
  };
  const first = await page();
  expect(first.tools.map(({ name }) => name)).toEqual(names.slice(0, 200));
  const second = await page(first.nextCursor);
  expect(second.tools.map(({ name }) => name).slice(0, 2)).toEqual(['tool_200', 'weft_list_node_types']);
  expect(second.nextCursor).toBeUndefined();
  const client = await connectCurrent(headers);
  expect((await client.tools()).slice(0, 201)).toEqual(names);
  await client.close();
});

describe('names', () => {
  test('two active workflows cannot be the same tool', async () => {
    const config = { triggerType: 'tool', name: 'refund', description: 'Again.' };
    const body = {
      name: 'again',
      status: 'active',
      definition: {
        nodes: [
          { id: 'a', type: 'trigger', config },
          { id: 'end', type: 'stop', config: { outcome: 'completed', output: {} } },
        ],
        connections: [{ from: 'a', to: 'end' }],
      },
    };
    const taken = await api('POST', '/workflows', { body });
    expect(taken.text).toContain('"CONFLICT"');
    expect(taken.text).toContain('Another active workflow already is the tool refund.');
    const ofOther = await service.as(await service.session(service.other))('POST', '/workflows', { body });
    expect(ofOther.status).toBe(201);
  });

  test.each([
    [{ name: 'a b' }, 'config.name', 'must have only letters, digits, - and _'],
    [{ name: 'weft_own' }, 'config.name', 'must not begin with weft_, as the tools of Weft do'],
    [
      { inputSchema: { type: 'string' } },
      'config.inputSchema.type',
      'must be "object", because arguments have names',
    ],
    [{ outputSchema: { type: 'nonsense' } }, 'config.outputSchema', /./],
    [{ description: '' }, 'config.description', /./],
    [{ taskSupport: 'maybe' }, 'config.taskSupport', /./],
  ])('%j is refused at %s', async (config, field, issue) => {
    const { body } = await api('POST', '/workflows', {
      body: {
        name: 'wrong',
        definition: {
          nodes: [
            {
              id: 'a',
              type: 'trigger',
              config: { triggerType: 'tool', name: 'tool', description: 'A tool.', ...config },
            },
          ],
        },
      },
    });
    const found = (body as { issues: { field: string; issue: string }[] }).issues.filter((one) =>
      one.field.startsWith(field),
    );
    expect(found[0]?.issue).toMatch(issue);
  });
});

describe('building workflows', () => {
  test('a model finds a node type, reads the messages of the validator, and builds, runs and explains', async () => {
    const client = await connectCurrent(session);
    const types = valueOf(await client.call('weft_list_node_types', { search: 'http request' }));
    expect(types['node_types']).toEqual(
      expect.arrayContaining([expect.objectContaining({ id: 'http_request' })]),
    );
    const type = valueOf(await client.call('weft_get_node_type', { id: 'data_validator' }));
    expect(type).toMatchObject({ config_schema: { type: 'object' }, examples: expect.any(Array) as unknown });

    const nodes = (schema: unknown) => ({
      nodes: [
        { id: 'start', type: 'trigger', config: { triggerType: 'manual' } },
        { id: 'check', type: 'data_validator', config: { schema } },
      ],
      connections: [{ from: 'start', to: 'check' }],
    });
    const wrong = valueOf(await client.call('weft_validate_workflow', { definition: nodes(undefined) }));
    expect(wrong).toMatchObject({ valid: false, issues: [{ node_id: 'check', field: 'config.schema' }] });
    const schema = { type: 'object', required: ['total'] };
    expect(valueOf(await client.call('weft_validate_workflow', { definition: nodes(schema) }))).toEqual({
      valid: true,
      issues: [],
    });
    const created = valueOf(
      await client.call('weft_create_workflow', { name: 'Built', definition: nodes(schema) }),
    );
    const run = valueOf(
      await client.call('weft_run_workflow', { id: created['id'], input: { sum: 3 }, wait: '30s' }),
    );
    expect(run).toMatchObject({ status: 'failed' });
    const explained = valueOf(await client.call('weft_explain_execution', { id: run['id'] }));
    expect(explained).toMatchObject({
      execution: { status: 'failed', error: { node_id: 'check', type: 'validation' } },
      nodes: [{ node_id: 'check', config: { schema }, input: { sum: 3 } }],
      completed_nodes: ['start'],
    });
    const changed = valueOf(
      await client.call('weft_update_workflow', { id: created['id'], changes: { status: 'active' } }),
    );
    expect(changed).toMatchObject({ status: 'active' });
    const again = valueOf(
      await client.call('weft_run_workflow', { id: created['id'], input: { total: 3 }, wait: '30s' }),
    );
    expect(valueOf(await client.call('weft_get_execution', { id: again['id'] }))).toMatchObject({
      status: 'completed',
      output: { total: 3 },
    });
    const refused = await client.call('weft_run_workflow', { id: created['id'], inputs: {} });
    expect(valueOf(refused)['error']).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { field: 'inputs' },
    });
    await client.close();
  });
});

test('a stop of the execution ends the call', async () => {
  const client = await connectCurrent(session);
  const before = await countExecutions();
  const call = client.call('endless');
  await waitUntil(countExecutions, (count) => count > before);
  const { body } = await api('GET', '/executions?limit=1');
  const { id } = (body as { executions: { id: string }[] }).executions[0]!;
  await api('POST', `/executions/${id}/stop`);
  expect(await call).toMatchObject({
    isError: true,
    content: [{ text: `The execution ${id} was stopped.` }],
  });
  await client.close();
});
