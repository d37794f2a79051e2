import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { connectSocket, endSocketClients } from '../../src/api/testing/socket-client.ts';
import { startInProcess, type InProcess } from '../harness/in-process.ts';
import { adminEmail, adminPassword, temporaryFolder, type Call } from '../harness/service.ts';
import { greeting } from './definitions.ts';

const folder = temporaryFolder();
let weft: InProcess;
let api: Call;

beforeAll(async () => {
  weft = await startInProcess({ dataDir: folder.path });
  api = await weft.login();
});
afterEach(endSocketClients);
afterAll(async () => {
  await weft.service.stop();
  folder.remove();
});

async function login(email = adminEmail, password = adminPassword): Promise<{ token: string; id: string }> {
  const { body } = await weft.call('POST', '/auth/login', { body: { email, password } });
  const { token, user } = body as { token: string; user: { id: string } };
  return { token, id: user.id };
}
async function makeWorkflow(definition: object = greeting): Promise<string> {
  return ((await api('POST', '/workflows', { body: { name: 'x', definition } })).body as { id: string }).id;
}
async function run(workflowId: string, body: object = {}): Promise<string> {
  const answer = await api('POST', `/workflows/${workflowId}/execute`, { body });
  expect(answer.status, answer.text).toBe(201);
  return (answer.body as { id: string }).id;
}

test('auth, then the updates of an execution in order, to its end', async () => {
  const { token, id } = await login();
  const client = await connectSocket(weft.url);
  expect(await client.auth(token)).toEqual({
    type: 'auth_success',
    data: { user_id: id, expires_at: expect.stringMatching(/^\d{4}-.*Z$/) },
  });
  const workflow = await makeWorkflow();
  const execution = await run(workflow, { input: { name: 'Ada' } });
  const last = await client.next((message) => message.data?.['status'] === 'completed');
  expect(last).toEqual({
    type: 'execution_update',
    data: {
      execution_id: execution,
      workflow_id: workflow,
      status: 'completed',
      progress: 1,
      current_node: expect.any(String),
      timestamp: expect.stringMatching(/Z$/),
    },
  });
});
