import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listFindingsInBothThemes } from './support/axe.ts';
import { createSignedInApi, type Api } from './support/caller.ts';
import { isChromiumMissing } from './support/chromium.ts';
import { selectNode, openEditor, type TestEditor } from './support/editor.ts';
import { saveShot } from './support/shots.ts';
import { openPage, signIn } from './support/sign-in.ts';

/** Two minutes for some forty looks of axe-core, which takes up to a second for each. */
const LONG_TIMEOUT_MS = 120_000;

const input = {
  body: {
    total: 120,
    name: 'Ada',
    items: [
      { sku: 'a', n: 1 },
      { sku: 'b', n: 2 },
    ],
  },
};

const definition = {
  nodes: [
    {
      id: 'order',
      type: 'trigger',
      name: 'Order arrives',
      position: { x: 0, y: 0 },
      config: { triggerType: 'webhook', endpoint: 'look', method: 'POST', authentication: 'none' },
    },
    {
      id: 'shape',
      type: 'set',
      position: { x: 300, y: 0 },
      config: {
        fields: { total: '{{ input.body.total }}', 'customer.name': '{{ input.body.name | upcase }}' },
      },
    },
    {
      id: 'check',
      type: 'condition',
      position: { x: 0, y: 160 },
      config: {
        condition: {
          any: [
            { field: 'total', operator: 'greater_than', value: 100 },
            { field: 'customer.name', operator: 'exists', value: '' },
          ],
        },
      },
    },
    {
      id: 'tell',
      type: 'http_request',
      position: { x: 300, y: 160 },
      config: {
        method: 'POST',
        url: 'http://127.0.0.1:9/orders',
        authentication: { type: 'bearer', token: '{{ secrets.API_TOKEN }}' },
        headers: { 'X-Trace': '1' },
        retryPolicy: { enabled: false },
      },
    },
  ],
  connections: [
    { from: 'order', to: 'shape' },
    { from: 'shape', to: 'check' },
    { from: 'check', to: 'tell', sourcePort: 'true' },
  ],
};

describe.skipIf(isChromiumMissing)('the panel of a node and the views of a run', () => {
  let editor: TestEditor;
  let call: Api;
  let workflow: string;
  let execution: string;

  beforeAll(async () => {
    editor = await openEditor();
    call = await createSignedInApi(editor.origin);
    await call('PUT', '/secrets/API_TOKEN', { value: 'a secret value' });
    workflow = (await call('POST', '/workflows', { name: 'Order intake', definition }))['id'] as string;
    execution = (
      await call('POST', `/workflows/${workflow}/execute`, {
        input,
        wait: '30s',
      })
    )['id'] as string;
  });
  afterAll(() => editor?.close());

  /** Every state worth looking at, one after the other. */
  async function walk(page: Page, look: (name: string) => Promise<void>): Promise<void> {
    const press = (name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click();
    const tab = (name: string | RegExp): Promise<void> => page.getByRole('tab', { name }).click();
    const choose = async (id: string): Promise<void> => {
      // By keyboard, because on a narrow screen the panel lies over the canvas.
      const close = page.getByRole('button', { name: 'Close panel' });
      if (await close.isVisible()) await close.click();
      await page.locator(`.react-flow__node[data-id="${id}"]`).click();
      await page.locator(`#node-panel[data-node="${id}"]`).waitFor();
    };
    await openPage(page, '/executions');
    await page.locator('.table tbody tr').first().waitFor();
    await look('executions');
    await openPage(page, '/executions?status=stopped');
    await page.getByText('No matching executions').first().waitFor();
    await look('executions-none');

    await openPage(page, `/executions/${execution}`);
    await page.locator('.timeline__row').first().waitFor();
    await look('execution');
    await page.locator('.timeline__row', { hasText: 'shape' }).click();
    await page.locator('#node-panel').waitFor();
    await look('execution-node');
    // On a narrow screen, the panel lies over the views of the run.
    await press('Close panel');
    await page.getByRole('radio', { name: 'Log' }).click();
    await page.locator('.log__line').first().waitFor();
    await look('execution-log');
    await press('Retry…');
    await page.getByRole('dialog').getByLabel('From', { exact: true }).selectOption('tell');
    await page.getByRole('dialog').getByLabel('Change the input').check();
    await page.getByRole('dialog').locator('.cm-content').waitFor();
    await look('retry');
    await page.keyboard.press('Escape');

    await openPage(page, `/workflows/${workflow}`);
    await page.locator('.editor__head').waitFor();
    await choose('shape');
    await page.getByLabel('Value of total').click();
    await page.locator('.preview__value').first().waitFor();
    await look('panel-settings');
    await tab(/^Output/);
    await look('panel-data');
    await tab('Input');
    await look('panel-input');
    await page
      .getByRole('region', { name: 'Input', exact: true })
      .getByRole('radio', { name: 'JSON' })
      .click();
    await look('panel-data-json');
    await tab('About');
    await look('panel-about');
    await tab('Settings');
    await press('Edit as JSON');
    await page.locator('.cm-content').waitFor();
    await look('panel-json');
    await choose('tell');
    await look('panel-request');
    await choose('order');
    await look('panel-trigger');
    await choose('check');
    await look('panel-condition');
    await press('Close panel');
    await press('More run options');
    await page.getByRole('menuitem', { name: 'Run with input…' }).click();
    await page.getByRole('dialog').locator('.cm-content').waitFor();
    await page.getByRole('dialog').locator('.cm-content').click();
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText(JSON.stringify(input));
    await look('run-dialog');
    await page.getByRole('dialog').getByRole('button', { name: 'Run', exact: true }).click();
    await page
      .getByRole('region', { name: 'Run', exact: true })
      .getByText('failed', { exact: true })
      .first()
      .waitFor();
    await look('run-timeline');
    await page.getByRole('region', { name: 'Run', exact: true }).getByRole('radio', { name: 'Log' }).click();
    await page.locator('.log__line').first().waitFor();
    await look('run-log');
  }

  async function shot(page: Page, name: string, colorScheme?: 'dark' | 'light'): Promise<void> {
    if (process.env['WEFT_TEST_SHOTS'] === undefined) return;
    if (colorScheme !== undefined) await page.emulateMedia({ colorScheme });
    await page.waitForTimeout(150);
    await saveShot(page, name);
  }

  test(
    'nothing is found by axe-core, in light and dark',
    async () => {
      const { page, context, pageErrors } = await editor.browser.open();
      await signIn(page, editor.origin);
      const found = new Map<string, string[]>();
      await walk(page, async (where) => {
        for (const scheme of ['dark', 'light'] as const) await shot(page, `${where}-wide-${scheme}`, scheme);
        for (const { theme, id, help, where: elements } of await listFindingsInBothThemes(page)) {
          const what = `${theme}: ${id}: ${help}: ${elements[0]}`;
          found.set(what, [...(found.get(what) ?? []), where]);
        }
      });
      expect([...found]).toEqual([]);
      expect(pageErrors).toEqual([]);
      await context.close();
    },
    LONG_TIMEOUT_MS,
  );

  test(
    'does not cut off content on a narrow screen',
    async () => {
      const { page, context, pageErrors } = await editor.browser.open({ size: { width: 390, height: 844 } });
      await signIn(page, editor.origin);
      const cut: string[] = [];
      await walk(page, async (where) => {
        await shot(page, `${where}-narrow-light`);
        cut.push(...(await page.evaluate(cutOff)).map((what) => `${where}: ${what}`));
      });
      expect(cut).toEqual([]);
      expect(pageErrors).toEqual([]);
      await context.close();
    },
    LONG_TIMEOUT_MS,
  );

  test('by keyboard alone: through the panel, into a list of completions and out, without losing input', async () => {
    const { page, context, pageErrors } = await editor.browser.open();
    await signIn(page, editor.origin, `/workflows/${workflow}`);
    await page.locator('.react-flow__node').first().waitFor();
    await selectNode(page, 'shape');
    await page.getByLabel('Value of total').waitFor();
    const name = (): Promise<string> =>
      page.evaluate(() => {
        const { activeElement: at } = document;
        if (at?.role === 'tabpanel') return 'what the tab shows';
        return (
          at?.getAttribute('aria-label') ??
          (at as HTMLInputElement | null)?.labels?.[0]?.textContent ??
          at?.textContent ??
          ''
        );
      });
    await page.getByRole('button', { name: 'Edit as JSON' }).focus();
    const order: string[] = [];
    for (let i = 0; i < 9; i++) {
      order.push(await name());
      await page.keyboard.press('Tab');
    }
    expect(order).toEqual([
      'Edit as JSON',
      'Panel layout',
      'Close panel',
      'Settings',
      'what the tab shows',
      'Fields2',
      'Name of field 1',
      'Remove field total',
      'Value of total',
    ]);
    const field = page.getByLabel('Value of total');
    const before = await field.inputValue();
    await field.focus();
    await page.keyboard.press('End');
    await page.keyboard.type(' {{ input.');
    await page.getByRole('listbox').waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('listbox').count()).toBe(0);
    await expect.poll(() => name()).toBe('Value of total');
    await page.keyboard.press('Escape');
    await expect.poll(() => field.inputValue()).toBe(`${before} {{ input.`);
    await field.fill(before);
    expect(pageErrors).toEqual([]);
    await context.close();
  });
});

/** Runs in the page: lists controls that are partly off screen and cannot be scrolled into view. */
function cutOff(): string[] {
  const found: string[] = [];
  if (document.documentElement.scrollWidth > innerWidth)
    found.push(`the page is ${document.documentElement.scrollWidth} px wide`);
  const pressed =
    '.editor__head :is(button, a), .panel :is(button, input, select, textarea), .run-panel button, [role=dialog] :is(button, input, select, textarea)';
  for (const element of document.querySelectorAll<HTMLElement>(pressed)) {
    if (!element.checkVisibility()) continue;
    const { left, right, width } = element.getBoundingClientRect();
    let scroller = element.parentElement;
    while (scroller !== null && scroller.scrollWidth <= scroller.clientWidth)
      scroller = scroller.parentElement;
    const isScrolled =
      scroller !== null &&
      scroller !== document.documentElement &&
      getComputedStyle(scroller).overflowX !== 'visible' &&
      getComputedStyle(scroller).overflowX !== 'hidden';
    if (width > 0 && !isScrolled && (left < -1 || right > innerWidth + 1))
      found.push(
        `${element.getAttribute('aria-label') ?? element.textContent ?? element.tagName} ${Math.round(left)}–${Math.round(right)}`,
      );
  }
  return found;
}
