import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  spawnService,
  createTempFolder,
  type ApiResponse,
  type Call,
  type SpawnedService,
} from '../../support/service.ts';
import { createEchoWorkflow, manual } from '../definitions.ts';

/** Beyond 2^53: a number would be 820982911946154500. */
const DIGITS = '820982911946154508';
const JSON_TEXT = `{"id": ${DIGITS}, "list": [-${DIGITS}, 9007199254740991, 0.1], "${DIGITS}": "${DIGITS}"}`;
const EXACT = { id: DIGITS, list: [`-${DIGITS}`, 9_007_199_254_740_991, 0.1], [DIGITS]: DIGITS };

const folder = createTempFolder();
let weft: SpawnedService;
let api: Call;
let upstream: Server;

beforeAll(async () => {
  weft = await spawnService({ dataDir: folder.path });
  api = await weft.login();
  upstream = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON_TEXT);
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  await weft?.kill9();
  upstream.close();
  folder.remove();
});

const call = (path: string, raw: string): Promise<ApiResponse> =>
  api('POST', path, { raw, headers: { 'content-type': 'application/json' } });

async function run(nodes: object[], connections: object[], body = '{"wait":"20s"}'): Promise<unknown> {
  const made = await api('POST', '/workflows', { body: { name: 'x', definition: { nodes, connections } } });
  expect(made.status, made.text).toBe(201);
  const ended = await call(`/workflows/${(made.body as { id: string }).id}/execute`, body);
  expect(ended.body, ended.text).toMatchObject({ status: 'completed' });
  return (ended.body as { output: unknown }).output;
}

describe('an integer beyond the precision of a double arrives as its digits', () => {
  test('in a webhook', async () => {
    const definition = createEchoWorkflow('large', { expectedSchema: { id: 'integer', list: 'array' } });
    await api('POST', '/workflows', { body: { name: 'large', definition, status: 'active' } });
    const reply = await weft.call('POST', '/webhooks/large', {
      raw: JSON_TEXT,
      headers: { 'content-type': 'application/json' },
    });
    expect([reply.status, reply.body]).toEqual([200, { body: EXACT }]);
    const wrong = await weft.call('POST', '/webhooks/large', {
      raw: '{"id": "9007199254740991", "list": []}',
      headers: { 'content-type': 'application/json' },
    });
    expect(wrong.status).toBe(400);
  });

  test('in the input of an execution', async () => {
    expect(await run([manual], [], `{"wait":"20s","input":${JSON_TEXT}}`)).toEqual(EXACT);
  });

  test('in a response to http_request', async () => {
    const { port } = upstream.address() as AddressInfo;
    const node = {
      id: 'call',
      type: 'http_request',
      config: { method: 'GET', url: `http://127.0.0.1:${port}/` },
    };
    const output = await run([manual, node], [{ from: manual.id, to: 'call' }]);
    expect(output).toMatchObject({ body: EXACT });
  });

  test('in a JSON text, by the node and by the filter', async () => {
    const node = { id: 'json', type: 'json', config: { operation: 'parse', value: '{{ input.text }}' } };
    const input = JSON.stringify({ wait: '20s', input: { text: JSON_TEXT } });
    expect(await run([manual, node], [{ from: manual.id, to: 'json' }], input)).toEqual(EXACT);
    const reply = await api('POST', '/evaluate', {
      body: { template: '{{ input | parse_json }}', input: JSON_TEXT },
    });
    expect(reply.body).toMatchObject({ value: EXACT });
  });

  test('in GraphQL, as a literal and as a variable', async () => {
    const made = await api('POST', '/workflows', {
      body: { name: 'g', definition: { nodes: [manual], connections: [] } },
    });
    const { id } = made.body as { id: string };
    const fields = 'executeWorkflow(id: $id, input: {input: $input, wait: "20s"}) { output }';
    const inline = fields.replace('$input', `{id: ${DIGITS}}`);
    const literal = await call(
      '/graphql',
      JSON.stringify({ query: `mutation($id: ID!) { ${inline} }`, variables: { id } }),
    );
    expect(literal.text).toContain(`"output":{"id":"${DIGITS}"}`);
    const query = JSON.stringify(`mutation($id: ID!, $input: JSON) { ${fields} }`);
    const variable = await call(
      '/graphql',
      `{"query":${query},"variables":{"id":"${id}","input":{"id":${DIGITS}}}}`,
    );
    expect(variable.text).toContain(`"output":{"id":"${DIGITS}"}`);
  });

  test('in a definition', async () => {
    const node = `{"id":"set","type":"set","config":{"fields":{"id":${DIGITS}}}}`;
    const made = await call(
      '/workflows',
      `{"name":"d","definition":{"nodes":[${JSON.stringify(manual)},${node}],"connections":[{"from":"start","to":"set"}]}}`,
    );
    expect(made.status, made.text).toBe(201);
    expect(made.text).toContain(`"id":"${DIGITS}"`);
  });
});

test('a template does not round one to a number', async () => {
  for (const template of [`{{ "${DIGITS}" | to_number }}`, `{{ int("+${DIGITS}") }}`, `{{ ${DIGITS} }}`]) {
    const reply = await api('POST', '/evaluate', { body: { template } });
    expect([reply.status, reply.text], template).toEqual([400, expect.stringContaining(DIGITS)]);
  }
  const exact = await api('POST', '/evaluate', {
    body: { template: '{{ "9007199254740992" | to_number }}' },
  });
  expect(exact.body).toMatchObject({ value: 2 ** 53 });
});
