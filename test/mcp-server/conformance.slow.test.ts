import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { createServer, request as sendRequest, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  completeWith,
  createToolWorkflows,
  createStopNode,
  type ToolWorkflow,
} from '../support/ai/tool-workflows.ts';
import { serve, type TestServer } from '../support/servers/http-server.ts';
import { useService } from '../support/use-service.ts';

/*
 * The conformance suite of the protocol, against workflows with the names that it calls. Scenarios of
 * features that the server does not declare (prompts, resources, sampling, logging) are left out.
 */
const COMMON = [
  'tools-list',
  'tools-call-simple-text',
  'tools-call-image',
  'tools-call-audio',
  'tools-call-embedded-resource',
  'tools-call-mixed-content',
  'tools-call-error',
  'tools-call-with-progress',
  'json-schema-2020-12',
  'dns-rebinding-protection',
];
const SCENARIOS: Readonly<Record<string, readonly string[]>> = {
  '2025-06-18': ['server-initialize', 'ping', ...COMMON.slice(0, 8)],
  '2025-11-25': ['server-initialize', 'ping', ...COMMON],
  '2026-07-28': [
    ...COMMON,
    'server-sse-multiple-streams',
    'http-header-validation',
    'input-required-result-basic-elicitation',
    'input-required-result-request-state',
    'input-required-result-multi-round',
    'input-required-result-missing-input-response',
    'input-required-result-result-type',
    'input-required-result-unsupported-methods',
    'input-required-result-tampered-state',
    'input-required-result-ignore-extra-params',
    'input-required-result-validate-input',
  ],
  tasks: [
    'tasks-lifecycle',
    'tasks-capability-negotiation',
    'tasks-wire-fields',
    'tasks-request-state-removal',
    'tasks-mrtr-input',
    'tasks-request-headers',
    'tasks-dispatch-and-envelope',
    'tasks-status-notifications',
    'tasks-required-task-error',
    'tasks-mrtr-composition',
  ],
};

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const WAV = Buffer.from('UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=', 'base64');

const fixture = useService({ WEFT_RATE_LIMIT_STANDARD: 'unlimited' });
let upstream: TestServer;
let proxy: Server;
let url: string;

beforeAll(async () => {
  const contents: Readonly<Record<string, readonly [string, Buffer]>> = {
    '/image': ['image/png', PNG],
    '/audio': ['audio/wav', WAV],
    '/pdf': ['application/pdf', Buffer.from('%PDF-1.4')],
  };
  upstream = await serve((request, response) => {
    const [type, bytes] = contents[request.url ?? '']!;
    response.writeHead(200, { 'content-type': type }).end(bytes);
  });
  await createToolWorkflows(fixture.api, workflows(upstream.url));
  // The suite cannot send a credential.
  const key = await fixture.api('POST', '/api-keys', { body: { name: 'conformance' } });
  proxy = createServer((incoming, outgoing) => {
    const { key: value } = key.body as { key: string };
    const target = new URL(fixture.weft.url);
    const passed = sendRequest(
      {
        host: target.hostname,
        port: target.port,
        path: '/v1/mcp',
        method: incoming.method,
        headers: { ...incoming.headers, 'x-api-key': value },
      },
      (response) => {
        outgoing.writeHead(response.statusCode ?? 500, response.headers);
        response.pipe(outgoing);
      },
    );
    passed.on('error', () => outgoing.destroy());
    outgoing.on('close', () => passed.destroy());
    incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/mcp`;
});
afterAll(async () => {
  proxy.closeAllConnections();
  proxy.close();
  await upstream.close();
});

const download = (id: string, address: string) => ({
  id,
  type: 'http_request',
  config: { method: 'GET', url: address },
});
const delay = (id: string, duration: string) => ({ id, type: 'delay', config: { duration } });
const wait = (id: string) => ({ id, type: 'wait_for_event' });

function workflows(files: string): ToolWorkflow[] {
  return [
    // The suite calls the first tool without the extension of tasks.
    { name: 'about', nodes: [completeWith('This is a test.')] },
    { name: 'test_simple_text', nodes: [completeWith('This is a simple text response for testing.')] },
    {
      name: 'test_image_content',
      nodes: [download('get', `${files}/image`), completeWith('{{ nodes.get.body }}')],
    },
    {
      name: 'test_audio_content',
      nodes: [download('get', `${files}/audio`), completeWith('{{ nodes.get.body }}')],
    },
    {
      name: 'test_embedded_resource',
      nodes: [download('get', `${files}/pdf`), completeWith('{{ nodes.get.body }}')],
    },
    {
      name: 'test_multiple_content_types',
      nodes: [
        download('image', `${files}/image`),
        download('pdf', `${files}/pdf`),
        completeWith({
          text: 'Multiple content types',
          image: '{{ nodes.image.body }}',
          pdf: '{{ nodes.pdf.body }}',
        }),
      ],
    },
    {
      name: 'test_error_handling',
      nodes: [createStopNode('This tool intentionally returns an error for testing')],
    },
    {
      name: 'test_tool_with_progress',
      nodes: [delay('first', '100ms'), delay('second', '100ms'), completeWith('Done.')],
    },
    {
      name: 'json_schema_2020_12_tool',
      trigger: {
        inputSchema: {
          $schema: 'https://json-schema.org/draft/2020-12/schema',
          type: 'object',
          $defs: {
            address: {
              $anchor: 'addressDef',
              type: 'object',
              properties: { street: { type: 'string' }, city: { type: 'string' } },
            },
          },
          properties: {
            name: { type: 'string' },
            address: { $ref: '#/$defs/address' },
            contactMethod: { type: 'string', enum: ['phone', 'email'] },
            phone: { type: 'string' },
            email: { type: 'string' },
          },
          allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
          if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
          // oxlint-disable-next-line unicorn/no-thenable
          then: { required: ['phone'] },
          else: { required: ['email'] },
          additionalProperties: false,
        },
      },
      nodes: [completeWith('{{ input }}')],
    },
    ...['elicitation', 'request_state', 'tampered_state'].map((name) => ({
      name: `test_input_required_result_${name}`,
      nodes: [wait(name === 'elicitation' ? 'user_name' : 'confirm'), completeWith('{{ input }} state-ok')],
    })),
    {
      name: 'test_input_required_result_multi_round',
      nodes: [wait('step1'), wait('step2'), completeWith('{{ nodes.step2 }}')],
    },
    { name: 'greet', nodes: [completeWith('Hello, {{ input.name }}!')] },
    {
      name: 'slow_compute',
      nodes: [delay('compute', '{{ input.seconds }}s'), completeWith('Computed.')],
    },
    {
      name: 'failing_job',
      trigger: { taskSupport: 'required' },
      nodes: [delay('work', '1s'), createStopNode('The job failed.')],
    },
    {
      name: 'protocol_error_job',
      trigger: { taskSupport: 'required' },
      nodes: [delay('work', '1h'), completeWith('Never.')],
      settings: { timeout: '1s' },
    },
    { name: 'confirm_delete', trigger: { taskSupport: 'required' }, nodes: [wait('confirm')] },
    {
      name: 'multi_input',
      trigger: { taskSupport: 'required' },
      nodes: [wait('first'), wait('second'), { id: 'both', type: 'merge', config: { mode: 'object' } }],
      connections: [
        { from: 'start', to: 'first' },
        { from: 'start', to: 'second' },
        { from: 'first', to: 'both' },
        { from: 'second', to: 'both' },
      ],
    },
    {
      name: 'test_tool_with_task',
      nodes: [wait('ask'), delay('work', '1s'), completeWith('Hello, {{ nodes.ask.name }}!')],
    },
  ];
}

type Check = { id: string; status: string; errorMessage?: string };

/** Runs a scenario in a process of its own; returns its checks. */
async function runScenario(scenario: string, version: string | null): Promise<Check[]> {
  const suite = createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json');
  const folder = mkdtempSync(path.join(tmpdir(), 'weft-conformance-'));
  try {
    const args = ['server', '--url', url, '--scenario', scenario, '-o', folder];
    const child = spawn(
      process.execPath,
      [
        path.join(path.dirname(suite), 'dist/index.js'),
        ...args,
        ...(version === null ? [] : ['--spec-version', version]),
      ],
      { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] },
    );
    let printed = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    await new Promise((resolve) => child.once('close', resolve));
    const file = readdirSync(folder, { recursive: true }).find((name) =>
      String(name).endsWith('checks.json'),
    );
    if (file === undefined) throw new Error(`${scenario} wrote no checks: ${printed}`);
    return JSON.parse(readFileSync(path.join(folder, String(file)), 'utf8')) as Check[];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

for (const [version, scenarios] of Object.entries(SCENARIOS))
  describe(`the conformance suite, ${version}`, () => {
    test.concurrent.each(scenarios)('%s', async (scenario) => {
      const checks = await runScenario(scenario, version === 'tasks' ? null : version);
      expect(checks.length).toBeGreaterThan(0);
      expect(checks.filter(({ status }) => status === 'FAILURE')).toEqual([]);
    });
  });
