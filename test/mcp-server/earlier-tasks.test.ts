import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  connectEarlierClient,
  readEarlierResult as readResult,
  startEarlierTask as startTask,
} from '../support/ai/earlier-mcp-client.ts';
import { completeWith, createStopNode, createToolWorkflows } from '../support/ai/tool-workflows.ts';
import {
  startServiceWithAccounts,
  type Headers,
  type ServiceWithAccounts,
} from '../support/service-with-accounts.ts';
import { waitUntil, type Call } from '../support/service.ts';

/* Tasks of the version 2025-11-25, with the client library of that version. */

let service: ServiceWithAccounts;
let session: Headers;
let api: Call;

beforeAll(async () => {
  service = await startServiceWithAccounts();
  session = await service.session(service.admin);
  api = service.as(session);
  const delay = (duration: string) => ({ id: 'wait', type: 'delay', config: { duration } });
  const outputSchema = { type: 'object', properties: { total: { type: 'number' } }, required: ['total'] };
  const inputSchema = { type: 'object', properties: { order: { type: 'string' } }, required: ['order'] };
  await createToolWorkflows(api, [
    {
      name: 'report',
      trigger: { outputSchema, inputSchema },
      nodes: [delay('1s'), completeWith({ total: 7 })],
    },
    {
      name: 'fails',
      trigger: { taskSupport: 'required' },
      nodes: [createStopNode('The order is closed.')],
    },
    { name: 'wrong', trigger: { outputSchema }, nodes: [completeWith({ sum: 1 })] },
    { name: 'quick', trigger: { taskSupport: 'forbidden' }, nodes: [completeWith('done')] },
    { name: 'endless', nodes: [delay('1h'), completeWith('never')] },
    { name: 'approve', nodes: [{ id: 'ask', type: 'approval', config: { title: 'Refund 17?' } }] },
  ]);
});
afterAll(() => service.close());

const connect = (headers: Headers = session): Promise<Client> =>
  connectEarlierClient(service.weft.url, headers);
const readEnd = (client: Client, id: string) =>
  waitUntil(
    () => client.experimental.tasks.getTask(id),
    ({ status }) => status !== 'working',
  );

async function countExecutions(): Promise<number> {
  const { body } = await api('GET', '/executions?limit=1');
  return (body as { pagination: { total: number } }).pagination.total;
}

test('a call is a task, whose result another client asks for after the first one has left', async () => {
  const first = await connect();
  expect(first.getServerCapabilities()?.tasks).toEqual({ cancel: {}, requests: { tools: { call: {} } } });
  const id = await startTask(first, 'report', { order: '17' });
  await first.close();
  const second = await connect();
  expect(await second.experimental.tasks.getTask(id)).toMatchObject({ taskId: id });
  // Waits for the end.
  const result = await readResult(second, id);
  expect(result).toMatchObject({
    structuredContent: { total: 7 },
    _meta: { 'io.modelcontextprotocol/related-task': { taskId: id } },
  });
  expect(await second.experimental.tasks.getTask(id)).toMatchObject({ status: 'completed' });
  await second.close();
});

test('the library follows a task to its end', async () => {
  const client = await connect();
  const types: string[] = [];
  for await (const message of client.experimental.tasks.callToolStream({
    name: 'report',
    arguments: { order: '18' },
  })) {
    if (types.at(-1) !== message.type) types.push(message.type);
    if (message.type === 'result') expect(message.result).toMatchObject({ structuredContent: { total: 7 } });
  }
  expect(types).toEqual(['taskCreated', 'taskStatus', 'result']);
  await client.close();
});

test('an error of the tool is a failed task, with the error as its result', async () => {
  const client = await connect();
  const failed = await startTask(client, 'fails');
  expect(await readEnd(client, failed)).toMatchObject({
    status: 'failed',
    statusMessage: 'The order is closed.',
  });
  expect(await readResult(client, failed)).toMatchObject({ isError: true });
  const wrong = await startTask(client, 'wrong');
  expect(await readEnd(client, wrong)).toMatchObject({ status: 'failed' });
  await client.close();
});

test('arguments that do not match start nothing, and name the field', async () => {
  const client = await connect();
  const before = await countExecutions();
  await expect(startTask(client, 'report', { order: 17 })).rejects.toThrow(/-32602[\s\S]*order/);
  expect(await countExecutions()).toBe(before);
  await client.close();
});

test('tools run as tasks as they declare it', async () => {
  const client = await connect();
  const { tools } = await client.listTools();
  const supports = (name: string) => tools.find((tool) => tool.name === name)?.execution?.taskSupport;
  expect(['report', 'fails', 'quick', 'weft_list_workflows'].map(supports)).toEqual([
    'optional',
    'required',
    'forbidden',
    undefined,
  ]);
  const call = (name: string, task?: object) =>
    client.request(
      { method: 'tools/call', params: { name, arguments: {}, ...(task !== undefined && { task }) } },
      CallToolResultSchema,
    );
  await expect(call('fails')).rejects.toMatchObject({ code: -32601 });
  await expect(call('quick', {})).rejects.toMatchObject({ code: -32601 });
  await expect(call('weft_list_workflows', {})).rejects.toMatchObject({ code: -32601 });
  expect(await call('quick')).toMatchObject({ content: [{ text: 'done' }] });
  await client.close();
});

test('cancelling a task stops its execution', async () => {
  const client = await connect();
  const id = await startTask(client, 'endless');
  expect(await client.experimental.tasks.cancelTask(id)).toMatchObject({ status: 'cancelled' });
  expect((await api('GET', `/executions/${id}`)).body).toMatchObject({ status: 'stopped' });
  await expect(client.experimental.tasks.cancelTask(id)).rejects.toMatchObject({ code: -32602 });
  await client.close();
});

test('a task that waits for a person says so, and continues with the decision', async () => {
  const client = await connect();
  const id = await startTask(client, 'approve');
  expect(await readEnd(client, id)).toMatchObject({
    status: 'input_required',
    statusMessage: 'Waits for a person, in the inbox: Refund 17?',
  });
  const result = readResult(client, id);
  const { body } = await api('GET', '/decisions?view=owned&limit=1');
  const [decision] = (body as { decisions: { id: string }[] }).decisions;
  const responded = await api('POST', `/decisions/${decision!.id}/respond`, { body: { choice: 'approved' } });
  expect(responded.status).toBe(200);
  expect(await result).toMatchObject({ structuredContent: { choice: 'approved' } });
  await client.close();
});

test('tasks of others, and executions that no tool started, are unknown', async () => {
  const client = await connect();
  const id = await startTask(client, 'endless');
  const other = await connect(await service.session(service.other));
  const { tasks } = other.experimental;
  for (const asked of [tasks.getTask(id), tasks.cancelTask(id), readResult(other, id)])
    await expect(asked).rejects.toMatchObject({ code: -32602 });
  const created = await api('POST', '/workflows', {
    body: {
      name: 'not a tool',
      status: 'active',
      definition: { nodes: [{ id: 'start', type: 'trigger', config: { triggerType: 'manual' } }] },
    },
  });
  const run = await api('POST', `/workflows/${(created.body as { id: string }).id}/execute`, { body: {} });
  const { execution_id: executionId } = run.body as { execution_id: string };
  await expect(client.experimental.tasks.getTask(executionId)).rejects.toMatchObject({ code: -32602 });
  await client.experimental.tasks.cancelTask(id);
  await Promise.all([client.close(), other.close()]);
});
