import { afterAll, beforeAll, expect, test } from 'vitest';
import { startModelServer, type ModelServer } from '../../support/ai/model-server.ts';
import {
  caller,
  spawnService,
  createTempFolder,
  waitUntil,
  type Call,
  type SpawnedService,
} from '../../support/service.ts';

/* Definitions that are run as a test without being saved: a prompt on the data of a past run. */

const folder = createTempFolder();
let models: ModelServer;
let service: SpawnedService;
let api: Call;
/** The next response of the model waits for it. */
let held: Promise<void> | null = null;

type Execution = {
  id: string;
  status: string;
  workflow_version: number;
  trigger: object;
  output: { text: string };
  error: { message: string } | null;
};

async function start(): Promise<void> {
  service = await spawnService({ dataDir: folder.path, env: { WEFT_ALLOWED_HOSTS: '127.0.0.1' } });
  api = await service.login();
}

beforeAll(async () => {
  models = await startModelServer(({ messages }) => ({ text: `re: ${messages.at(-1)?.content ?? ''}` }), {
    before: () => held ?? Promise.resolve(),
  });
  await start();
});
afterAll(async () => {
  await service.stop();
  await models.close();
  folder.remove();
});

function define(prompt: string) {
  return {
    nodes: [
      { id: 'start', type: 'trigger', config: { triggerType: 'manual' } },
      {
        id: 'chat',
        type: 'llm',
        config: { provider: 'openai_compatible', baseUrl: models.url, model: 'test', prompt },
      },
    ],
    connections: [{ from: 'start', to: 'chat' }],
  };
}

async function create(settings: object = {}): Promise<string> {
  const made = await api('POST', '/workflows', {
    body: { name: 'Ask', definition: define('Hello {{ input.name }}'), settings },
  });
  expect(made.status, made.text).toBe(201);
  return (made.body as { id: string }).id;
}

async function run(workflow: string, body: object): Promise<Execution> {
  const started = await api('POST', `/workflows/${workflow}/execute`, { body: { wait: '20s', ...body } });
  expect(started.status, started.text).toBe(201);
  return started.body as Execution;
}

const read = async (path: string): Promise<Record<string, unknown>> =>
  (await api('GET', path)).body as Record<string, unknown>;

async function readError(call: Call, workflow: string, body: object): Promise<unknown[]> {
  const response = await call('POST', `/workflows/${workflow}/execute`, { body });
  const { error } = response.body as { error: { code: string; details: Record<string, unknown> } };
  return [response.status, error.code, error.details['scope'] ?? error.details['field']];
}

test('a prompt is tried on the input of a past run, and the workflow does not change', async () => {
  const workflow = await create();
  const past = await run(workflow, { input: { name: 'Ada' } });
  expect(past.output.text).toBe('re: Hello Ada');
  const definition = define('Goodbye {{ input.name }}');
  const tried = await run(workflow, { input: { name: 'Ada' }, until: 'chat', definition });
  expect(tried).toMatchObject({
    status: 'completed',
    workflow_version: -1,
    trigger: { type: 'manual', test: true },
    output: { text: 're: Goodbye Ada' },
  });
  expect(past.trigger).not.toHaveProperty('test');

  expect(await read(`/workflows/${workflow}`)).toMatchObject({ version: 1 });
  expect(await read(`/workflows/${workflow}/versions`)).toMatchObject({ pagination: { total: 1 } });
  const stored = (await read(`/workflows/${workflow}/versions/-1`)) as { definition: typeof definition };
  expect(stored.definition.nodes[1]?.config).toMatchObject({ prompt: 'Goodbye {{ input.name }}' });
  // It is an execution as any other: listed, counted, and retried as it was.
  expect(await read(`/executions?workflow_id=${workflow}`)).toMatchObject({ pagination: { total: 2 } });
  expect(await read(`/model-usage?workflow_id=${workflow}`)).toMatchObject({ totals: { calls: 2 } });
  const again = await api('POST', `/executions/${tried.id}/retry`, { body: { from: 'start' } });
  const retried = await waitUntil(
    async () => (await read(`/executions/${(again.body as Execution).id}`)) as unknown as Execution,
    ({ status }) => status === 'completed',
  );
  expect(retried).toMatchObject({ workflow_version: -1, output: { text: 're: Goodbye Ada' } });

  // Naming concerns saved versions; restoring saves it.
  const named = await api('PUT', `/workflows/${workflow}/versions/-1`, { body: { name: 'x' } });
  expect(named.status, named.text).toBe(404);
  const saved = await api('POST', `/workflows/${workflow}/versions/-1/restore`, {});
  expect(saved.body, saved.text).toMatchObject({ version: 2 });
  expect((await run(workflow, { input: { name: 'Ada' } })).output.text).toBe('re: Goodbye Ada');
});

test('after kill -9 it continues with the definition that was tried', async () => {
  const workflow = await create();
  const { promise, resolve } = Promise.withResolvers<void>();
  held = promise;
  const before = models.requests.length;
  const { id } = await run(workflow, {
    input: { name: 'Ada' },
    definition: define('Is {{ input.name }} there?'),
    wait: '1ms',
  });
  await waitUntil(
    () => Promise.resolve(models.requests.length),
    (count) => count > before,
  );
  await service.kill9();
  held = null;
  resolve();
  await start();
  const ended = await waitUntil(
    async () => (await read(`/executions/${id}`)) as unknown as Execution,
    ({ status }) => status === 'completed',
  );
  expect(ended.output.text).toBe('re: Is Ada there?');
});

test('it needs the rights for saving, is validated, and counts against the budget of a day', async () => {
  const workflow = await create();
  const definition = define('x');
  const callWith = async (...scopes: string[]): Promise<Call> => {
    const { key } = (await api('POST', '/api-keys', { body: { name: 'k', scopes } })).body as { key: string };
    return caller(service.url, { 'x-api-key': key });
  };
  expect(await readError(await callWith('executions:write'), workflow, { definition })).toEqual([
    403,
    'FORBIDDEN',
    'workflows:write',
  ]);
  const mayWrite = await callWith('executions:write', 'workflows:write');
  const [first, chat] = definition.nodes;
  const withSecret = { ...chat, config: { ...chat?.config, apiKey: '{{ secrets.KEY }}' } };
  await api('PUT', '/secrets/KEY', { body: { value: 'a secret value' } });
  const nodes = [first, withSecret];
  expect(await readError(mayWrite, workflow, { definition: { ...definition, nodes } })).toEqual([
    403,
    'FORBIDDEN',
    'secrets:use',
  ]);
  expect(await readError(mayWrite, workflow, { definition: define('{{ 1 +') })).toEqual([
    400,
    'VALIDATION_ERROR',
    'definition.nodes[1].config.prompt',
  ]);
  expect(await readError(mayWrite, workflow, { definition, until: 'other' })).toEqual([
    400,
    'VALIDATION_ERROR',
    'until',
  ]);
  expect(await readError(mayWrite, 'wf_missing', { definition })).toEqual([404, 'NOT_FOUND', undefined]);

  const limited = await create({ max_tokens_per_day: 1 });
  expect((await run(limited, { definition })).status).toBe('completed');
  const refused = await run(limited, { definition });
  expect([refused.status, refused.error?.message]).toEqual([
    'failed',
    expect.stringContaining('budget of 1 tokens'),
  ]);
});

test('GraphQL runs it too', async () => {
  const workflow = await create();
  const query = `mutation ($id: ID!, $definition: DefinitionInput!) {
    executeWorkflow(id: $id, input: { definition: $definition, input: { name: "Ada" }, wait: "20s" }) {
      status workflowVersion output }
  }`;
  const { body, text } = await api('POST', '/graphql', {
    body: { query, variables: { id: workflow, definition: define('Bye {{ input.name }}') } },
  });
  expect((body as { data: { executeWorkflow: object } }).data?.executeWorkflow, text).toMatchObject({
    status: 'completed',
    workflowVersion: -1,
    output: { text: 're: Bye Ada' },
  });
});
