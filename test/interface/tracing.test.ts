import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startInProcess, type InProcess } from '../harness/in-process.ts';
import { temporaryFolder, until, type Call } from '../harness/service.ts';
import { startUpstream, type Upstream } from '../harness/upstream.ts';

type Span = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  attributes: { key: string; value: { stringValue?: string; intValue?: number | string } }[];
  status?: { code?: number };
};

/** A collector that keeps what it is sent over OTLP. */
const spans: Span[] = [];
const collector = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    expect(request.url).toBe('/v1/traces');
    const body = JSON.parse(Buffer.concat(chunks).toString()) as {
      resourceSpans: { scopeSpans: { spans: Span[] }[] }[];
    };
    for (const { scopeSpans } of body.resourceSpans)
      for (const scope of scopeSpans) spans.push(...scope.spans);
    response.setHeader('content-type', 'application/json').end('{}');
  });
});
const folder = temporaryFolder();
let weft: InProcess;
let api: Call;
let upstream: Upstream;

beforeAll(async () => {
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  upstream = await startUpstream(({ path }) => ({ status: path.startsWith('/bad') ? 500 : 200 }));
  const { port } = collector.address() as AddressInfo;
  weft = await startInProcess({
    dataDir: folder.path,
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` },
  });
  api = await weft.login();
});
afterAll(async () => {
  await weft.service.stop();
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
  const answer = await weft.call('POST', '/webhooks/traced', {
    body: {},
    headers: { traceparent: `00-${traceId}-b7ad6b7169203331-01` },
  });
  expect(answer.status).toBe(200);
  const executionId = answer.headers.get('x-weft-execution-id');
  const own = await until(
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

test('without a caller’s trace an execution has one of its own, and a failure is told as one', async () => {
  await hook('failing', '/bad');
  const before = spans.length;
  expect(
    (await weft.call('POST', '/webhooks/failing', { body: {}, headers: { traceparent: 'nonsense' } })).status,
  ).toBe(500);
  const found = await until(
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

test('what is started by hand is a trace of its own', async () => {
  const before = spans.length;
  const definition = {
    nodes: [{ id: 'start', type: 'trigger', config: { triggerType: 'manual' } }],
    connections: [],
  };
  const { id } = (await api('POST', '/workflows', { body: { name: 'm', definition } })).body as {
    id: string;
  };
  const run = (await api('POST', `/workflows/${id}/execute`, { body: { wait: '5s' } })).body as {
    id: string;
  };
  const [execution] = await until(
    async () =>
      spans
        .slice(before)
        .filter((span) => span.name === 'execution' && attribute(span, 'weft.execution_id') === run.id),
    (all) => all.length === 1,
  );
  expect(execution?.parentSpanId ?? '').toBe('');
});
