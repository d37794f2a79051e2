import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listFindingsInBothThemes } from '../support/axe.ts';
import { createSignedInApi, type Api } from '../support/caller.ts';
import { isChromiumMissing } from '../support/chromium.ts';
import { selectNode, openEditor, type TestEditor } from '../support/editor.ts';
import { saveShot } from '../support/shots.ts';
import { signIn } from '../support/sign-in.ts';

const input = {
  customer: { name: 'Ada', email: 'ada@example.com' },
  total: 12,
  items: [
    { sku: 'a', n: 1 },
    { sku: 'b', n: 2 },
  ],
};

const definition = {
  nodes: [
    { id: 'start', type: 'trigger', position: { x: 0, y: 0 }, config: { triggerType: 'manual' } },
    {
      id: 'shape',
      type: 'set',
      position: { x: 320, y: 0 },
      config: { fields: { name: '{{ input.customer.name }}' } },
    },
    {
      id: 'big',
      type: 'condition',
      position: { x: 0, y: 200 },
      config: { condition: { field: 'total', operator: 'greater_than', value: 10 } },
    },
    {
      id: 'each',
      type: 'for_each',
      position: { x: 320, y: 200 },
      config: { items: '{{ input.items }}', nodes: ['inner'] },
    },
    { id: 'inner', type: 'set', config: { fields: { text: 'x' } } },
    {
      id: 'few',
      type: 'limit',
      position: { x: 640, y: 0 },
      config: { items: '{{ input.items }}', count: 1 },
    },
  ],
  connections: [
    { from: 'start', to: 'shape' },
    { from: 'start', to: 'big' },
    { from: 'start', to: 'each' },
    { from: 'start', to: 'few' },
  ],
};

describe.skipIf(isChromiumMissing)('data while a node is configured', () => {
  let editor: TestEditor;
  let call: Api;
  let workflow: string;
  let page: Page;
  let pageErrors: string[];

  beforeAll(async () => {
    editor = await openEditor();
    call = await createSignedInApi(editor.origin);
    workflow = (await call('POST', '/workflows', { name: 'Data', definition }))['id'] as string;
    await call('POST', `/workflows/${workflow}/execute`, { input, wait: '30s' });
    ({ page, pageErrors } = await editor.browser.open({ size: { width: 1440, height: 900 } }));
    await signIn(page, editor.origin, `/workflows/${workflow}`);
    await page.locator('.react-flow__node').first().waitFor();
  });
  afterAll(() => editor?.close());

  const shot = (name: string): Promise<void> => saveShot(page, name);
  const choose = (id: string): Promise<void> => selectNode(page, id);
  const layout = async (name: string): Promise<void> => {
    await page.getByRole('button', { name: 'Panel layout' }).click();
    await page.getByRole('menuitem', { name }).click();
  };
  const tab = (name: string) => page.getByRole('tab', { name, exact: true });
  const tree = () => page.getByRole('tree', { name: 'Fields of the input' });
  const item = (text: string | RegExp) => tree().getByRole('treeitem').filter({ hasText: text }).first();
  const value = () => page.getByLabel('Value of name');

  test('beside the canvas, a click in the input inserts into the field of the settings', async () => {
    await choose('shape');
    await value().fill('Dear ');
    await tab('Input').click();
    await page.getByText(/^Received in the run/).waitFor();
    await shot('input-side');
    await item('ada@example.com').click();
    await expect.poll(() => value().inputValue()).toBe('Dear {{ input.customer.email }}');
    await expect.poll(() => value().evaluate((field) => field === document.activeElement)).toBe(true);
    await expect
      .poll(() => page.locator('.preview__value').first().textContent())
      .toBe('Dear ada@example.com');
  });

  test('below the canvas, the three parts stand side by side; the choice is kept', async () => {
    await layout('Dock to the bottom');
    await page.getByRole('region', { name: 'Input of shape' }).waitFor();
    await page.getByRole('region', { name: 'Output of shape' }).waitFor();
    await expect.poll(() => value().isVisible()).toBe(true);
    await shot('panel-bottom');
    const canvas = (await page.locator('.canvas__board').first().boundingBox())!;
    expect(canvas.y + canvas.height).toBeLessThanOrEqual(
      (await page.locator('#node-panel').boundingBox())!.y + 2,
    );
    await page.reload();
    await page.locator('.react-flow__node').first().waitFor();
    await choose('shape');
    await page.getByRole('region', { name: 'Input of shape' }).waitFor();
  });

  test('a field is dragged into a parameter', async () => {
    await value().fill('');
    await item('12').dragTo(value());
    await expect.poll(() => value().inputValue()).toBe('{{ input.total }}');
    await value().fill('Total: ');
    await item(/^Start/).dragTo(value());
    await expect.poll(() => value().inputValue()).toContain('{{ nodes.start }}');
    await value().fill('');
    // A literal field takes no template.
    const literal = page.getByLabel('Other fields');
    const chosen = await literal.inputValue();
    await item('12').dragTo(literal);
    await expect.poll(() => literal.inputValue()).toBe(chosen);
    await expect.poll(() => page.locator('.template-input__text--target').count()).toBe(0);
  });

  test('a field is dragged into a number, which becomes a template', async () => {
    await choose('few');
    const number = page.getByLabel('Count', { exact: true });
    await item('12').dragTo(number);
    await expect.poll(() => number.inputValue()).toBe('{{ input.total }}');
    await page.getByRole('button', { name: 'Use fixed value' }).first().click();
    await number.fill('1');
    await choose('shape');
  });

  test('by keys: arrows walk the tree, Enter inserts, Space collapses', async () => {
    await value().fill('{{ ');
    await page.keyboard.press('Escape');
    await tree().getByRole('treeitem').first().focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Space');
    await expect.poll(() => item('customer').getAttribute('aria-expanded')).toBe('false');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await expect.poll(() => value().inputValue()).toBe('{{ input.customer.name }}');
    await expect.poll(() => value().evaluate((field) => field === document.activeElement)).toBe(true);
  });

  test('a field for paths gets the bare path', async () => {
    await choose('big');
    const field = page.getByLabel('Field', { exact: true });
    await field.click();
    await page.keyboard.press('Escape');
    await item('ada@example.com').click();
    await expect.poll(() => field.inputValue()).toBe('customer.email');
    await item(/^Start/).click();
    await page.getByText('This field takes only fields of the input.', { exact: true }).waitFor();
    await expect.poll(() => field.inputValue()).toBe('customer.email');
  });

  test('a list is a table whose cells are inserted; JSON is text', async () => {
    await choose('shape');
    await value().fill('');
    const pane = page.getByRole('region', { name: 'Input', exact: true });
    await pane.getByRole('radio', { name: 'Table' }).click();
    await shot('input-table');
    await pane.getByRole('button', { name: 'b', exact: true }).click();
    await expect.poll(() => value().inputValue()).toBe('{{ input.items[1].sku }}');
    await pane.getByRole('radio', { name: 'JSON' }).click();
    await expect.poll(() => pane.locator('pre').textContent()).toContain('"name": "Ada"');
    await pane.getByRole('radio', { name: 'Tree' }).click();
  });

  test('the chosen item of a loop is the one of the input and of the previews', async () => {
    await page.getByRole('button', { name: 'Fit view (1)' }).click();
    await choose('inner');
    const text = page.getByLabel('Value of text');
    await text.fill('{{ item.sku | upcase }}');
    await page.keyboard.press('Escape');
    await expect.poll(() => page.locator('.preview__value').first().textContent()).toBe('B');
    await page.locator('.run-choice select').selectOption('each[0]/inner');
    await expect.poll(() => page.locator('.preview__value').first().textContent()).toBe('A');
    await page.getByRole('treeitem').filter({ hasText: /^Item/ }).waitFor();
  });

  test('a pinned output is the input of the next node, before any run', async () => {
    const fresh = (await call('POST', '/workflows', { name: 'Fresh', definition }))['id'] as string;
    await call('PUT', `/workflows/${fresh}/pinned-outputs/start`, { output: { customer: { name: 'Eva' } } });
    await page.goto(`${editor.origin}/workflows/${fresh}`);
    await page.locator('.react-flow__node').first().waitFor();
    await choose('shape');
    await page.getByText('Pinned output of start').waitFor();
    await expect.poll(() => page.locator('.preview__value').first().textContent()).toBe('Eva');
    await value().fill('{{ input.customer.name | upcase }}');
    await page.keyboard.press('Escape');
    await expect.poll(() => page.locator('.preview__value').first().textContent()).toBe('EVA');
    await page.goto(`${editor.origin}/workflows/${workflow}`);
    await page.locator('.react-flow__node').first().waitFor();
  });

  test('this node alone runs, with the data of the last run', async () => {
    await choose('shape');
    await page.getByText(/^Received in the run/).waitFor();
    await value().fill('Ran with {{ input.customer.name }}');
    await page.keyboard.press('Escape');
    const request = page.waitForRequest((one) => one.url().endsWith('/execute'));
    await page.getByRole('button', { name: 'Run this node' }).first().click();
    expect((await request).postDataJSON()).toEqual({ until: 'shape', input });
    const output = page.getByRole('region', { name: 'Output', exact: true });
    await output.getByText('"Ran with Ada"').waitFor();
    await page.locator('.react-flow__node[data-id="shape"] .step__run--completed').waitFor();
  });

  test('over the canvas; Escape returns to the dock', async () => {
    await layout('Full view');
    await page.locator('.editor__panel[data-layout="full"]').waitFor();
    await expect.poll(() => page.locator('.canvas__board').first().isVisible()).toBe(false);
    await shot('panel-full');
    await value().click();
    await page.keyboard.press('Escape');
    await page.locator('.editor__panel[data-layout="bottom"]').waitFor();
    await expect.poll(() => page.locator('.canvas__board').first().isVisible()).toBe(true);
    await page.locator('#node-panel').waitFor();
  });

  test('axe finds nothing in any layout', async () => {
    await layout('Full view');
    expect(await listFindingsInBothThemes(page)).toEqual([]);
    const views = page.getByRole('radiogroup', { name: 'View input as' });
    await views.getByRole('radio', { name: 'Table' }).click();
    expect(await listFindingsInBothThemes(page)).toEqual([]);
    await views.getByRole('radio', { name: 'Tree' }).click();
    await layout('Dock to the bottom');
    expect(await listFindingsInBothThemes(page)).toEqual([]);
    await layout('Dock to the side');
    await tab('Input').click();
    expect(await listFindingsInBothThemes(page)).toEqual([]);
  });

  test('a node of a body runs alone, for the item that its panel shows', async () => {
    const looped = (await call('POST', '/workflows', { name: 'Looped', definition }))['id'] as string;
    await call('POST', `/workflows/${looped}/execute`, { input, wait: '30s' });
    await page.goto(`${editor.origin}/workflows/${looped}`);
    await page.locator('.react-flow__node').first().waitFor();
    await choose('inner');
    await page.locator('.run-choice select').selectOption('each[0]/inner');
    const request = page.waitForRequest((one) => one.url().endsWith('/execute'));
    await page.getByRole('button', { name: 'Run this node' }).first().click();
    const sent = await request;
    const first = input.items[0];
    expect(sent.postDataJSON()).toEqual({
      until: 'inner',
      input,
      iterations: [{ input: { item: first, index: 0 }, item: first, index: 0 }],
    });
    const { id } = (await (await sent.response())!.json()) as { id: string };
    const completed = async () => {
      const { nodes } = (await call('GET', `/executions/${id}`)) as {
        nodes: { path: string; status: string }[];
      };
      return nodes.filter(({ status }) => status === 'completed').map(({ path }) => path);
    };
    await expect.poll(async () => (await completed()).toSorted()).toEqual(['each', 'each[0]/inner', 'start']);
    await page.goto(`${editor.origin}/workflows/${workflow}`);
    await page.locator('.react-flow__node').first().waitFor();
    await choose('shape');
  });

  test('at 390 px it is a sheet with tabs, whatever was chosen', async () => {
    await layout('Dock to the bottom');
    await page.setViewportSize({ width: 390, height: 844 });
    await tab('Input').waitFor();
    expect(await page.getByRole('button', { name: 'Panel layout' }).count()).toBe(0);
    await tab('Settings').click();
    await value().fill('');
    await page.keyboard.press('Escape');
    await tab('Input').click();
    await shot('input-phone');
    await item('Ada').click();
    await expect.poll(() => value().inputValue()).toBe('{{ input.customer.name }}');
    await tab('Input').click();
    expect(await listFindingsInBothThemes(page)).toEqual([]);
    await expect
      .poll(() => page.evaluate(() => document.documentElement.scrollWidth))
      .toBeLessThanOrEqual(390);
    expect(pageErrors).toEqual([]);
  });
});
