import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isChromiumMissing } from '../support/chromium.ts';
import { openEditor, type TestEditor } from '../support/editor.ts';
import { openSignedIn, type KeyboardUser } from '../support/keyboard.ts';

const MINUTE_MS = 60_000;

describe.skipIf(isChromiumMissing)('with keys only, by the names that a screen reader announces', () => {
  let editor: TestEditor;
  let upstream: Server;
  beforeAll(async () => {
    editor = await openEditor({ WEFT_ALLOWED_HOSTS: '127.0.0.1' });
    upstream = createServer((_, response) => {
      response.writeHead(500, { 'content-type': 'application/json' });
      response.end('{"error": "database is read only", "ticket": "T-77"}');
    });
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  });
  afterAll(async () => {
    upstream?.close();
    await editor?.close();
  });

  const post = (url: string, body: object): Promise<Response> =>
    fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });

  async function createWorkflow(user: KeyboardUser, name: string): Promise<void> {
    await user.activate('link', 'Workflows');
    await user.activate('button', /^(Create empty workflow|New workflow)$/);
    await user.focusIn('textbox', 'Name');
    await user.type(name);
    await user.press('Enter');
    await user.page.waitForURL(/\/workflows\/wf_/);
    await user.focusIn('application', /^Canvas of/);
  }
  async function add(user: KeyboardUser, words: string, option: string): Promise<void> {
    await user.press('/');
    await user.type(words);
    await user.page.getByRole('option', { name: option }).first().waitFor();
    await user.press('Enter');
    await user.announced(new RegExp(`${option}( added|$)`));
  }
  /** Enter opens the selected node. */
  async function openNode(user: KeyboardUser): Promise<void> {
    await user.focusIn('application', /^Canvas of/);
    await user.press('Enter');
    await expect.poll(async () => (await user.focused())?.role).not.toBe('application');
  }
  /** The name of a new field has the focus, and its value follows. Suggestions for the value stay open. */
  async function addField(user: KeyboardUser, name: string, value: string): Promise<void> {
    await user.activate('button', 'Add field');
    await user.focusIn('textbox', /^Name of field/);
    await user.type(name);
    await user.tabTo('textbox', `Value of ${name}`);
    await user.type(value);
  }
  /** Escape closes suggestions, and then returns to the canvas. */
  async function closeNode(user: KeyboardUser): Promise<void> {
    for (let i = 0; i < 3 && (await user.focused())?.role !== 'application'; i++) await user.press('Escape');
    await user.focusIn('application', /^Canvas of/);
  }

  test('from sign-in to a finished first run and its output', { timeout: 2 * MINUTE_MS }, async () => {
    const user = await openSignedIn(editor);
    await user.activate('button', 'Create and run First steps');
    await user.announced(/completed/);
    await user.tabTo('radio', 'Timeline');
    while ((await user.focused())?.name !== 'Output') await user.press('ArrowRight');
    await user.page.getByText('"Large orders: 2, from Ada, Edsger, 200 in all."').waitFor();
    await user.end();
  });

  test(
    'webhook → validate → condition → HTTP → respond, tested with a real request, and the cause of its failure',
    { timeout: 4 * MINUTE_MS },
    async () => {
      const user = await openSignedIn(editor);
      const { page } = user;
      await createWorkflow(user, 'Orders by keys');
      await add(user, 'webhook', 'Webhook trigger');
      await openNode(user);
      await user.fill('Path', 'orders-by-keys');
      await user.choose('Authentication', 'None');
      await user.choose('Response', 'By a Respond');
      await user.activate('button', 'Listen for a test event', 'Shift+Tab');
      const testUrl = async (): Promise<string> =>
        /http\S+/
          .exec((await page.getByRole('region', { name: 'curl command' }).textContent()) ?? '')?.[0]
          .replace(/'$/, '') ?? '';
      await expect.poll(testUrl).toContain('/v1/');
      expect((await post(await testUrl(), { sku: 'A-1', amount: 250 })).status).toBe(200);
      await user.announced(/Event received/);
      await user.activate('button', 'Use as test data');
      await closeNode(user);

      await add(user, 'validate', 'Data validator');
      await openNode(user);
      await user.activate('button', 'Make from last data');
      await closeNode(user);

      await add(user, 'if', 'Condition');
      await openNode(user);
      await user.fill('Field', 'body.amount');
      await user.choose('Operator', 'is greater');
      await user.fill('Value', '100');
      await closeNode(user);

      await add(user, 'http', 'HTTP request');
      await openNode(user);
      const { port } = upstream.address() as AddressInfo;
      await user.fill('URL', `http://127.0.0.1:${port}/stock/{{ trigger.body.sku }}`);
      await closeNode(user);

      await add(user, 'respond', 'Respond');
      await closeNode(user);
      // Without a selection, Tab leaves the canvas.
      await user.press('Escape');
      await user.activate('button', 'Activate');
      await user.announced(/Workflow activated/);
      expect(
        (await post(`${editor.origin}/v1/webhooks/orders-by-keys`, { sku: 'B-2', amount: 300 })).status,
      ).toBe(500);

      // The cause: the failed execution, its failed node, and the response of the upstream.
      await user.activate('link', 'Executions');
      await page.waitForURL(/\/executions/);
      await user.activate('link', 'Orders by keys');
      await page.waitForURL(/\/executions\/ex_/);
      await user.activate('button', 'Show HTTP request');
      await user.tabTo('region', 'response');
      await expect
        .poll(() => user.page.getByRole('region', { name: 'response', exact: true }).textContent())
        .toContain('database is read only');
      await user.end();
    },
  );

  test('a schedule, and a loop with a node inside', { timeout: 3 * MINUTE_MS }, async () => {
    const user = await openSignedIn(editor, '/workflows');
    const { page } = user;
    await createWorkflow(user, 'Every weekday');
    await add(user, 'schedule', 'Schedule trigger');
    await openNode(user);
    await user.choose('Runs', 'Every weekday');
    // Of a time field, the keys set the hour and then the minute.
    await user.tabTo('InputTime', 'Time');
    await user.type('0930');
    await page.getByRole('region', { name: 'Next runs' }).waitFor();
    await closeNode(user);
    await add(user, 'loop', 'For each');
    await openNode(user);
    await user.fill('List', `{{ '1,2,3' | split: ',' }}`);
    await closeNode(user);
    // A node inside the selected one.
    await user.press('i');
    await user.type('set');
    await page.getByRole('option', { name: 'Set' }).first().waitFor();
    await user.press('Enter');
    await user.announced(/Set fields added/);
    await openNode(user);
    await addField(user, 'double', '{{ item }}{{ item }}');
    await closeNode(user);
    await user.press('Escape');
    await user.activate('button', 'Run');
    await user.announced(/completed/);
    await user.end();
  });

  test('copy, paste, undo, find, and compare two versions', { timeout: 3 * MINUTE_MS }, async () => {
    const user = await openSignedIn(editor, '/workflows');
    const { page } = user;
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await createWorkflow(user, 'Copies');
    await add(user, 'set', 'Set fields');
    await user.press('Control+c', 'Control+v');
    await expect.poll(() => page.locator('.react-flow__node').count()).toBe(3);
    await user.press('Control+z');
    await expect.poll(() => page.locator('.react-flow__node').count()).toBe(2);
    await user.announced(/Undo|undone/i);
    await user.press('Control+Shift+z');
    await expect.poll(() => page.locator('.react-flow__node').count()).toBe(3);
    await user.press('Control+f');
    await user.type('start');
    await user.press('Enter');
    await user.press('Escape');
    await user.focusIn('application', /^Canvas of Copies/);
    await user.press('Escape');
    await user.activate('button', 'Version history', 'Shift+Tab');
    await user.activate('button', /^Version 2/);
    await user.tabTo('button', 'Added Set fields');
    await user.activate('button', 'Restore version 2', 'Shift+Tab');
    await user.announced(/already shows version 2|Version 2 restored/);
    await user.end();
  });

  test('an expression is completed from the last run', { timeout: 3 * MINUTE_MS }, async () => {
    const user = await openSignedIn(editor, '/workflows');
    const { page } = user;
    await createWorkflow(user, 'Expressions');
    await add(user, 'set', 'Set fields');
    await openNode(user);
    await addField(user, 'greeting', 'Hello');
    await closeNode(user);
    await user.press('Escape');
    await user.activate('button', 'Run');
    await user.announced(/completed/);
    await user.tabTo('application', /^Canvas of/);
    await user.press('ArrowLeft', 'ArrowRight');
    await add(user, 'set', 'Set fields');
    await openNode(user);
    await addField(user, 'copy', '{{ input.gre');
    await page.getByRole('option', { name: /greeting/ }).waitFor();
    await user.press('Enter');
    await page.getByText('Hello', { exact: true }).waitFor();
    await user.end();
  });
});
