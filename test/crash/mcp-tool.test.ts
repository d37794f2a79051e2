import { afterAll, beforeAll, expect, test } from 'vitest';
import { manual } from '../api/definitions.ts';
import {
  spawnService,
  createTempFolder,
  waitUntil,
  type Call,
  type SpawnedService,
} from '../support/service.ts';
import { startMcpServer, type FakeMcpServer, type FakeMcpTool } from '../support/servers/mcp-server.ts';

/* The process is killed while a tool runs. Its server declares whether the tool may run again. */

const folder = createTempFolder();
let weft: SpawnedService;
let call: Call;
let mcp: FakeMcpServer;
/** Whether tools answer; otherwise they hang. */
let isAnswering = false;

const tool = (name: string, annotations: FakeMcpTool['annotations'] = {}): FakeMcpTool => ({
  name,
  annotations,
  call({ result }) {
    if (isAnswering) result({ content: [{ type: 'text', text: 'done' }] });
  },
});

beforeAll(async () => {
  mcp = await startMcpServer([
    tool('read', { readOnlyHint: true }),
    tool('put', { idempotentHint: true }),
    tool('charge'),
    tool('delete', { destructiveHint: true }),
  ]);
  weft = await spawnService({ dataDir: folder.path });
  call = await weft.login();
});
afterAll(async () => {
  await weft.kill9();
  await mcp.close();
  folder.remove();
});

type Execution = {
  id: string;
  status: string;
  output: unknown;
  error: { type: string; message: string } | null;
};

async function begin(config: object): Promise<string> {
  const definition = {
    nodes: [manual, { id: 'n', type: 'mcp_tool', config: { url: mcp.url, ...config } }],
    connections: [{ from: 'start', to: 'n' }],
  };
  const made = await call('POST', '/workflows', { body: { name: 'W', definition } });
  expect(made.status, made.text).toBe(201);
  const begun = await call('POST', `/workflows/${(made.body as Execution).id}/execute`, { body: {} });
  return (begun.body as Execution).id;
}

test('a tool that may be repeated is called again, and any other exactly once', async () => {
  const rows = [
    { config: { tool: 'read' }, calls: 2 },
    { config: { tool: 'put' }, calls: 2 },
    { config: { tool: 'charge' }, calls: 1 },
    { config: { tool: 'delete' }, calls: 1 },
    { config: { tool: 'charge', arguments: { n: 1 }, afterCrash: 'repeat' }, calls: 2 },
    { config: { tool: 'read', arguments: { n: 1 }, afterCrash: 'fail' }, calls: 1 },
  ];
  const ids = await Promise.all(rows.map(({ config }) => begin(config)));
  await waitUntil(
    () => Promise.resolve(mcp.calls().length),
    (count) => count === rows.length,
  );
  await weft.kill9();
  isAnswering = true;
  weft = await spawnService({ dataDir: folder.path });
  call = await weft.login();
  for (const [i, { config, calls }] of rows.entries()) {
    const { status, output, error } = await waitUntil(
      async () => (await call('GET', `/executions/${ids[i]}`)).body as Execution,
      (one) => ['completed', 'failed'].includes(one.status),
      40_000,
    );
    const made = mcp
      .calls(config.tool)
      .filter(({ params }) => JSON.stringify(params['arguments']) === JSON.stringify(config.arguments ?? {}));
    expect([config, made.length]).toEqual([config, calls]);
    if (calls === 2)
      expect({ status, output }).toMatchObject({ status: 'completed', output: { result: 'done' } });
    else expect({ status, error }).toMatchObject({ status: 'failed', error: { type: 'interrupted' } });
  }
});
