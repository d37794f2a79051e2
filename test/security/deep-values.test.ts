import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  spawnService,
  createTempFolder,
  waitUntil,
  type Call,
  type SpawnedService,
} from '../support/service.ts';

/*
 * A caller without a credential sends a short text that a template parses to a value too deep to be stored,
 * at every point where an execution resumes. Only that execution must fail.
 */

const folder = createTempFolder();
let service: SpawnedService;
let call: Call;
beforeAll(async () => {
  service = await spawnService({
    dataDir: folder.path,
    env: { WEFT_CONCURRENCY: '2', WEFT_RATE_LIMIT_ENTERPRISE: 'unlimited' },
  });
  call = await service.login();
});
afterAll(async () => {
  await service.stop();
  folder.remove();
});

const text = '['.repeat(10_000) + ']'.repeat(10_000);
const parse = { id: 'parse', type: 'set', config: { fields: { a: '{{ trigger.body.s | parse_json }}' } } };

async function activate(
  name: string,
  between: { id: string; type: string; config: object }[],
): Promise<void> {
  const trigger = { triggerType: 'webhook', endpoint: name, method: 'POST', authentication: 'none' };
  const nodes = [{ id: 'in', type: 'trigger', config: trigger }, ...between, parse];
  const connections = nodes.slice(1).map(({ id }, i) => ({ from: nodes[i]!.id, to: id }));
  const made = await call('POST', '/workflows', {
    body: { name, status: 'active', definition: { nodes, connections } },
  });
  expect(made.status, made.text).toBe(201);
}

type Execution = { status: string; error: { type: string; node_id: string; message: string } | null };

test.each([
  ['at once', []],
  ['after a wait', [{ id: 'wait', type: 'delay', config: { duration: '20ms' } }]],
  [
    'after a node with effects',
    [{ id: 'tell', type: 'notify', config: { level: 'info', message: 'It continues' } }],
  ],
])('%s', async (name, between) => {
  const endpoint = name.replaceAll(' ', '-');
  await activate(endpoint, between);
  for (let i = 0; i < 3; i++) {
    const accepted = await service.call('POST', `/webhooks/${endpoint}`, { body: { s: text } });
    expect(accepted.status, accepted.text).toBe(200);
    const { execution_id: id } = accepted.body as { execution_id: string };
    const ended = await waitUntil(
      async () => (await call('GET', `/executions/${id}`)).body as Execution,
      ({ status }) => status !== 'running' && status !== 'waiting' && status !== 'queued',
    );
    expect(ended.status).toBe('failed');
    expect(ended.error).toMatchObject({ node_id: 'parse' });
    expect(ended.error!.message).toContain('nested deeper than 200 levels');
  }
  const health = (await call('GET', '/health')).body as { checks: { engine: { active_executions: number } } };
  expect(health.checks.engine.active_executions).toBe(0);
});

test('in a template that is tried', async () => {
  const tried = await call('POST', '/evaluate', {
    body: { template: '{{ input.s | parse_json }}', input: { s: text } },
  });
  expect(tried.status).toBe(400);
  expect(tried.body).toMatchObject({ error: { code: 'VALIDATION_ERROR', details: { field: 'template' } } });
});

test('a number beyond a double, of a text or of a service, ends the execution: it would be null after a crash', async () => {
  const upstream = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json').end('{"n":[1e999]}');
  });
  await new Promise<void>((resolve) => void upstream.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = upstream.address() as AddressInfo;
    const steps = [
      { id: 'ask', type: 'http_request', config: { url: `http://127.0.0.1:${port}/` } },
      { id: 'parse', type: 'set', config: { fields: { a: "{{ '-1e999' | parse_json }}" } } },
    ];
    for (const step of steps) {
      const made = await call('POST', '/workflows', {
        body: {
          name: step.id,
          definition: {
            nodes: [{ id: 'in', type: 'trigger', config: { triggerType: 'manual' } }, step],
            connections: [{ from: 'in', to: step.id }],
          },
        },
      });
      const { id } = made.body as { id: string };
      const ended = (await call('POST', `/workflows/${id}/execute`, { body: { wait: '20s' } }))
        .body as Execution;
      expect(ended).toMatchObject({ status: 'failed', error: { node_id: step.id } });
      expect(ended.error!.message).toContain('contains a number outside the supported range');
    }
  } finally {
    upstream.close();
  }
});
