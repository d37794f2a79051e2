import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isChromiumMissing } from './support/chromium.ts';
import { openEditor, type TestEditor } from './support/editor.ts';
import { saveShot } from './support/shots.ts';
import { signInByForm } from './support/sign-in.ts';

/** The maximum number of clicks for the task of the next test, without typing. */
const MAX_CLICKS = 15;
/** A native list of choices is opened by one click, and its choice is made by another. */
const CLICKS_PER_CHOICE = 2;
const MINUTE_MS = 60_000;

/** Counts the clicks of the mouse in the page itself, across its navigations. */
async function countClicks(page: Page): Promise<() => Promise<number>> {
  await page.addInitScript(() => {
    addEventListener(
      'click',
      ({ isTrusted, detail }) => {
        // A click that a key caused has a detail of 0.
        if (isTrusted && detail > 0)
          sessionStorage.setItem('clicks', String(Number(sessionStorage.getItem('clicks')) + 1));
      },
      { capture: true },
    );
  });
  return () => page.evaluate(() => Number(sessionStorage.getItem('clicks')));
}

describe.skipIf(isChromiumMissing)('a newcomer', () => {
  let editor: TestEditor;
  let upstream: Server;
  const received: unknown[] = [];
  beforeAll(async () => {
    editor = await openEditor({ WEFT_ALLOWED_HOSTS: '127.0.0.1' });
    upstream = createServer((request, response) => {
      received.push([request.method, request.url]);
      response.setHeader('content-type', 'application/json');
      response.end('{"stock": 7}');
    });
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  });
  afterAll(async () => {
    upstream?.close();
    await editor?.close();
  });

  test(
    `builds webhook → validate → condition → HTTP → respond from empty with at most ${MAX_CLICKS} clicks`,
    { timeout: 3 * MINUTE_MS },
    async () => {
      const { page, context, pageErrors } = await editor.browser.open();
      const clicks = await countClicks(page);
      await signInByForm(page, editor.origin);
      await page.evaluate(() => sessionStorage.setItem('clicks', '0'));
      const began = Date.now();
      let choices = 0;
      const panel = page.locator('#node-panel');
      const choose = async (field: string, option: string): Promise<void> => {
        choices++;
        await panel.getByLabel(field, { exact: true }).selectOption({ label: option });
      };
      const add = async (words: string, title: string): Promise<void> => {
        await page.keyboard.press('/');
        await page.getByRole('combobox', { name: 'Add node' }).waitFor();
        await page.keyboard.type(words);
        await page.getByRole('option', { name: title }).first().waitFor();
        await page.keyboard.press('Enter');
        await panel.getByRole('heading', { name: title }).waitFor();
      };

      await page.getByRole('button', { name: 'Create empty workflow' }).click();
      const nameField = page.getByRole('dialog').getByLabel('Name');
      await expect.poll(() => nameField.evaluate((field) => field === document.activeElement)).toBe(true);
      await page.keyboard.type('Orders');
      await page.keyboard.press('Enter');
      await page.waitForURL(/\/workflows\/wf_/);
      await page.locator('.react-flow__node').first().waitFor();

      await page.keyboard.press('/');
      await page.keyboard.type('webhook');
      await page.getByRole('option', { name: 'Webhook trigger' }).waitFor();
      await page.keyboard.press('Enter');
      await panel.getByLabel('Path', { exact: true }).click();
      await page.keyboard.type('orders');
      await choose('Authentication', 'None: any caller');
      await choose('Response', 'By a Respond node');

      // A real request becomes test data, so that the next nodes know its fields.
      await panel.getByRole('button', { name: 'Listen for a test event' }).click();
      const testUrl = async (): Promise<string> =>
        (await panel
          .locator('.webhook__url', { has: page.getByRole('button', { name: 'Copy test URL' }) })
          .locator('code')
          .textContent()) ?? '';
      await expect.poll(testUrl).toContain('/v1/');
      const send = async (url: string, body: object): Promise<Response> =>
        fetch(url, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        });
      await send(await testUrl(), { sku: 'A-1', amount: 250 });
      await panel.getByRole('button', { name: 'Use as test data' }).click();
      await page.keyboard.press('Escape');

      await add('validate', 'Data validator');
      await panel.getByRole('button', { name: 'Make from last data' }).click();
      await saveShot(page, 'newcomer-validator');
      await page.keyboard.press('Escape');

      await add('if', 'Condition');
      await panel.getByLabel('Field', { exact: true }).click();
      await page.keyboard.type('body.amount');
      await page.keyboard.press('Escape');
      await choose('Operator', 'is greater than');
      await panel.getByLabel('Value', { exact: true }).click();
      await page.keyboard.type('100');
      await page.keyboard.press('Escape');

      await add('http', 'HTTP request');
      await panel.getByLabel('URL', { exact: true }).click();
      const { port } = upstream.address() as AddressInfo;
      await page.keyboard.type(`http://127.0.0.1:${port}/stock/{{ trigger.body.sku }}`);
      await page.keyboard.press('Escape');
      await page.keyboard.press('Escape');

      await add('respond', 'Respond');
      await saveShot(page, 'newcomer-respond');
      await page.getByRole('button', { name: 'Activate', exact: true }).click();
      await page.getByText('Workflow activated', { exact: true }).waitFor();
      await saveShot(page, 'newcomer-active');

      const response = await send(`${editor.origin}/v1/webhooks/orders`, { sku: 'B-2', amount: 300 });
      expect({ status: response.status, text: await response.text() }).toMatchObject({ status: 200 });
      expect(received).toEqual([['GET', '/stock/B-2']]);
      const count = (await clicks()) + choices * CLICKS_PER_CHOICE;
      const seconds = Math.round((Date.now() - began) / 1_000);
      console.log(`From an empty workflow to the response to a real request: ${count} clicks, ${seconds} s.`);
      expect(count).toBeLessThanOrEqual(MAX_CLICKS);
      expect(pageErrors).toEqual([]);
      await context.close();
    },
  );
});

/** The time of a newcomer without documentation. The test does not include the time for reading the page. */
const MAX_SECONDS = 180;
const MAX_FIRST_CLICKS = 6;

describe.skipIf(isChromiumMissing)('the first minutes of a newcomer', () => {
  let editor: TestEditor;
  beforeAll(async () => {
    editor = await openEditor();
  });
  afterAll(() => editor?.close());

  test(
    `lead from the sign-in to a finished run of an own change with at most ${MAX_FIRST_CLICKS} clicks`,
    { timeout: 2 * MAX_SECONDS * 1_000 },
    async () => {
      const { page, context, pageErrors } = await editor.browser.open();
      const clicks = await countClicks(page);
      const began = Date.now();
      await signInByForm(page, editor.origin);
      await page.evaluate(() => sessionStorage.setItem('clicks', '0'));
      await page.getByRole('heading', { name: 'Your first workflow' }).waitFor();
      await saveShot(page, 'first-minutes-1-list');
      await page.getByRole('button', { name: 'Create and run First steps' }).click();
      const run = page.getByRole('region', { name: 'Run', exact: true });
      await run.getByText('completed', { exact: true }).waitFor();
      await saveShot(page, 'first-minutes-2-run');
      await run.getByRole('radio', { name: 'Output' }).click();
      await run.getByText('"Large orders: 2, from Ada, Edsger, 200 in all."').waitFor();

      // The smallest change whose effect is visible in the output.
      await page.locator('.react-flow__node', { hasText: 'Keep the large ones' }).click();
      const panel = page.locator('#node-panel');
      await saveShot(page, 'first-minutes-3-node');
      await panel.getByRole('tab', { name: 'Settings' }).click();
      await panel.getByLabel('Value', { exact: true }).click();
      await page.keyboard.press('Control+a');
      await page.keyboard.type('100');
      await saveShot(page, 'first-minutes-4-change');
      await page.getByRole('button', { name: 'Run', exact: true }).click();
      await run.getByText('"Large orders: 1, from Ada, 120 in all."').waitFor();
      await saveShot(page, 'first-minutes-5-own-run');

      const [count, seconds] = [await clicks(), Math.round((Date.now() - began) / 1_000)];
      console.log(`From the sign-in to a finished run of an own change: ${count} clicks, ${seconds} s.`);
      expect(count).toBeLessThanOrEqual(MAX_FIRST_CLICKS);
      expect(seconds).toBeLessThan(MAX_SECONDS);
      expect(pageErrors).toEqual([]);
      await context.close();
    },
  );
});
