import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSignedInApi, type Api } from './support/caller.ts';
import { isChromiumMissing } from './support/chromium.ts';
import { openEditor, type TestEditor } from './support/editor.ts';
import { saveShot } from './support/shots.ts';
import { openPage, signIn } from './support/sign-in.ts';

describe.skipIf(isChromiumMissing)('running from the canvas', () => {
  let editor: TestEditor;
  let upstream: Server;
  let isBroken = false;
  /** ms: long enough to see the node running. */
  let slowness = 2_500;
  let page: Page;
  let pageErrors: string[];
  let call: Api;
  let workflow: string;

  beforeAll(async () => {
    upstream = createServer((request, response) => {
      response.statusCode = isBroken ? 422 : 200;
      response.setHeader('content-type', 'application/json');
      const body = isBroken ? { problem: 'out of stock' } : { path: request.url };
      setTimeout(() => response.end(JSON.stringify(body)), slowness);
    });
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
    const { port } = upstream.address() as AddressInfo;
    editor = await openEditor({ WEFT_ALLOWED_HOSTS: `127.0.0.1:${port}` });
    call = await createSignedInApi(editor.origin);
    const definition = {
      nodes: [
        {
          id: 'start',
          type: 'trigger',
          position: { x: 0, y: 0 },
          config: { triggerType: 'webhook', endpoint: 'orders', method: 'POST', authentication: 'none' },
        },
        {
          id: 'shape',
          type: 'set',
          position: { x: 300, y: 0 },
          config: { fields: { id: '{{ input.body.id }}' } },
        },
        {
          id: 'call',
          type: 'http_request',
          position: { x: 0, y: 160 },
          config: { url: `http://127.0.0.1:${port}/{{ input.id }}` },
        },
        { id: 'tell', type: 'set', position: { x: 300, y: 160 }, config: { fields: { done: true } } },
      ],
      connections: [
        { from: 'start', to: 'shape' },
        { from: 'shape', to: 'call' },
        { from: 'call', to: 'tell' },
      ],
    };
    workflow = (await call('POST', '/workflows', { name: 'Orders', definition }))['id'] as string;
    ({ page, pageErrors } = await editor.browser.open());
    await signIn(page, editor.origin, `/workflows/${workflow}`);
    await page.locator('.react-flow__node').first().waitFor();
  });
  afterAll(async () => {
    await editor?.close();
    upstream?.close();
  });

  const shot = (name: string): Promise<void> => saveShot(page, name);
  const node = (id: string) => page.locator(`.react-flow__node[data-id="${id}"]`);
  const panel = () => page.getByRole('region', { name: 'Run', exact: true });
  /** Visible text in the node panel: the hidden settings contain a URL, whose port can contain any number. */
  const panelText = (text: string) =>
    page.locator('#node-panel').getByText(text).filter({ visible: true }).first();
  const ends = async (status: string): Promise<void> => {
    await panel().getByText(status, { exact: true }).first().waitFor({ timeout: 30_000 });
  };
  /** What the control is called that has the focus. */
  const focused = (): Promise<string> =>
    page.evaluate(() => {
      const { activeElement: at } = document;
      return at?.getAttribute('aria-label') ?? at?.textContent ?? '';
    });
  const runWith = async (input: object): Promise<void> => {
    await page.getByRole('button', { name: 'More run options' }).click();
    await page.getByRole('menuitem', { name: 'Run with input…' }).click();
    const text = page.getByRole('dialog').locator('.cm-content');
    await text.click();
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText(JSON.stringify(input));
    await page.getByRole('dialog').getByRole('button', { name: 'Run', exact: true }).click();
  };

  test('nodes light up while they run, lines count, and there is a timeline and a log', async () => {
    await runWith({ body: { id: 'o-1' } });
    await node('call').locator('.step__run--running').waitFor();
    await shot('run-live');
    slowness = 50;
    await ends('completed');
    for (const id of ['start', 'shape', 'call', 'tell'])
      await node(id).locator('.step__run--completed').waitFor();
    await expect.poll(() => panel().locator('.timeline__row').count()).toBe(4);
    await panel().getByRole('radio', { name: 'Log' }).click();
    await panel().getByText('Execution completed').waitFor();
    await shot('run-log');
    await panel().getByRole('radio', { name: 'Timeline' }).click();
    await panel().locator('.timeline__row', { hasText: 'call' }).click();
    await page.getByRole('tab', { name: 'Output' }).click();
    await page.getByText('"/o-1"').first().waitFor();
    await shot('run-data');
  });

  test('a failure leads to its node; after the repair the retry continues from there', async () => {
    isBroken = true;
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await ends('failed');
    await node('call').locator('.step__run--failed').waitFor();
    // The words of the service are there without a click, and its response is the first data of the node.
    await panel().getByRole('alert').getByText('{"problem":"out of stock"}').waitFor();
    await node('start').click();
    await panel().getByRole('button', { name: 'Show call' }).click();
    await panelText('422').waitFor();
    await panelText('"out of stock"').waitFor();
    await shot('run-failed');
    isBroken = false;
    await panel().getByRole('button', { name: 'Retry…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('From', { exact: true }).selectOption('call');
    await dialog.getByLabel('Change the input').check();
    await dialog.locator('.cm-content').click();
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText('{"id":"repaired"}');
    await shot('run-retry');
    await dialog.getByRole('button', { name: 'Retry', exact: true }).click();
    await ends('completed');
    await page.getByText('"/repaired"').first().waitFor();
  });

  test('up to a node, and with a pinned output', async () => {
    await node('shape').click();
    await page.getByRole('button', { name: 'More run options' }).click();
    await page.getByRole('menuitem', { name: 'Run up to shape' }).click();
    await ends('completed');
    await expect.poll(() => panel().locator('.timeline__row').count()).toBe(2);
    await page.getByRole('button', { name: 'Pin output' }).click();
    await runWith({ body: { id: 'ignored' } });
    await ends('completed');
    await node('call').click();
    await page.getByText('"/o-1"').first().waitFor();
    await page.getByRole('button', { name: 'More run options' }).click();
    await page.getByRole('menuitem', { name: 'Unpin output' }).click();
  });

  test('a test request runs the draft', async () => {
    await node('start').click();
    await page.getByRole('tab', { name: 'Settings' }).click();
    await page.getByRole('button', { name: 'Listen for a test event' }).click();
    await page.getByRole('timer').waitFor();
    const url = await page.locator('.webhook__url code').last().textContent();
    await shot('run-listen');
    const reply = await fetch(url ?? '', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ id: 'tested' }),
    });
    expect(reply.status).toBe(200);
    await ends('completed');
    await node('call').click();
    await page.getByRole('tab', { name: 'Output' }).click();
    await page.getByText('"/tested"').first().waitFor();
  });

  test('all runs in a list with filters; one on the graph that it ran on', async () => {
    // The graph of today has another node.
    const { definition, version } = (await call('GET', `/workflows/${workflow}`)) as unknown as {
      definition: { nodes: object[]; connections: object[] };
      version: number;
    };
    definition.nodes.push({ id: 'newer', type: 'set', config: { fields: { x: 1 } } });
    definition.connections.push({ from: 'tell', to: 'newer' });
    await page.goto(`${editor.origin}/executions`);
    await call('PUT', `/workflows/${workflow}`, { definition, version });
    await page.locator('.table tbody tr').nth(4).waitFor();
    await shot('executions');
    await page.getByLabel('Status').selectOption('failed');
    await expect.poll(() => page.locator('.table tbody tr').count()).toBe(1);
    await page.locator('.table__main').click();
    await node('call').locator('.step__run--failed').waitFor();
    expect(await node('newer').count()).toBe(0);
    await page.getByRole('button', { name: 'Show call' }).click();
    await panelText('422').waitFor();
    await shot('execution');
    await panel().getByRole('radio', { name: 'Log' }).click();
    await panel().getByText('Execution failed', { exact: false }).waitFor();
    expect(pageErrors).toEqual([]);
  });

  test('by keyboard alone: a run with input, its views, its nodes, a retry', async () => {
    await openPage(page, `/workflows/${workflow}`);
    await node('start').waitFor();
    await page.getByRole('button', { name: 'More run options' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Run with input…' }).waitFor();
    await page.keyboard.press('Enter');
    const input = page.getByRole('dialog', { name: 'Run with input' });
    await input.locator('.cm-content').waitFor();
    await page.keyboard.press('Escape');
    await input.waitFor({ state: 'hidden' });
    await expect.poll(() => focused()).toBe('More run options');

    await page.getByRole('button', { name: 'Run', exact: true }).focus();
    await page.keyboard.press('Enter');
    // The workflow has received a request, which is offered first. Without its id, the call fails.
    await input.getByRole('radio', { name: /^Last request/, checked: true }).focus();
    await page.keyboard.press('ArrowDown');
    await input.getByRole('radio', { name: 'Empty object', checked: true }).waitFor();
    await input.getByRole('button', { name: 'Run', exact: true }).focus();
    await page.keyboard.press('Enter');
    await ends('failed');
    await page.getByRole('radio', { name: 'Timeline' }).focus();
    for (const view of ['Log', 'Output', 'Timeline']) {
      await page.keyboard.press('ArrowRight');
      await page.getByRole('radio', { name: view, checked: true }).waitFor();
    }
    // On through the buttons of the run to its rows.
    await page.getByRole('button', { name: 'Show Shape' }).waitFor();
    await panel().locator('.timeline__row').first().waitFor();
    const passed: string[] = [];
    for (let i = 0; i < 8 && !(passed.at(-1) ?? '').startsWith('Start'); i++) {
      await page.keyboard.press('Tab');
      passed.push(await focused());
    }
    expect(passed.map((name) => name.replace(/Start.*/, 'Start'))).toEqual([
      'Retry…',
      'Open',
      'Collapse run panel',
      'Close run panel',
      'Show Shape',
      'Start',
    ]);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'shape', level: 2 }).waitFor();

    await page.getByRole('button', { name: 'Retry…' }).focus();
    await page.keyboard.press('Enter');
    const retry = page.getByRole('dialog');
    await expect.poll(() => retry.evaluate((dialog) => dialog.contains(document.activeElement))).toBe(true);
    await page.keyboard.press('Escape');
    await retry.waitFor({ state: 'hidden' });
    await expect.poll(() => focused()).toBe('Retry…');
    expect(pageErrors).toEqual([]);
  });

  test('a loop with thousands of runs: all are reachable, and few are rendered', async () => {
    const each = {
      nodes: [
        { id: 'start', type: 'trigger', position: { x: 0, y: 0 }, config: { triggerType: 'manual' } },
        {
          id: 'each',
          type: 'for_each',
          position: { x: 320, y: 0 },
          config: { items: '{{ input.items }}', nodes: ['item'] },
        },
        { id: 'item', type: 'set', config: { fields: { double: '{{ item * 2 }}' } } },
      ],
      connections: [{ from: 'start', to: 'each' }],
    };
    const { id: loop } = await call('POST', '/workflows', { name: 'A long loop', definition: each });
    const { id, status } = await call('POST', `/workflows/${loop as string}/execute`, {
      input: { items: Array.from({ length: 2_000 }, (_, at) => at) },
      wait: '30s',
    });
    expect(status).toBe('completed');
    await openPage(page, `/executions/${id as string}`);
    await node('item').locator('.step__run', { hasText: '1k+' }).waitFor();
    const rows = panel().locator('.timeline__row');
    const last = rows.filter({ hasText: '[1999]' });
    const toEnd = () =>
      panel()
        .locator('.run-panel__body')
        .evaluate((body) => body.scrollTo(0, body.scrollHeight));
    // The loop is one row until it is expanded.
    await expect.poll(() => rows.count()).toBe(2);
    await panel()
      .getByRole('button', { expanded: false, name: /slowest/ })
      .click();
    await toEnd();
    await last.waitFor();
    expect(await rows.count()).toBeLessThan(150);
    for (let i = 0; i < 2; i++) {
      await panel().getByRole('button', { name: 'Show more' }).click();
      await panel().locator('.button[aria-busy]').waitFor({ state: 'detached' });
    }
    await node('item').locator('.step__run', { hasText: /^2k/ }).waitFor();
    await toEnd();
    await last.waitFor();
    await expect.poll(() => panel().getByRole('button', { name: 'Show more' }).count()).toBe(0);
    expect(await rows.count()).toBeLessThan(150);
    // A press on the canvas of a run chooses the node; that one could also draw the canvas away takes nothing
    // from it.
    await node('item').click();
    await panelText('3998').waitFor();
    expect(pageErrors).toEqual([]);
  });
});
