import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Call } from '../../support/service.ts';
import { listFindingsInBothThemes } from '../support/axe.ts';
import { makeWorkflow, openCanvas } from '../support/canvas-page.ts';
import { isChromiumMissing } from '../support/chromium.ts';
import { openEditor, type TestEditor } from '../support/editor.ts';

const shop = {
  nodes: [
    {
      id: 'hook',
      type: 'trigger',
      name: 'New order',
      config: { triggerType: 'webhook', endpoint: '/orders', method: 'POST' },
      position: { x: 0, y: 120 },
    },
    {
      id: 'large',
      type: 'condition',
      name: 'Large order?',
      config: { condition: { field: 'total', operator: 'greater_than', value: 100 } },
      position: { x: 320, y: 120 },
    },
    {
      id: 'both',
      type: 'parallel',
      name: 'Price and stock',
      config: {
        branches: [
          { name: 'price', nodes: ['price', 'convert'] },
          { name: 'stock', nodes: [] },
        ],
      },
      position: { x: 640, y: 0 },
    },
    { id: 'price', type: 'http_request', name: 'Fetch price', config: {} },
    {
      id: 'convert',
      type: 'set',
      config: { fields: {} },
      disabled: true,
      notes: 'Until the rates come from elsewhere',
    },
  ],
  connections: [
    { from: 'hook', to: 'large' },
    { from: 'large', to: 'both', sourcePort: 'true' },
  ],
  annotations: [
    {
      kind: 'note',
      id: 'n1',
      text: 'From the shop',
      x: 0,
      y: -80,
      width: 240,
      height: 100,
      colour: 'yellow',
    },
  ],
};

describe.skipIf(isChromiumMissing)('the canvas for everybody', () => {
  let editor: TestEditor;
  let call: Call;
  beforeAll(async () => {
    editor = await openEditor();
    call = await editor.service.login();
  });
  afterAll(() => editor?.close());

  test('axe-core finds nothing, in light and dark', async () => {
    const canvas = await openCanvas(editor, call, await makeWorkflow(call, shop));
    const { page, node } = canvas;
    await page.keyboard.press('Escape');
    const found = async (what: string): Promise<void> => {
      expect(await listFindingsInBothThemes(page), what).toEqual([]);
    };
    await found('nothing selected');
    await node('large').click();
    await page.getByRole('heading', { name: 'Large order?', level: 2 }).waitFor();
    await found('with the panel');
    await page.keyboard.press('p');
    await page.keyboard.press('Control+f');
    await page.keyboard.type('price');
    await page.getByText(/1 of \d/).waitFor();
    await found('with node types and find');
    await page.keyboard.press('Escape');
    await page.keyboard.press('/');
    await page.getByRole('combobox', { name: 'Add node' }).waitFor();
    await found('with the list of types');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Shift+F10');
    await page.getByRole('menuitem', { name: 'Duplicate' }).waitFor();
    await found('with the menu');
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await found('with the sheet of keys');
    await page.getByRole('button', { name: 'Close', exact: true }).last().click();
    await page.getByRole('button', { name: 'Version history' }).click();
    await page.getByRole('button', { name: /Restore version/ }).waitFor();
    await found('with versions');
    expect(canvas.pageErrors).toEqual([]);
    await canvas.close();
  });

  test('actions are announced to screen readers', async () => {
    const canvas = await openCanvas(editor, call, await makeWorkflow(call, shop));
    const { page, board } = canvas;
    const input = page.locator('.canvas [role="status"][aria-live="polite"]').first();
    await board.focus();
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => input.textContent()).toBe('New order, Trigger; next: Large order?');
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => input.textContent()).toContain('next: Price and stock by true');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => input.textContent()).toContain('1 of 2 in Price and stock, price');
    await page.keyboard.press('Delete');
    await expect.poll(() => input.textContent()).toBe('Delete node');
    await page.keyboard.press('Control+z');
    await expect.poll(() => input.textContent()).toBe('Undone: Delete node');
    await canvas.close();
  });
});
