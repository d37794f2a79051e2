import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startMcpServer, type FakeMcpServer } from '../../support/servers/mcp-server.ts';
import { listFindingsInBothThemes } from '../support/axe.ts';
import { createSignedInApi, type Api } from '../support/caller.ts';
import { isChromiumMissing } from '../support/chromium.ts';
import { selectNode, openEditor, type TestEditor } from '../support/editor.ts';
import { saveShot } from '../support/shots.ts';
import { openPage, signIn } from '../support/sign-in.ts';

describe.skipIf(isChromiumMissing)('the panel of an MCP tool', () => {
  let editor: TestEditor;
  let mcp: FakeMcpServer;
  let call: Api;
  let page: Page;
  let pageErrors: string[];
  let workflow: string;

  beforeAll(async () => {
    mcp = await startMcpServer([
      {
        name: 'get-weather',
        title: 'Weather',
        description: 'The weather of a city.',
        inputSchema: {
          type: 'object',
          properties: {
            city: { type: 'string', description: 'The name of the city.' },
            days: { type: 'integer', minimum: 1 },
            unit: { type: 'string', enum: ['celsius', 'fahrenheit'] },
          },
          required: ['city'],
        },
        outputSchema: { type: 'object', properties: { temperature: { type: 'number' } } },
        annotations: { readOnlyHint: true },
        call: ({ result }) => result({ content: [], structuredContent: { temperature: 7 } }),
      },
      { name: 'delete-city', title: 'Delete a city', description: 'Removes a city and its stations.' },
      {
        name: 'rename-city',
        title: 'Rename a city',
        inputSchema: {
          type: 'object',
          properties: { city: { type: 'string' }, to: { type: 'string' } },
          required: ['city', 'to'],
        },
        annotations: { destructiveHint: false },
      },
    ]);
    editor = await openEditor({ WEFT_ALLOWED_HOSTS: `127.0.0.1:${mcp.port}` });
    call = await createSignedInApi(editor.origin);
    const definition = {
      nodes: [
        { id: 'start', type: 'trigger', position: { x: 0, y: 0 }, config: { triggerType: 'manual' } },
        { id: 'tool', type: 'mcp_tool', position: { x: 320, y: 0 }, config: { url: '', tool: '' } },
        { id: 'keep', type: 'set', position: { x: 640, y: 0 }, config: { fields: { now: '' } } },
      ],
      connections: [
        { from: 'start', to: 'tool' },
        { from: 'tool', to: 'keep' },
      ],
    };
    workflow = (await call('POST', '/workflows', { name: 'Weather', definition }))['id'] as string;
    ({ page, pageErrors } = await editor.browser.open({ size: { width: 1440, height: 1000 } }));
    await signIn(page, editor.origin, `/workflows/${workflow}`);
  });
  afterAll(async () => {
    await editor?.close();
    await mcp?.close();
  });

  const panel = () => page.locator('#node-panel');
  const readConfig = async (): Promise<Record<string, unknown>> => {
    await page.keyboard.press('Control+s');
    await page.getByText('Saved', { exact: true }).first().waitFor();
    const stored = (await call('GET', `/workflows/${workflow}`)) as unknown as {
      definition: { nodes: { id: string; config: Record<string, unknown> }[] };
    };
    return stored.definition.nodes.find(({ id }) => id === 'tool')!.config;
  };

  test('an unreachable server is an error at the field, and the tool can be typed', async () => {
    await selectNode(page, 'tool');
    // Without a server there is nothing to choose from.
    await panel().getByRole('textbox', { name: 'Tool' }).waitFor();
    await panel().getByLabel('Server URL').fill('http://10.9.8.7/mcp');
    await panel().getByLabel('Tool', { exact: true }).click();
    await panel()
      .getByText(/did not list its tools/)
      .waitFor();
    await panel().getByRole('textbox', { name: 'Tool' }).waitFor();
    await saveShot(page, 'mcp-error');
    expect(await listFindingsInBothThemes(page)).toEqual([]);
    expect(mcp.received).toEqual([]);
  });

  test('a tool is chosen by keyboard from the list, and its arguments are a form', async () => {
    await panel().getByLabel('Server URL').fill(mcp.url);
    await panel().getByLabel('Tool', { exact: true }).click();
    const search = page.getByRole('combobox', { name: /^Tools of/ });
    await search.waitFor();
    await page.getByRole('option').first().waitFor();
    await saveShot(page, 'mcp-tools');
    await page.keyboard.type('weath');
    await page.keyboard.press('Enter');
    await panel().getByText('The weather of a city.').waitFor();
    await panel().getByText('Read-only. It is called again after a crash.').waitFor();
    await panel().getByRole('heading', { name: 'Weather', level: 2 }).waitFor();
    await panel().getByLabel('City', { exact: true }).fill('Oslo');
    await panel().getByLabel('Unit').selectOption('celsius');
    await saveShot(page, 'mcp-form');
    await page.emulateMedia({ colorScheme: 'dark' });
    await saveShot(page, 'mcp-form-dark');
    expect(await listFindingsInBothThemes(page)).toEqual([]);
    expect(await readConfig()).toMatchObject({
      url: mcp.url,
      tool: 'get-weather',
      arguments: { city: 'Oslo', unit: 'celsius' },
    });
    await panel().getByRole('button', { name: 'Run this node' }).first().click();
    await expect
      .poll(() => mcp.calls().at(-1)?.params['arguments'])
      .toEqual({ city: 'Oslo', unit: 'celsius' });
  });

  test('another tool keeps the arguments that both have', async () => {
    await page.getByRole('tab', { name: 'Settings' }).click();
    await panel().getByLabel('Tool', { exact: true }).click();
    await page.keyboard.type('rename');
    await page.keyboard.press('Enter');
    await panel().getByText('Changes data. It is not called again after a crash.').waitFor();
    await panel().getByLabel('To', { exact: true }).fill('Kristiania');
    expect(await readConfig()).toMatchObject({
      tool: 'rename-city',
      arguments: { city: 'Oslo', to: 'Kristiania' },
    });
  });

  test('the list is loaded again on demand', async () => {
    mcp.tools = [...mcp.tools, { name: 'new-tool', title: 'A new tool' }];
    await panel().getByRole('button', { name: 'Reload tools' }).click();
    await panel().getByLabel('Tool', { exact: true }).click();
    await page.getByRole('option', { name: /A new tool/ }).click();
    await panel().getByRole('heading', { name: 'A new tool', level: 2 }).waitFor();
    await page.keyboard.press('Control+z');
  });

  test('the next node completes the output from the schema of the tool', async () => {
    const fresh = (await call('POST', '/workflows', {
      name: 'Not run yet',
      definition: {
        nodes: [
          { id: 'start', type: 'trigger', position: { x: 0, y: 0 }, config: { triggerType: 'manual' } },
          {
            id: 'tool',
            type: 'mcp_tool',
            position: { x: 320, y: 0 },
            config: { url: mcp.url, tool: 'get-weather', arguments: { city: 'Oslo' } },
          },
          { id: 'keep', type: 'set', position: { x: 640, y: 0 }, config: { fields: { now: '' } } },
        ],
        connections: [
          { from: 'start', to: 'tool' },
          { from: 'tool', to: 'keep' },
        ],
      },
    })) as { id: string };
    await openPage(page, `/workflows/${fresh.id}`);
    await selectNode(page, 'keep');
    await page.getByRole('tab', { name: 'Input' }).click();
    await panel().getByText('temperature').waitFor();
    // On a narrow screen, the open panel covers nodes. The link opens the panel of another one.
    await page.setViewportSize({ width: 390, height: 844 });
    await openPage(page, `/workflows/${fresh.id}?node=tool`);
    await page.getByRole('tab', { name: 'Settings' }).click();
    await panel().getByText('The weather of a city.').waitFor();
    await saveShot(page, 'mcp-narrow');
    expect(await listFindingsInBothThemes(page)).toEqual([]);
    expect(pageErrors).toEqual([]);
  });
});
