import { request } from 'node:http';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Call } from '../support/service.ts';
import { listFindingsInBothThemes } from './support/axe.ts';
import { makeWorkflow, openCanvas, type CanvasPage } from './support/canvas-page.ts';
import { isChromiumMissing } from './support/chromium.ts';
import { openEditor, type TestEditor } from './support/editor.ts';
import { saveShot } from './support/shots.ts';

const definition = (endpoint: string) => ({
  nodes: [
    {
      id: 'start',
      type: 'trigger',
      position: { x: 0, y: 0 },
      config: { triggerType: 'webhook', endpoint, method: 'POST', authentication: 'none' },
    },
    {
      id: 'shape',
      type: 'set',
      position: { x: 320, y: 0 },
      config: { fields: { id: '{{ input.body.id }}', same: '{{ trigger.body.id }}' } },
    },
  ],
  connections: [{ from: 'start', to: 'shape' }],
});

type Run = { status: string; trigger: { type: string }; output: unknown };

describe.skipIf(isChromiumMissing)('the webhook of a workflow', () => {
  let editor: TestEditor;
  let call: Call;
  beforeAll(async () => {
    editor = await openEditor();
    call = await editor.service.login();
  });
  afterAll(() => editor?.close());

  const webhook = (page: Page) => page.getByRole('region', { name: 'Webhook', exact: true });
  const shownUrl = async (page: Page, name: 'test' | 'production'): Promise<string> => {
    const row = webhook(page).locator('.webhook__url', {
      has: page.getByRole('button', { name: `Copy ${name} URL` }),
    });
    return (await row.locator('code').textContent()) ?? '';
  };
  const post = (url: string, id: string): Promise<Response> =>
    fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ id }),
    });
  /** The newest execution, once there are `count`. */
  const newest = async (workflow: string, count: number): Promise<Run> => {
    const list = () => call('GET', `/executions?workflow_id=${workflow}`);
    const listIds = (body: unknown) =>
      (body as { executions: { id: string }[] }).executions.map(({ id }) => id);
    await expect.poll(async () => listIds((await list()).body).length).toBe(count);
    const [id] = listIds((await list()).body);
    const read = async () => (await call('GET', `/executions/${id}`)).body as Run;
    await expect.poll(async () => (await read()).status).toBe('completed');
    return read();
  };
  const opened = async (endpoint: string, given: TestEditor = editor): Promise<CanvasPage> => {
    const api = given === editor ? call : await given.service.login();
    const canvas = await openCanvas(
      given,
      api,
      await makeWorkflow(api, definition(endpoint), { name: endpoint }),
      {
        isAlone: true,
      },
    );
    await canvas.node('start').click();
    await webhook(canvas.page).waitFor();
    return canvas;
  };

  test('its URLs, a real test event as test data, activation, and a run with the last request', async () => {
    const { page, node, id, pageErrors, close } = await opened('orders');
    const panel = webhook(page);
    await expect.poll(() => shownUrl(page, 'production')).toBe(`${editor.origin}/v1/webhooks/orders`);
    await panel.getByText('Not live').waitFor();
    await panel.getByText('Created when you listen').waitFor();
    expect((await post(await shownUrl(page, 'production'), 'early')).status).toBe(404);
    await saveShot(page, 'webhook-draft');

    await panel.getByRole('button', { name: 'Listen for a test event' }).click();
    await expect.poll(() => panel.getByRole('timer').textContent()).toMatch(/^(2:00|1:[0-5]\d)$/);
    await node('start').getByText('Listening').waitFor();
    const testUrl = await shownUrl(page, 'test');
    const command = panel.getByRole('region', { name: 'curl command' });
    await expect.poll(() => command.textContent()).toContain(`curl -X POST '${testUrl}'`);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await panel.getByRole('button', { name: 'Copy curl command' }).click();
    await expect
      .poll(() => page.evaluate(() => navigator.clipboard.readText()))
      .toBe(await command.textContent());
    await saveShot(page, 'webhook-listening');
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await listFindingsInBothThemes(page)).toEqual([]);
    await saveShot(page, 'webhook-narrow');
    await page.setViewportSize({ width: 1440, height: 900 });

    // It continues while another node is selected.
    await node('shape').click();
    await panel.waitFor({ state: 'hidden' });
    expect((await post(testUrl, 'tested')).status).toBe(200);
    await node('start').getByText('Listening').waitFor({ state: 'hidden' });
    await node('start').click();
    await panel.getByText('Event received').waitFor();
    await panel.getByText('"tested"').waitFor();
    await panel.getByRole('button', { name: 'Use as test data' }).click();
    await node('start').getByText('Output pinned').waitFor();
    await saveShot(page, 'webhook-received');
    expect(await listFindingsInBothThemes(page)).toEqual([]);
    expect(await newest(id, 1)).toMatchObject({ output: { id: 'tested', same: 'tested' } });

    await page.getByRole('button', { name: 'Run', exact: true }).click();
    expect(await newest(id, 2)).toMatchObject({
      trigger: { type: 'manual' },
      output: { id: 'tested', same: 'tested' },
    });

    await panel.getByRole('button', { name: 'Activate workflow' }).click();
    await panel.getByText('Live', { exact: true }).waitFor();
    expect((await post(await shownUrl(page, 'production'), 'real')).status).toBe(200);
    expect(await newest(id, 3)).toMatchObject({ output: { id: 'real' } });
    await panel.getByText('Example request').click();
    await panel.getByText(`curl -X POST '${editor.origin}/v1/webhooks/orders'`).waitFor();
    await saveShot(page, 'webhook-live');

    // The last request, although other test data is pinned.
    await page.getByRole('button', { name: 'More run options' }).click();
    await page.getByRole('menuitem', { name: 'Run with the last request' }).click();
    expect(await newest(id, 4)).toMatchObject({
      trigger: { type: 'manual' },
      output: { id: 'real', same: 'real' },
    });
    // Test data survives a reload.
    await page.reload();
    await node('start').click();
    await panel.getByText('Run uses pinned test data for this trigger.').waitFor();
    await panel.getByRole('button', { name: 'Unpin' }).click();
    await node('start').getByText('Output pinned').waitFor({ state: 'hidden' });

    // A changed endpoint is not live until it is published.
    await page.locator('#node-panel').getByLabel('Path', { exact: true }).fill('orders/new');
    await panel.getByText('Not live').waitFor();
    await expect.poll(() => shownUrl(page, 'production')).toBe(`${editor.origin}/v1/webhooks/orders/new`);
    await panel.getByRole('button', { name: 'Publish changes' }).click();
    await panel.getByText('Live', { exact: true }).waitFor();
    expect((await post(await shownUrl(page, 'production'), 'newer')).status).toBe(200);
    expect(pageErrors).toEqual([]);
    await close();
  });

  test('Run offers the last requests beside an empty input', async () => {
    const { page, id, pageErrors, close } = await opened('offers');
    const run = page.getByRole('button', { name: 'Run', exact: true });
    const dialog = page.getByRole('dialog', { name: 'Run with input' });
    // Without requests: an example that has the shape of one.
    await run.click();
    await dialog.locator('.cm-content').getByText('"Ada"').waitFor();
    expect(await dialog.getByRole('radio').count()).toBe(0);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });

    for (const sent of ['first', 'second']) {
      const { body } = await call('POST', `/workflows/${id}/listen`, { body: {} });
      expect((await post((body as { url: string }).url, sent)).status).toBe(200);
    }
    await newest(id, 2);
    await run.click();
    await dialog.getByRole('radio', { name: /^Last request/, checked: true }).waitFor();
    await dialog.locator('.cm-content').getByText('"second"').waitFor();
    await saveShot(page, 'webhook-run');
    expect(await listFindingsInBothThemes(page)).toEqual([]);
    // By keyboard: the request before, and Run.
    await dialog.getByRole('radio', { name: /^Last request/ }).focus();
    await page.keyboard.press('ArrowDown');
    await dialog.locator('.cm-content').getByText('"first"').waitFor();
    await page.keyboard.press('ArrowDown');
    await dialog.getByRole('radio', { name: 'Empty object', checked: true }).waitFor();
    await expect.poll(() => dialog.locator('.cm-content').textContent()).toBe('{}');
    await page.keyboard.press('ArrowUp');
    await dialog.locator('.cm-content').getByText('"first"').waitFor();
    await dialog.getByRole('button', { name: 'Run', exact: true }).focus();
    await page.keyboard.press('Enter');
    expect(await newest(id, 3)).toMatchObject({ output: { id: 'first', same: 'first' } });
    // The choice is used again.
    await run.click();
    expect(await newest(id, 4)).toMatchObject({ output: { id: 'first' } });

    // The dialog of the list of workflows offers them too.
    await page.getByRole('link', { name: 'Back to workflows' }).click();
    await page.getByRole('button', { name: 'Run offers' }).click();
    const fromList = page.getByRole('dialog', { name: 'Run “offers”' });
    await fromList.getByRole('radio', { name: /^Last request/ }).click();
    await expect.poll(() => fromList.getByLabel('Input').inputValue()).toContain('"second"');
    await fromList.getByRole('button', { name: 'Run', exact: true }).click();
    expect(await newest(id, 5)).toMatchObject({ output: { id: 'second', same: 'second' } });
    expect(pageErrors).toEqual([]);
    await close();
  });

  test('by keyboard: listening is stopped, and it ends after two minutes', async () => {
    const { page, node, pageErrors, close } = await opened('ends');
    await page.clock.install();
    await page.reload();
    await node('start').click();
    const panel = webhook(page);
    await panel.getByRole('button', { name: 'Listen for a test event' }).focus();
    await page.keyboard.press('Enter');
    await panel.getByRole('timer').waitFor();
    const url = await shownUrl(page, 'test');
    await panel.getByRole('button', { name: 'Stop' }).focus();
    await page.keyboard.press('Enter');
    await panel.getByRole('timer').waitFor({ state: 'hidden' });
    await panel.getByText('Stopped listening. The test URL is closed.').waitFor();
    await expect.poll(async () => (await post(url, 'late')).status).toBe(404);
    await node('start').getByText('Listening').waitFor({ state: 'hidden' });

    await panel.getByRole('button', { name: 'Listen again' }).focus();
    await page.keyboard.press('Enter');
    await panel.getByRole('timer').waitFor();
    await page.clock.fastForward(60_000);
    await expect.poll(() => panel.getByRole('timer').textContent()).toMatch(/^(1:00|0:[0-5]\d)$/);
    await page.clock.fastForward(61_000);
    await panel.getByText('No event received.').waitFor();
    await panel.getByRole('timer').waitFor({ state: 'hidden' });
    await saveShot(page, 'webhook-expired');
    await panel.getByRole('button', { name: 'Listen again' }).click();
    await panel.getByRole('timer').waitFor();
    expect(pageErrors).toEqual([]);
    await close();
  });

  test('a trigger that was just made a webhook shows its URL without a reload', async () => {
    const workflow = await makeWorkflow(call, {
      nodes: [{ id: 'start', type: 'trigger', config: { triggerType: 'manual' } }],
      connections: [],
    });
    const { page, node, pageErrors, close } = await openCanvas(editor, call, workflow, { isAlone: true });
    await node('start').click();
    const form = page.locator('#node-panel');
    await form.getByLabel('Type', { exact: true }).selectOption({ label: 'Webhook' });
    await webhook(page).getByText('Enter a path below').waitFor();
    await form.getByLabel('Path', { exact: true }).fill('fresh');
    await expect.poll(() => shownUrl(page, 'production')).toBe(`${editor.origin}/v1/webhooks/fresh`);
    expect(pageErrors).toEqual([]);
    await close();
  });

  test('a branch that reaches no Respond node is named at the trigger', async () => {
    const [trigger] = definition('answers').nodes;
    const condition = { field: 'body.total', operator: 'greater_than', value: 100 };
    const workflow = await makeWorkflow(call, {
      nodes: [
        { ...trigger, config: { ...trigger!.config, respond: 'respond' } },
        { id: 'condition', type: 'condition', position: { x: 320, y: 0 }, config: { condition } },
        { id: 'respond', type: 'respond', position: { x: 640, y: 0 }, config: {} },
      ],
      connections: [
        { from: 'start', to: 'condition' },
        { from: 'condition', sourcePort: 'true', to: 'respond' },
      ],
    });
    const { page, node, pageErrors, close } = await openCanvas(editor, call, workflow, { isAlone: true });
    await node('start').click();
    const panel = page.locator('#node-panel');
    const warning = panel.getByText('No Respond node is reached after Condition (false).');
    await warning.waitFor();
    await saveShot(page, 'missing-respond');
    const respond = panel.getByLabel('Response', { exact: true });
    await respond.selectOption({ label: 'Immediately' });
    await warning.waitFor({ state: 'detached' });
    await respond.selectOption({ label: 'By a Respond node' });
    await warning.waitFor();
    expect(pageErrors).toEqual([]);
    await close();
  });

  test('with WEFT_WEBHOOK_URL, both URLs begin with it and accept requests', async () => {
    const apart = await openEditor({ WEFT_WEBHOOK_URL: 'http://hooks.example.net' });
    try {
      const { page, close } = await opened('apart', apart);
      const panel = webhook(page);
      await expect
        .poll(() => shownUrl(page, 'production'))
        .toBe('http://hooks.example.net/v1/webhooks/apart');
      await panel.getByRole('button', { name: 'Listen for a test event' }).click();
      await panel.getByRole('timer').waitFor();
      const url = new URL(await shownUrl(page, 'test'));
      expect(url.origin).toBe('http://hooks.example.net');
      const status = await new Promise<number | undefined>((resolve, reject) => {
        const sent = request(`${apart.origin}${url.pathname}`, {
          method: 'POST',
          headers: { host: url.host, 'content-type': 'application/json' },
        });
        sent.on('response', (response) => resolve(response.resume().statusCode)).on('error', reject);
        sent.end('{"id":"apart"}');
      });
      expect(status).toBe(200);
      await panel.getByText('Event received').waitFor();
      await close();
    } finally {
      await apart.close();
    }
  });
});
