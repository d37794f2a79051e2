import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSignedInApi, type Api } from '../support/caller.ts';
import { isChromiumMissing } from '../support/chromium.ts';
import { selectNode, openEditor, type TestEditor } from '../support/editor.ts';
import { saveShot } from '../support/shots.ts';
import { signIn } from '../support/sign-in.ts';

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
      id: 'call',
      type: 'http_request',
      position: { x: 320, y: 200 },
      config: { url: 'https://example.com' },
    },
  ],
  connections: [
    { from: 'start', to: 'shape' },
    { from: 'shape', to: 'big' },
    { from: 'big', to: 'call', sourcePort: 'true' },
  ],
};

declare global {
  interface Window {
    requestFrame: typeof window.requestAnimationFrame;
  }
}

describe.skipIf(isChromiumMissing)('the panel of a node', () => {
  let editor: TestEditor;
  let page: Page;
  let pageErrors: string[];
  let call: Api;
  let workflow: string;

  beforeAll(async () => {
    editor = await openEditor();
    call = await createSignedInApi(editor.origin);
    await call('PUT', '/secrets/API_TOKEN', { value: 'a secret value' });
    workflow = (await call('POST', '/workflows', { name: 'Panel', definition }))['id'] as string;
    await call('POST', `/workflows/${workflow}/execute`, {
      input: {
        customer: { name: 'Ada', city: 'Paris' },
        items: [
          { sku: 'a', n: 1 },
          { sku: 'b', n: 2 },
        ],
      },
      until: 'shape',
      wait: '30s',
    });
    const opened = await editor.browser.open({ size: { width: 1440, height: 1000 } });
    ({ page, pageErrors } = opened);
    await signIn(page, editor.origin, `/workflows/${workflow}`);
    await page.locator('.react-flow__node').first().waitFor();
  });
  afterAll(async () => {
    await editor?.close();
  });

  const shot = (name: string): Promise<void> => saveShot(page, name);
  const choose = (id: string): Promise<void> => selectNode(page, id);
  const config = async (id: string): Promise<Record<string, unknown>> => {
    await page.keyboard.press('Control+s');
    await page.getByText('Saved', { exact: true }).first().waitFor();
    const { definition: now } = (await call('GET', `/workflows/${workflow}`)) as unknown as {
      definition: { nodes: { id: string; config: Record<string, unknown> }[] };
    };
    return now.nodes.find((node) => node.id === id)!.config;
  };

  test('a template is completed from real data, with its value below', async () => {
    await choose('shape');
    const field = page.getByLabel('Value of name');
    await expect.poll(() => page.locator('.preview__value').first().textContent()).toBe('Ada');
    await field.fill('');
    await field.pressSequentially('{{ input.cus');
    await page.keyboard.press('Enter');
    await field.press('End');
    await field.fill('Dear {{ input.customer.');
    await expect
      .poll(() => page.locator('.options__item').allTextContents())
      .toEqual(['name"Ada"', 'city"Paris"']);
    await shot('panel-completion');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect.poll(() => field.inputValue()).toBe('Dear {{ input.customer.city }}');
    await expect.poll(() => page.locator('.preview__value').first().textContent()).toBe('Dear Paris');
    await field.fill('{{ input.customer.city | upcas }}');
    await expect.poll(() => page.locator('.preview--error').first().textContent()).toMatch(/upcas/);
    await field.fill('{{ input.customer.city | upcase }}');
    await expect.poll(() => page.locator('.preview__value').first().textContent()).toBe('PARIS');
    await shot('panel-preview');
    expect(await config('shape')).toEqual({ fields: { name: '{{ input.customer.city | upcase }}' } });
  });

  test('keys that follow a completion before the next frame are typed behind it', async () => {
    await choose('shape');
    const field = page.getByLabel('Value of name');
    const before = await field.inputValue();
    await field.fill(' and more');
    await field.press('Home');
    await field.pressSequentially('{{ input.cus');
    await page.getByRole('option', { name: /^customer/ }).waitFor();
    await page.evaluate(() => {
      window.requestFrame = window.requestAnimationFrame.bind(window);
      window.requestAnimationFrame = () => 0;
    });
    await page.keyboard.press('Enter');
    await page.keyboard.type('.name');
    expect(await field.inputValue()).toBe('{{ input.customer.name }} and more');
    await page.evaluate(() => (window.requestAnimationFrame = window.requestFrame));
    await field.fill(before);
    await page.keyboard.press('Escape');
  });

  test('what went in and out is a tree, a table and JSON', async () => {
    await choose('start');
    await page.getByRole('tab', { name: /^Output/ }).click();
    const output = page.getByRole('region', { name: 'Output', exact: true });
    await output.getByRole('radio', { name: 'Table' }).click();
    await expect.poll(() => output.locator('th').allTextContents()).toEqual(['sku', 'n']);
    await expect.poll(() => output.locator('tbody tr').count()).toBe(2);
    await shot('panel-data');
    await output.getByRole('radio', { name: 'JSON' }).click();
    await expect.poll(() => output.locator('pre').textContent()).toContain('"city": "Paris"');
    await page.getByRole('tab', { name: 'Settings' }).click();
  });

  test('a condition becomes a group, and back by undo', async () => {
    await choose('big');
    await page.getByLabel('Match').selectOption('all');
    await page.getByRole('button', { name: 'Add condition' }).click();
    await page.getByLabel('Field', { exact: true }).nth(1).fill('vip');
    await page.getByLabel('Operator').nth(1).selectOption('exists');
    await shot('panel-condition');
    expect(await config('big')).toEqual({
      condition: {
        all: [
          { field: 'total', operator: 'greater_than', value: 10 },
          { field: 'vip', operator: 'exists' },
        ],
      },
    });
  });

  test('a request is set up by its form: kinds, headers, numbers, a secret', async () => {
    await choose('call');
    await page.getByLabel('URL').fill('https://example.com/{{ nodes.shape.name }}');
    await page.getByLabel('Method').selectOption('POST');
    await page.getByRole('button', { name: 'Authentication' }).click();
    await page.getByRole('menuitem', { name: 'Bearer token' }).click();
    await page.locator('[data-field="token"]').getByRole('button', { name: 'Use template' }).click();
    const token = page.getByLabel('Token');
    await token.fill('');
    await token.pressSequentially('{{ secrets.A');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Headers', exact: true }).click();
    await page.getByLabel('Name of header 1').fill('X-Trace');
    await page.getByLabel('Name of header 1').press('Enter');
    await page.getByLabel('Value of X-Trace').fill('1');
    await shot('panel-request');
    expect(await config('call')).toMatchObject({
      url: 'https://example.com/{{ nodes.shape.name }}',
      method: 'POST',
      authentication: { type: 'bearer', token: '{{ secrets.API_TOKEN }}' },
      headers: { 'X-Trace': '1' },
    });
    await page.getByLabel('URL').fill('');
    await page.keyboard.press('Control+s');
    await page.locator('#node-panel .field__error').first().waitFor();
    await expect.poll(() => page.getByLabel('URL').getAttribute('aria-invalid')).toBe('true');
    await shot('panel-fault');
  });

  test('the same as JSON, and what the type is for', async () => {
    await choose('call');
    await page.getByRole('button', { name: 'Edit as JSON' }).click();
    await page.locator('.cm-content').waitFor();
    await shot('panel-json');
    await page.getByRole('tab', { name: 'About' }).click();
    await expect.poll(() => page.locator('.about').textContent()).toContain('responseType');
    await shot('panel-about');
    expect(pageErrors).toEqual([]);
  });
});
