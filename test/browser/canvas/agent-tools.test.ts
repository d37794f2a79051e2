import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startMcpServer, type FakeMcpServer } from '../../support/servers/mcp-server.ts';
import { listFindingsInBothThemes } from '../support/axe.ts';
import { createSignedInApi, type Api } from '../support/caller.ts';
import { isChromiumMissing } from '../support/chromium.ts';
import { openEditor, type TestEditor } from '../support/editor.ts';
import { saveShot } from '../support/shots.ts';
import { signIn } from '../support/sign-in.ts';

const ORDER = {
  type: 'object',
  required: ['number'],
  properties: { number: { type: 'string', description: 'The number of the order.' } },
};
type Tool = { name: string; description: string; parameters: object; nodes: string[] };
type Node = { id: string; type: string; config: Record<string, unknown> };

describe.skipIf(isChromiumMissing)('the tools of an agent', () => {
  let editor: TestEditor;
  let mcp: FakeMcpServer;
  let call: Api;
  let page: Page;
  let pageErrors: string[];
  let workflow: string;
  let other: string;

  beforeAll(async () => {
    mcp = await startMcpServer([
      {
        name: 'get-weather',
        title: 'Weather',
        description: 'The weather of a city.',
        inputSchema: { type: 'object', required: ['city'], properties: { city: { type: 'string' } } },
      },
    ]);
    editor = await openEditor({ WEFT_ALLOWED_HOSTS: `127.0.0.1:${mcp.port}` });
    call = await createSignedInApi(editor.origin);
    other = (
      await call('POST', '/workflows', {
        name: 'Find an order',
        definition: {
          nodes: [
            {
              id: 'start',
              type: 'trigger',
              config: {
                triggerType: 'tool',
                name: 'find_order',
                description: 'Finds an order by its number.',
                inputSchema: ORDER,
              },
            },
          ],
          connections: [],
        },
      })
    )['id'] as string;
    const definition = {
      nodes: [
        { id: 'start', type: 'trigger', position: { x: 0, y: 0 }, config: { triggerType: 'manual' } },
        {
          id: 'agent',
          type: 'agent',
          position: { x: 320, y: 0 },
          config: { prompt: 'Hello', model: ['chat'], tools: [] },
        },
        {
          id: 'chat',
          type: 'llm',
          config: { provider: 'openai_compatible', baseUrl: 'http://127.0.0.1:1/v1', model: 'm' },
        },
      ],
      connections: [{ from: 'start', to: 'agent' }],
    };
    workflow = (await call('POST', '/workflows', { name: 'Support', definition }))['id'] as string;
    ({ page, pageErrors } = await editor.browser.open({ size: { width: 1440, height: 1000 } }));
    await signIn(page, editor.origin, `/workflows/${workflow}`);
    await page.locator('.react-flow__node[data-id="agent"]').waitFor();
  });
  afterAll(async () => {
    await editor?.close();
    await mcp?.close();
  });

  const dialog = () => page.getByRole('dialog', { name: 'Add tool' });
  const openDialog = async (text: string): Promise<void> => {
    await page.getByRole('button', { name: 'Tool', exact: true }).click();
    await dialog().getByLabel('Search tools').fill(text);
  };
  const submit = (): Promise<void> => dialog().getByRole('button', { name: 'Add tool' }).click();
  const readNodes = async (): Promise<Node[]> => {
    await page.keyboard.press('Control+s');
    await page.getByText('Saved', { exact: true }).first().waitFor();
    const { definition } = (await call('GET', `/workflows/${workflow}`)) as unknown as {
      definition: { nodes: Node[] };
    };
    return definition.nodes;
  };
  const readTool = async (name: string): Promise<{ tool: Tool; node: Node }> => {
    const nodes = await readNodes();
    const tools = nodes.find(({ id }) => id === 'agent')!.config['tools'] as Tool[];
    const tool = tools.find((one) => one.name === name)!;
    return { tool, node: nodes.find(({ id }) => id === tool.nodes[0])! };
  };

  test('a node becomes a tool, with the fields that are left open to the model', async () => {
    await openDialog('http request');
    await saveShot(page, 'tool-picker');
    expect(await listFindingsInBothThemes(page)).toEqual([]);
    await dialog()
      .getByRole('button', { name: /^HTTP request/ })
      .first()
      .click();
    expect(await dialog().getByLabel('Name for the model').inputValue()).toBe('http_request');
    await dialog().getByLabel('Name for the model').fill('9 lives');
    await dialog().getByText('must be letters, digits, - and _, and begin with a letter').waitFor();
    await dialog().getByLabel('Name for the model').fill('look_up');
    await dialog().getByLabel('Description').fill('Looks up a page.');
    await dialog().getByRole('checkbox', { name: /^Body/ }).first().check();
    await saveShot(page, 'tool-picker-arguments');
    expect(await listFindingsInBothThemes(page)).toEqual([]);
    await submit();
    const { tool, node } = await readTool('look_up');
    expect(tool).toMatchObject({
      description: 'Looks up a page.',
      parameters: {
        type: 'object',
        required: ['body'],
        properties: { body: {} },
        additionalProperties: false,
      },
    });
    expect(node).toMatchObject({
      type: 'http_request',
      config: { body: '{{ input.body }}' },
    });
    // A model must not choose the host or the headers of a request.
    expect(node.config).not.toHaveProperty('url');
  });

  test('a workflow becomes a tool, with the arguments that it states', async () => {
    await openDialog('find an order');
    await dialog()
      .getByRole('button', { name: /^Find an order/ })
      .click();
    await dialog().getByText('number · string · required — The number of the order.').waitFor();
    await submit();
    const { tool, node } = await readTool('find_order');
    expect(tool).toMatchObject({ description: 'Finds an order by its number.', parameters: ORDER });
    expect(node).toMatchObject({ type: 'sub_workflow', config: { workflow_id: other } });
  });

  test('a tool of an MCP server is added by the URL of the server', async () => {
    await openDialog(mcp.url);
    await dialog().getByRole('button', { name: 'List the tools of this server' }).click();
    await dialog()
      .getByRole('button', { name: /^Weather/ })
      .click();
    await dialog().getByText('city · string · required').waitFor();
    await saveShot(page, 'tool-picker-mcp');
    await submit();
    const { tool, node } = await readTool('get_weather');
    expect(tool).toMatchObject({ parameters: { required: ['city'] } });
    expect(node).toMatchObject({
      type: 'mcp_tool',
      config: { url: mcp.url, tool: 'get-weather', arguments: '{{ input }}' },
    });
  });

  test('the workflow is valid, and each tool is one step to undo', async () => {
    const { issues = [] } = (await call('GET', `/workflows/${workflow}`)) as unknown as {
      issues?: { node_id: string; field: string }[];
    };
    // The address of the request is still to be set.
    expect(
      issues.filter(({ node_id, field }) => node_id !== 'http_request' || field !== 'config.url'),
    ).toEqual([]);
    await page.getByRole('button', { name: /^Undo/ }).click();
    const nodes = await readNodes();
    expect(nodes.find(({ id }) => id === 'agent')!.config['tools']).toHaveLength(2);
    expect(nodes.filter(({ type }) => type === 'mcp_tool')).toEqual([]);
    expect(pageErrors).toEqual([]);
  });
});
