import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  spawnService,
  createTempFolder,
  waitUntil,
  type Call,
  type SpawnedService,
} from '../support/service.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

type Span = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  attributes: { key: string; value: { stringValue?: string; intValue?: number | string } }[];
  status?: { code?: number };
};

type Resource = { attributes: { key: string; value: { stringValue?: string } }[] };

/** A collector that records spans from OTLP. */
const spans: Span[] = [];
const resources: Resource[] = [];
const headers: IncomingHttpHeaders[] = [];
const collector = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    expect(request.url).toBe('/v1/traces');
    headers.push(request.headers);
    const body = JSON.parse(gunzipSync(Buffer.concat(chunks)).toString()) as {
      resourceSpans: { resource: Resource; scopeSpans: { spans: Span[] }[] }[];
    };
    for (const { resource, scopeSpans } of body.resourceSpans) {
      resources.push(resource);
      for (const scope of scopeSpans) spans.push(...scope.spans);
    }
    response.setHeader('content-type', 'application/json').end('{}');
  });
});
const folder = createTempFolder();
let weft: SpawnedService;
let api: Call;
let upstream: Upstream;

beforeAll(async () => {
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  upstream = await startUpstream(({ path }) => ({ status: path.startsWith('/bad') ? 500 : 200 }));
  const { port } = collector.address() as AddressInfo;
  weft = await spawnService({
    dataDir: folder.path,
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-api-key=collector%20key',
      OTEL_SERVICE_NAME: 'weft-of-the-shop',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test,service.name=overridden',
      OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
      OTEL_METRICS_EXPORTER: 'none',
    },
  });
  api = await weft.login();
});
afterAll(async () => {
  await weft?.stop();
  await upstream.close();
  collector.close();
  folder.remove();
});

const attribute = (span: Span, key: string): unknown => {
  const value = span.attributes.find((one) => one.key === key)?.value;
  return value?.stringValue ?? Number(value?.intValue);
};

async function hook(endpoint: string, path: string): Promise<void> {
  const definition = {
    nodes: [
      {
        id: 'in',
        type: 'trigger',
        config: {
          triggerType: 'webhook',
          endpoint,
          method: 'POST',
          authentication: 'none',
          respond: 'on_completion',
        },
      },
      {
        id: 'ask',
        type: 'http_request',
        config: { method: 'GET', url: `${upstream.url}${path}?token=hidden` },
      },
    ],
    connections: [{ from: 'in', to: 'ask' }],
  };
  const made = await api('POST', '/workflows', { body: { name: endpoint, status: 'active', definition } });
  expect(made.status, made.text).toBe(201);
}

test('one trace from the caller through webhook, execution and node to the outgoing request', async () => {
  await hook('traced', '/good');
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const reply = await weft.call('POST', '/webhooks/traced', {
    body: {},
    headers: { traceparent: `00-${traceId}-b7ad6b7169203331-01` },
  });
  expect(reply.status).toBe(200);
  const executionId = reply.headers.get('x-weft-execution-id');
  const own = await waitUntil(
    async () => spans.filter((span) => span.traceId === traceId),
    (found) => found.some(({ name }) => name === 'execution') && found.length >= 4,
  );
  const of = (name: string): Span => own.find((span) => span.name === name)!;
  const [webhook, execution, node, request] = [
    of('webhook POST'),
    of('execution'),
    of('http_request'),
    of('GET'),
  ];
  expect(webhook.parentSpanId).toBe('b7ad6b7169203331');
  expect(execution.parentSpanId).toBe(webhook.spanId);
  expect(node.parentSpanId).toBe(execution.spanId);
  expect(request.parentSpanId).toBe(node.spanId);
  expect(upstream.received.at(-1)?.headers['traceparent']).toBe(`00-${traceId}-${request.spanId}-01`);
  for (const span of [webhook, execution, node])
    expect(attribute(span, 'weft.execution_id')).toBe(executionId);
  expect(attribute(node, 'weft.node_id')).toBe('ask');
  expect(attribute(request, 'url.full')).toBe(`${upstream.url}/good`);
  expect(attribute(request, 'http.response.status_code')).toBe(200);
});

test('without a trace of the caller, an execution starts a trace, and a failure is recorded', async () => {
  await hook('failing', '/bad');
  const before = spans.length;
  expect(
    (await weft.call('POST', '/webhooks/failing', { body: {}, headers: { traceparent: 'nonsense' } })).status,
  ).toBe(500);
  const found = await waitUntil(
    async () => spans.slice(before),
    (all) =>
      ['execution', 'http_request', 'GET', 'webhook POST'].every((name) =>
        all.some((span) => span.name === name),
      ),
  );
  expect(new Set(found.map(({ traceId }) => traceId)).size).toBe(1);
  for (const span of found) expect(span.status?.code, span.name).toBe(2);
  expect(JSON.stringify(found)).not.toContain('hidden');
});

const traceparent = (traceId: string): string => `00-${traceId}-b7ad6b7169203331-01`;

/** A manual workflow that calls the upstream. */
async function caller(): Promise<string> {
  const definition = {
    nodes: [
      { id: 'start', type: 'trigger', config: { triggerType: 'manual' } },
      { id: 'ask', type: 'http_request', config: { url: `${upstream.url}/manual` } },
    ],
    connections: [{ from: 'start', to: 'ask' }],
  };
  const made = await api('POST', '/workflows', { body: { name: 'caller', definition } });
  return (made.body as { id: string }).id;
}

test('REST and GraphQL pass on the trace, its state and its baggage', async () => {
  const id = await caller();
  const context = { tracestate: 'vendor=opaque,other=1', baggage: 'tenant=shop;ttl=30,user=ada' };
  const requests: [string, (headers: Record<string, string>) => Promise<unknown>][] = [
    [
      'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1',
      (given) => api('POST', `/workflows/${id}/execute`, { body: { wait: '30s' }, headers: given }),
    ],
    [
      'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa2',
      (given) =>
        api('POST', '/graphql', {
          body: { query: `mutation { executeWorkflow(id: "${id}", input: { wait: "10s" }) { id } }` },
          headers: given,
        }),
    ],
    [
      'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa3',
      async (given) => {
        const { body } = await api('GET', `/executions?workflow_id=${id}&limit=1`);
        const [{ id: execution } = { id: '' }] = (body as { executions: { id: string }[] }).executions;
        return api('POST', `/executions/${execution}/retry`, { body: { from: 'start' }, headers: given });
      },
    ],
  ];
  for (const [traceId, request] of requests) {
    await request({ traceparent: traceparent(traceId), ...context });
    const received = await waitUntil(
      async () => upstream.received.filter(({ headers: actual }) => actual['traceparent']?.includes(traceId)),
      (found) => found.length === 1,
    );
    expect(received[0]?.headers).toMatchObject(context);
    const own = await waitUntil(
      async () => spans.filter((span) => span.traceId === traceId),
      (found) => found.some(({ name }) => name === 'execution'),
    );
    const server = own.find(({ parentSpanId }) => parentSpanId === 'b7ad6b7169203331');
    expect(server?.kind).toBe(2);
    expect(own.find(({ name }) => name === 'execution')?.parentSpanId).toBe(server?.spanId);
  }
});

test('the collector receives the headers and the resource of the settings', () => {
  expect(headers[0]).toMatchObject({ 'x-api-key': 'collector key', 'content-encoding': 'gzip' });
  const attributes = Object.fromEntries(
    resources[0]!.attributes.map(({ key, value }) => [key, value.stringValue]),
  );
  expect(attributes).toMatchObject({
    'service.name': 'weft-of-the-shop',
    'deployment.environment.name': 'test',
  });
});

test('a variable that is not supported is named in the log', () => {
  expect(weft.logs()).toMatch(/OTEL_METRICS_EXPORTER.*not supported/);
});

test('without a collector the context of the caller is passed on unchanged', async () => {
  const own = createTempFolder();
  const plain = await spawnService({ dataDir: own.path, env: { OTEL_SDK_DISABLED: 'true' } });
  try {
    const call = await plain.login();
    const definition = {
      nodes: [
        { id: 'start', type: 'trigger', config: { triggerType: 'manual' } },
        { id: 'ask', type: 'http_request', config: { url: `${upstream.url}/untraced` } },
      ],
      connections: [{ from: 'start', to: 'ask' }],
    };
    const { id } = (await call('POST', '/workflows', { body: { name: 'plain', definition } })).body as {
      id: string;
    };
    const given = {
      traceparent: traceparent('bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb1'),
      tracestate: 'vendor=opaque',
      baggage: 'tenant=shop',
    };
    await call('POST', `/workflows/${id}/execute`, { body: { wait: '30s' }, headers: given });
    expect(upstream.received.findLast(({ path }) => path === '/untraced')?.headers).toMatchObject(given);
    await call('POST', `/workflows/${id}/execute`, {
      body: { wait: '30s' },
      headers: { traceparent: '00-00000000000000000000000000000000-b7ad6b7169203331-01', baggage: '' },
    });
    const { headers: invalid } = upstream.received.findLast(({ path }) => path === '/untraced')!;
    expect(invalid['traceparent']).toBeUndefined();
  } finally {
    await plain.stop();
    own.remove();
  }
});

test('an execution that is started without a trace begins one at its request', async () => {
  const before = spans.length;
  const definition = {
    nodes: [{ id: 'start', type: 'trigger', config: { triggerType: 'manual' } }],
    connections: [],
  };
  const { id } = (await api('POST', '/workflows', { body: { name: 'm', definition } })).body as {
    id: string;
  };
  const run = (await api('POST', `/workflows/${id}/execute`, { body: { wait: '30s' } })).body as {
    id: string;
  };
  const [execution] = await waitUntil(
    async () =>
      spans
        .slice(before)
        .filter((span) => span.name === 'execution' && attribute(span, 'weft.execution_id') === run.id),
    (all) => all.length === 1,
  );
  const server = spans.find(({ spanId }) => spanId === execution?.parentSpanId);
  expect(server).toMatchObject({ name: 'execute', kind: 2 });
  expect(server?.parentSpanId ?? '').toBe('');
});
