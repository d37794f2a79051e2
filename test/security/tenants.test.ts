import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectSocket, endSocketClients } from '../support/websocket/websocket-client.ts';
import { waitUntil, type ApiResponse, type Call } from '../support/service.ts';
import { manual, mapNode, longWait, createEchoWorkflow } from '../api/definitions.ts';
import { startServiceWithAccounts, type ServiceWithAccounts } from '../support/service-with-accounts.ts';

/*
 * A user cannot access the resources of another user by an id: in paths, definitions, bodies, GraphQL and
 * sockets, and while a workflow runs.
 */
const CANARY = 'canary-of-the-victim';
let fixture: ServiceWithAccounts;
let victim: Call;
let attacker: Call;
let theirs: Record<'workflow' | 'waiting' | 'execution' | 'running' | 'file', string>;

const NOT_FOUND = { status: 404 };
async function createResource(
  call: Call,
  path: string,
  body: object,
  method = 'POST',
): Promise<Record<string, string>> {
  const reply = await call(method, path, { body });
  expect([200, 201], reply.text).toContain(reply.status);
  return reply.body as Record<string, string>;
}
const create = async (call: Call, definition: object, more: object = {}): Promise<string> =>
  (await createResource(call, '/workflows', { name: 'w', definition, ...more }))['id']!;
const run = (call: Call, id: string, input: object = {}, wait = '10s') =>
  createResource(call, `/workflows/${id}/execute`, { input, wait });

beforeAll(async () => {
  fixture = await startServiceWithAccounts();
  victim = fixture.as(await fixture.session(fixture.member));
  attacker = fixture.as(await fixture.session(fixture.other));
  await createResource(victim, '/secrets/THEIRS', { value: CANARY }, 'PUT');
  const handler = `export default async () => ({ said: ${JSON.stringify(CANARY)} })`;
  await createResource(victim, '/nodes', {
    nodeType: 'their_node',
    outputs: { said: 'string' },
    implementation: { runtime: 'javascript', handler },
  });
  await createResource(victim, '/templates', { templateName: 'theirs', workflow: { name: CANARY } });
  const definition = {
    nodes: [manual, mapNode('say', 'text', 'text')],
    connections: [{ from: 'start', to: 'say' }],
  };
  const workflow = await create(victim, definition, { description: CANARY });
  const waiting = await create(victim, longWait);
  await create(victim, createEchoWorkflow('theirs/:id'), { status: 'active' });
  theirs = {
    workflow,
    waiting,
    execution: (await run(victim, workflow, { text: CANARY }))['id']!,
    running: (await run(victim, waiting, { text: CANARY }, '0s'))['id']!,
    file: await createFile(victim),
  };
});
afterAll(async () => {
  endSocketClients();
  await fixture.close();
});

/** The id of a file that a node fetched. */
async function createFile(call: Call): Promise<string> {
  const server = createServer((_request, response) => {
    response
      .writeHead(200, { 'content-type': 'application/octet-stream' })
      .end(Buffer.from(`\u0000\u00ff${CANARY}`, 'latin1'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const fetching = { id: 'get', type: 'http_request', config: { method: 'GET', url } };
  const id = await create(call, {
    nodes: [manual, fetching],
    connections: [{ from: 'start', to: 'get' }],
  });
  const ended = await run(call, id);
  server.close();
  const file = /"id":"(file_\w+)"/.exec(JSON.stringify(ended))?.[1];
  expect(file, JSON.stringify(ended)).toBeDefined();
  return file!;
}

function expectNoCanary(reply: ApiResponse): void {
  expect(reply.text).not.toContain(CANARY);
}

describe('ids in paths', () => {
  test('return 404 for every resource of another user', async () => {
    const { workflow, execution, running, file } = theirs;
    for (const [method, path, body] of [
      ['GET', `/workflows/${workflow}/executions`],
      ['GET', `/workflows/${workflow}/versions`],
      ['GET', `/workflows/${workflow}/versions/1`],
      ['POST', `/workflows/${workflow}/versions/1/restore`],
      ['POST', `/workflows/${workflow}/publish`],
      ['POST', `/workflows/${workflow}/execute`, {}],
      ['GET', `/workflows/${workflow}/statistics`],
      ['GET', `/workflows/${workflow}/pinned-outputs`],
      ['PUT', `/workflows/${workflow}/pinned-outputs/start`, { output: 1 }],
      ['DELETE', `/workflows/${workflow}/pinned-outputs/start`],
      ['POST', `/workflows/${workflow}/listen`, {}],
      ['DELETE', `/workflows/${workflow}/listen`],
      ['PUT', `/workflows/${workflow}`, { name: 'mine now' }],
      ['DELETE', `/workflows/${workflow}`],
      ['GET', `/executions/${execution}/nodes`],
      ['GET', `/executions/${execution}/logs`],
      ['POST', `/executions/${execution}/retry`, { from: 'start' }],
      ['POST', `/executions/${running}/stop`],
      ['GET', `/files/${file}`],
      ['GET', '/nodes/their_node'],
      ['GET', '/nodes/their_node/versions'],
      ['GET', '/templates/theirs'],
      ['POST', '/templates/theirs/instantiate', {}],
      ['DELETE', '/templates/theirs'],
      ['DELETE', '/secrets/THEIRS'],
    ] as const) {
      const reply = await attacker(method, path, body === undefined ? {} : { body });
      expect(reply, `${method} ${path}`).toMatchObject(NOT_FOUND);
      expectNoCanary(reply);
    }
    expect((await victim('GET', `/files/${file}`)).status).toBe(200);
  });

  test('lists, filters and searches return nothing of other users', async () => {
    for (const path of [
      `/workflows?search=${CANARY}`,
      `/executions?workflow_id=${theirs.workflow}`,
      `/nodes?search=their_node`,
      `/templates?search=theirs`,
      '/secrets',
      '/api-keys',
      '/oauth/clients',
      '/oauth/grants',
    ]) {
      const reply = await attacker('GET', path);
      expectNoCanary(reply);
      const { pagination, nodes } = reply.body as { pagination?: { total: number }; nodes?: unknown[] };
      if (reply.status === 200) expect(pagination?.total ?? nodes?.length, `${path} ${reply.text}`).toBe(0);
      else expect(reply.status, path).toBe(404);
    }
  });
});

describe('ids in definitions and inputs', () => {
  const step = (type: string, config: object) => ({
    nodes: [manual, { id: 'step', type, config }],
    connections: [{ from: 'start', to: 'step' }],
  });

  test("another user's workflow cannot be a sub-workflow, with the same response as a missing one", async () => {
    const outcomes: string[] = [];
    for (const id of [theirs.workflow, 'wf_00000000000000000000000000']) {
      const reply = await attacker('POST', '/workflows', {
        body: { name: 'w', definition: step('sub_workflow', { workflow_id: id, input: { text: 'x' } }) },
      });
      expect(reply.status).toBe(201);
      const own = (reply.body as { id: string }).id;
      const ran = await attacker('POST', `/workflows/${own}/execute`, { body: { wait: '30s' } });
      expectNoCanary(ran);
      const { error } = ran.body as { error: { message: string } | null };
      outcomes.push(`${ran.status} ${JSON.stringify(error).replaceAll(id, 'ID').replaceAll(own, 'OWN')}`);
      if (ran.status === 201) expect(ran.body).toMatchObject({ status: 'failed' });
    }
    expect(outcomes[0]).toBe(outcomes[1]);
    expect((await victim('GET', `/workflows/${theirs.workflow}/executions`)).body).toMatchObject({
      pagination: { total: 1 },
    });
  });

  test("another user's secret is reported as missing", async () => {
    const config = { method: 'GET', url: 'http://127.0.0.1:9/{{ secrets.THEIRS }}' };
    const id = await create(attacker, step('http_request', config));
    const reply = await attacker('GET', `/workflows/${id}`);
    expect(JSON.stringify((reply.body as { issues: unknown }).issues)).toContain('THEIRS');
    expectNoCanary(reply);
    const ran = await attacker('POST', `/workflows/${id}/execute`, { body: { wait: '30s' } });
    expect(ran.status).toBe(400);
    expectNoCanary(ran);
    const hook = createEchoWorkflow('mine', { authentication: 'bearer', secret: 'THEIRS' });
    const active = await attacker('POST', '/workflows', {
      body: { name: 'w', definition: hook, status: 'active' },
    });
    expect(active.status).toBe(400);
  });

  test("another user's executions trigger no workflow", async () => {
    for (const [triggerType, on] of [
      ['event', { on: 'completed' }],
      ['error', {}],
    ] as const) {
      const trigger = {
        id: 'start',
        type: 'trigger',
        config: { triggerType, workflow_id: theirs.workflow, ...on },
      };
      const reply = await attacker('POST', '/workflows', {
        body: {
          name: `follows by ${triggerType}`,
          definition: {
            nodes: [trigger, mapNode('keep', 'text', 'text')],
            connections: [{ from: 'start', to: 'keep' }],
          },
          status: 'active',
        },
      });
      expectNoCanary(reply);
      if (reply.status !== 201) continue;
      const { id } = reply.body as { id: string };
      await run(victim, theirs.workflow, { text: CANARY });
      await victim('POST', `/workflows/${theirs.workflow}/execute`, { body: { input: {}, wait: '30s' } });
      await new Promise((resolve) => setTimeout(resolve, 300));
      const started = await attacker('GET', `/workflows/${id}/executions`);
      expect(started.body).toMatchObject({ pagination: { total: 0 } });
    }
  });

  test("another user's custom node is an unknown type", async () => {
    const id = await create(attacker, step('their_node', {}));
    const reply = await attacker('GET', `/workflows/${id}`);
    expect(JSON.stringify((reply.body as { issues: unknown }).issues)).toContain('is not a known node type');
    expectNoCanary(reply);
  });

  test("another user's file cannot be sent by its reference", async () => {
    const received: string[] = [];
    const server = createServer((request, response) => {
      request.on('data', (data: Buffer) => received.push(data.toString('latin1')));
      request.on('end', () => response.end('{}'));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const reference = { $file: { id: theirs.file, name: 'x', content_type: 'text/plain', size: 10 } };
    for (const config of [
      { method: 'POST', url, body_type: 'binary', body: '{{ input.file }}' },
      { method: 'POST', url, body: '{{ input.file }}' },
      {
        method: 'POST',
        url,
        body_type: 'form-data',
        files: { doc: { filename: 'x', content: '{{ input.file }}', content_type: 'text/plain' } },
      },
    ]) {
      const id = await create(attacker, step('http_request', config));
      const ran = await attacker('POST', `/workflows/${id}/execute`, {
        body: { input: { file: reference }, wait: '30s' },
      });
      expectNoCanary(ran);
    }
    await new Promise((resolve) => server.close(resolve));
    expect(received.join('')).not.toContain(CANARY);
  });

  test('an endpoint in use is reported without its owner', async () => {
    const reply = await attacker('POST', '/workflows', {
      body: { name: 'w', definition: createEchoWorkflow('theirs/:other'), status: 'active' },
    });
    expect(reply.status).toBe(400);
    expect(reply.text).not.toContain(theirs.workflow);
    expect(reply.text).not.toContain(fixture.member.id);
  });

  test('users do not share idempotency keys', async () => {
    const headers = { 'idempotency-key': 'the same' };
    const one = await victim('POST', `/workflows/${theirs.workflow}/execute`, { body: {}, headers });
    const own = await create(attacker, { nodes: [manual], connections: [] });
    const two = await attacker('POST', `/workflows/${own}/execute`, { body: {}, headers });
    expect(two.headers.get('idempotent-replayed')).toBeNull();
    expect((two.body as { id: string }).id).not.toBe((one.body as { id: string }).id);
  });
});

describe('GraphQL and sockets', () => {
  const ask = async (query: string): Promise<ApiResponse> =>
    attacker('POST', '/graphql', { body: { query } });

  test('single resources are null, lists are empty, mutations return NOT_FOUND', async () => {
    const { workflow, execution, running } = theirs;
    for (const field of [
      `workflow(id: "${workflow}") { description definition { nodes { id } } executions { id output } }`,
      `execution(id: "${execution}") { output input nodes { output } logs { message } workflow { description } }`,
      'node(id: "their_node") { description }',
    ]) {
      const reply = await ask(`{ thing: ${field} }`);
      expect(reply.body, field).toEqual({ data: { thing: null } });
    }
    for (const field of [
      `executions(filter: { workflowId: "${workflow}" }) { id }`,
      `workflows(filter: { search: "${CANARY}" }) { id }`,
    ]) {
      const reply = await ask(`{ ${field} }`);
      expectNoCanary(reply);
      expect(reply.text, field).toMatch(/\[\]|NOT_FOUND/);
    }
    for (const field of [
      `deleteWorkflow(id: "${workflow}")`,
      `deleteWorkflow(id: "${workflow}", permanent: true)`,
      `undeleteWorkflow(id: "${workflow}") { id }`,
      `updateWorkflow(id: "${workflow}", input: { name: "mine" }) { id }`,
      `executeWorkflow(id: "${workflow}") { id }`,
      `stopExecution(id: "${running}") { id }`,
      `retryExecution(id: "${execution}") { id }`,
      `publishWorkflow(id: "${workflow}") { id }`,
      `deleteSecret(name: "THEIRS")`,
    ]) {
      const reply = await ask(`mutation { ${field} }`);
      expect(reply.text, field).toContain('NOT_FOUND');
      expectNoCanary(reply);
    }
  });

  test('users cannot subscribe to executions of other users', async () => {
    const { authorization = '' } = await fixture.session(fixture.other);
    const client = await connectSocket(fixture.weft.url);
    await client.auth(authorization.slice('Bearer '.length));
    for (const data of [
      { workflow_id: theirs.workflow },
      { execution_id: theirs.running },
      { workflow_id: theirs.workflow, execution_id: theirs.execution },
    ]) {
      client.send({ type: 'subscribe', data });
      expect((await client.next()).data).toMatchObject({ code: 'NOT_FOUND' });
    }
    const stream = await fetch(`${fixture.weft.url}/graphql`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json', accept: 'text/event-stream' },
      body: JSON.stringify({
        query: `subscription { workflowExecution(workflowId: "${theirs.workflow}") { status } }`,
      }),
    });
    expect(await stream.text()).toContain('NOT_FOUND');
    await run(victim, theirs.workflow, { text: CANARY });
    client.send({ type: 'ping' });
    expect((await client.next()).type).toBe('pong');
    expect(client.messages.filter(({ type }) => type === 'execution_update')).toEqual([]);
  });
});

test('the resources of the victim are unchanged', async () => {
  expect((await victim('GET', `/workflows/${theirs.workflow}`)).body).toMatchObject({
    version: 1,
    name: 'w',
  });
  expect((await victim('GET', `/executions/${theirs.running}`)).body).toMatchObject({ status: 'waiting' });
  expect((await victim('GET', '/secrets')).body).toMatchObject({ pagination: { total: 1 } });
  await victim('POST', `/executions/${theirs.running}/stop`);
  await waitUntil(
    () => victim('GET', `/executions/${theirs.running}`),
    ({ body }) => (body as { status: string }).status === 'stopped',
  );
});
