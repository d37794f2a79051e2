import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectSocket, endSocketClients } from '../support/websocket/websocket-client.ts';
import { parseExposition, findValue } from '../support/metrics-text.ts';
import {
  spawnService,
  type SpawnedService,
  adminEmail,
  adminPassword,
  createTempFolder,
  waitUntil,
  type Call,
} from '../support/service.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';
import { createCallingWorkflow, createEchoWorkflow, longWait } from './definitions.ts';

const TOKEN = 'a-token-for-prometheus';
const folder = createTempFolder();
let weft: SpawnedService;
let api: Call;
let upstream: Upstream;

beforeAll(async () => {
  upstream = await startUpstream();
  weft = await spawnService({
    dataDir: folder.path,
    env: { WEFT_METRICS: 'on', WEFT_METRICS_TOKEN: TOKEN },
  });
  api = await weft.login();
});
afterAll(async () => {
  endSocketClients();
  await weft.stop();
  await upstream.close();
  folder.remove();
});

async function read() {
  // Nothing is read twice within a second.
  await new Promise((resolve) => setTimeout(resolve, 1_050));
  const response = await fetch(weft.url.replace('/v1', '/metrics'), {
    headers: { authorization: `Bearer ${TOKEN}` },
  });
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return { text, samples: parseExposition(text) };
}

test('what runs shows, and no id or owner does', async () => {
  const make = async (body: object) => {
    const response = await api('POST', '/workflows', { body: { name: 'x', ...body } });
    expect(response.status, response.text).toBe(201);
    return (response.body as { id: string }).id;
  };
  const call = await make({ definition: createCallingWorkflow(upstream.url) });
  const broken = await make({ definition: createCallingWorkflow('http://127.0.0.1:1/') });
  const waiting = await make({ definition: longWait });
  await make({ definition: createEchoWorkflow('in'), status: 'active' });
  for (const id of [call, broken])
    await api('POST', `/workflows/${id}/execute`, { body: { input: { a: 1 }, wait: '30s' } });
  await api('POST', `/workflows/${waiting}/execute`, { body: {} });
  await weft.call('POST', '/webhooks/in', { body: { a: 1 } });
  await weft.call('POST', '/webhooks/none', { body: {} });
  await waitUntil(
    async () => (await api('GET', '/executions?status=waiting')).body as { executions: unknown[] },
    ({ executions }) => executions.length === 1,
  );
  const { samples, text } = await read();
  // Metrics of absent services do not exist: docs/operations.md.
  expect(text).not.toMatch(/^weft_(queue|database|redis)_/m);
  const of = (name: string, labels?: Record<string, string>) => findValue(samples, name, labels);
  expect(of('weft_executions_started_total', { trigger: 'manual' })).toBe(3);
  expect(of('weft_executions_started_total', { trigger: 'webhook' })).toBe(1);
  expect(of('weft_executions_ended_total', { status: 'completed' })).toBe(2);
  expect(of('weft_executions_ended_total', { status: 'failed' })).toBe(1);
  expect(of('weft_executions_waiting')).toBe(1);
  const runs = 'weft_node_run_duration_seconds_count';
  expect(of(runs, { type: 'http_request', status: 'completed' })).toBe(1);
  expect(of(runs, { type: 'http_request', status: 'failed' })).toBe(1);
  expect(of(runs, { type: 'delay', status: 'waiting' })).toBe(1);
  expect(of('weft_outgoing_call_duration_seconds_count', { outcome: '2xx' })).toBe(1);
  expect(of('weft_outgoing_call_duration_seconds_count', { outcome: 'network' })).toBe(1);
  expect(of('weft_commit_duration_seconds_count')).toBeGreaterThan(3);
  expect(of('weft_webhook_responses_total', { status: '200' })).toBe(1);
  expect(of('weft_webhook_responses_total', { status: '404' })).toBe(1);
  const route = { method: 'POST', route: '/v1/workflows/:id/execute', status: '201' };
  expect(of('weft_http_requests_total', route)).toBe(3);
  expect(text).not.toMatch(/wf_|ex_|usr_|example\.com|127\.0\.0\.1/);
});

test('open connections are counted while they are open', async () => {
  const connections = async (transport: string) =>
    findValue((await read()).samples, 'weft_connections', { transport });
  const socket = await connectSocket(weft.url);
  const { id } = (await api('POST', '/workflows', { body: { name: 'l', definition: longWait } })).body as {
    id: string;
  };
  const execution = (await api('POST', `/workflows/${id}/execute`, { body: {} })).body as { id: string };
  const stop = new AbortController();
  const login = await weft.call('POST', '/auth/login', {
    body: { email: adminEmail, password: adminPassword },
  });
  const { token } = login.body as { token: string };
  const stream = await fetch(`${weft.url}/executions/${execution.id}/logs`, {
    headers: { accept: 'text/event-stream', authorization: `Bearer ${token}` },
    signal: stop.signal,
  });
  expect(stream.status).toBe(200);
  expect(await connections('websocket')).toBe(1);
  expect(await connections('event_stream')).toBe(1);
  socket.end();
  stop.abort();
  await waitUntil(
    () => connections('websocket'),
    (open) => open === 0,
  );
  await waitUntil(
    () => connections('event_stream'),
    (open) => open === 0,
  );
});

test('they cannot be read without the token', async () => {
  const response = await fetch(weft.url.replace('/v1', '/metrics'));
  expect(response.status).toBe(401);
  expect(await response.json()).toMatchObject({ error: { code: 'UNAUTHORIZED' } });
});
