import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sendMcpRequest } from '../support/ai/mcp-request.ts';
import { completeWith, createToolWorkflows } from '../support/ai/tool-workflows.ts';
import { adminEmail, adminPassword, waitUntil, type SpawnedService } from '../support/service.ts';
import { canScale, startCluster, type Cluster } from './cluster.ts';

describe.skipIf(!canScale)('tools on several processes', () => {
  let cluster: Cluster;
  let first: SpawnedService;
  let second: SpawnedService;
  let worker: SpawnedService;
  beforeAll(async () => {
    cluster = await startCluster();
    first = await cluster.start('api');
    second = await cluster.start('api');
    worker = await cluster.start('worker');
  });
  afterAll(() => cluster.close());

  test('a tool is called at any process, and its task is there at every other, also when the worker is killed', async () => {
    const api = await first.login();
    const login = await first.call('POST', '/auth/login', {
      body: { email: adminEmail, password: adminPassword },
    });
    const headers = { authorization: `Bearer ${(login.body as { token: string }).token}` };
    await createToolWorkflows(api, [
      { name: 'quick', nodes: [completeWith('{{ input.word }}')] },
      { name: 'ask', nodes: [{ id: 'data', type: 'wait_for_event' }, completeWith('{{ nodes.data }}')] },
    ]);
    // It was activated by the other process a moment ago. On a busy machine, a call may become a task.
    const quick = await waitUntil(
      () => sendMcpRequest(second.url, headers, 'tools/call', { name: 'quick', arguments: { word: 'done' } }),
      ({ resultType }) => resultType !== 'task',
    );
    expect(quick).toMatchObject({ resultType: 'complete', content: [{ type: 'text', text: 'done' }] });

    const task = await sendMcpRequest(second.url, headers, 'tools/call', { name: 'ask', arguments: {} });
    expect(task).toMatchObject({ resultType: 'task' });
    const taskId = task['taskId'];
    const read = (at: SpawnedService) => sendMcpRequest(at.url, headers, 'tasks/get', { taskId });
    await waitUntil(
      () => read(first),
      ({ status }) => status === 'input_required',
    );
    await worker.kill9();
    await cluster.start('worker');
    await sendMcpRequest(first.url, headers, 'tasks/update', {
      taskId,
      inputResponses: { data: { action: 'accept', content: { data: 'seven' } } },
    });
    const ended = await waitUntil(
      () => read(second),
      ({ status }) => status !== 'working' && status !== 'input_required',
    );
    expect(ended).toMatchObject({ status: 'completed', result: { structuredContent: { data: 'seven' } } });
  });
});
