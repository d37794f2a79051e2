import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Call } from '../../support/service.ts';
import { listFindingsInBothThemes } from '../support/axe.ts';
import { makeWorkflow, openCanvas } from '../support/canvas-page.ts';
import { isChromiumMissing } from '../support/chromium.ts';
import { openEditor, type TestEditor } from '../support/editor.ts';
import { saveShot } from '../support/shots.ts';

const at = (x: number, y = 0) => ({ position: { x, y } });

/** What a card says about accounts and schedules, and what can be done from it. */
describe.skipIf(isChromiumMissing)('accounts and actions on cards', () => {
  let editor: TestEditor;
  let call: Call;
  beforeAll(async () => {
    editor = await openEditor();
    call = await editor.service.login();
    await call('PUT', '/secrets/CRM_TOKEN', { body: { value: 'crm-4f9a8b7c6d5e' } });
    await call('POST', '/connections', {
      body: { name: 'crm', provider: 'hubspot', client_id: 'app', client_secret: 'not-a-real-one' },
    });
  });
  afterAll(() => editor?.close());

  test('a card names its account and marks one that is missing or needs a sign-in', async () => {
    const id = await makeWorkflow(call, {
      nodes: [
        { id: 'start', type: 'trigger', config: { triggerType: 'manual' }, ...at(0) },
        {
          id: 'good',
          type: 'http_request',
          config: {
            url: 'https://api.example.com/orders',
            authentication: { type: 'bearer', token: '{{ secrets.CRM_TOKEN }}' },
          },
          ...at(320),
        },
        {
          id: 'gone',
          type: 'postgres',
          config: { operation: 'query', query: 'select 1', credentials: '{{ secrets.DATABASE }}' },
          ...at(0, 140),
        },
        {
          id: 'unsigned',
          type: 'customer_records',
          config: { service: 'hubspot', operation: 'search', connection: 'crm', data: { email: 'a' } },
          ...at(320, 140),
        },
      ],
      connections: [
        { from: 'start', to: 'good' },
        { from: 'good', to: 'gone' },
        { from: 'gone', to: 'unsigned' },
      ],
    });
    const canvas = await openCanvas(editor, call, id);
    const { page, node } = canvas;
    const details = (of: string) => node(of).locator('.step__details');
    // What a screen reader reads.
    const words = (of: string): Promise<string> =>
      details(of).evaluate((element) => {
        const copy = element.cloneNode(true) as Element;
        for (const hidden of copy.querySelectorAll('[aria-hidden=true]')) hidden.remove();
        return (copy.textContent ?? '').trim();
      });
    await expect.poll(() => words('good')).toBe('Uses CRM_TOKEN');
    await expect.poll(() => words('gone')).toBe('Uses DATABASE missing');
    await expect.poll(() => words('unsigned')).toBe('Uses crm sign-in needed');
    expect(await details('good').locator('.step__detail--warn').count()).toBe(0);
    await expect.poll(() => details('gone').locator('.step__detail--warn').count()).toBe(1);
    expect(await node('start').locator('.step__details').count()).toBe(0);
    await saveShot(page, 'card-accounts');
    expect(await listFindingsInBothThemes(page)).toEqual([]);
    // A secret that is created in the panel takes the mark away.
    await node('gone').click();
    await page.locator('#node-panel').getByRole('button', { name: 'Create it' }).click();
    const form = page.getByRole('dialog', { name: 'New secret' });
    await form.getByLabel('Value').fill('postgres://user:password@db.example/shop');
    await form.getByRole('button', { name: 'Create' }).click();
    await expect.poll(() => words('gone')).toBe('Uses DATABASE');
    expect(canvas.pageErrors).toEqual([]);
    await canvas.close();
  });

  test('an active schedule shows its next run', async () => {
    const id = await makeWorkflow(call, {
      nodes: [
        {
          id: 'clock',
          type: 'trigger',
          config: { triggerType: 'schedule', interval: '6h' },
          ...at(0),
        },
        { id: 'note', type: 'set', config: { fields: { a: 1 } }, ...at(320) },
      ],
      connections: [{ from: 'clock', to: 'note' }],
    });
    const canvas = await openCanvas(editor, call, id);
    const { page, node } = canvas;
    await node('clock').waitFor();
    expect(await node('clock').locator('.step__details').count()).toBe(0);
    await page.getByRole('button', { name: 'Activate' }).click();
    await expect.poll(() => node('clock').locator('time').textContent()).toBe('next in 6 h');
    await saveShot(page, 'card-next-run');
    await canvas.close();
  });

  test('a node runs from its card by mouse and by key', async () => {
    const id = await makeWorkflow(call, {
      nodes: [
        { id: 'start', type: 'trigger', config: { triggerType: 'manual' }, ...at(0) },
        { id: 'one', type: 'set', config: { fields: { a: 1 } }, ...at(320) },
        { id: 'two', type: 'set', config: { fields: { b: '{{ input.a + 1 }}' } }, ...at(0, 140) },
      ],
      connections: [
        { from: 'start', to: 'one' },
        { from: 'one', to: 'two' },
      ],
    });
    const canvas = await openCanvas(editor, call, id);
    const { page, node } = canvas;
    await node('two').hover();
    await saveShot(page, 'card-run');
    expect(await node('start').getByRole('button', { name: /^Run/ }).count()).toBe(0);
    await node('two').getByRole('button', { name: 'Run Two' }).click();
    await node('two').locator('.step__run--completed').waitFor();
    const shown = page.locator('#node-panel[data-node="two"]');
    await shown.getByRole('tab', { name: 'Output', selected: true }).waitFor();
    await page.keyboard.press('Escape');
    await node('one').click();
    await page.keyboard.press('r');
    const count = async (): Promise<number> =>
      ((await call('GET', `/executions?workflow_id=${id}`)).body as { executions: unknown[] }).executions
        .length;
    await expect.poll(count).toBe(2);
    expect(canvas.pageErrors).toEqual([]);
    await canvas.close();
  });

  test('a bar offers what can be done with several nodes', async () => {
    const id = await makeWorkflow(call, {
      nodes: [
        { id: 'start', type: 'trigger', config: { triggerType: 'manual' }, ...at(0) },
        { id: 'one', type: 'set', config: { fields: { a: 1 } }, ...at(320) },
        { id: 'two', type: 'set', config: { fields: { b: 2 } }, ...at(0, 140) },
      ],
      connections: [
        { from: 'start', to: 'one' },
        { from: 'one', to: 'two' },
      ],
    });
    const canvas = await openCanvas(editor, call, id);
    const { page, node } = canvas;
    const bar = page.getByRole('toolbar', { name: 'Selection' });
    await node('one').click();
    expect(await bar.count()).toBe(0);
    await node('two').click({ modifiers: ['Control'] });
    await bar.getByText('2 selected').waitFor();
    await saveShot(page, 'selection-bar');
    expect(await listFindingsInBothThemes(page)).toEqual([]);
    await bar.getByRole('button', { name: 'Disable (D)' }).click();
    await bar.getByRole('button', { name: 'Enable (D)' }).waitFor();
    await bar.getByRole('button', { name: 'Enable (D)' }).click();
    await bar.getByRole('button', { name: 'Duplicate (Ctrl+D)' }).click();
    await expect.poll(() => page.locator('.react-flow__node').count()).toBe(5);
    await bar.getByRole('button', { name: 'Copy (Ctrl+C)' }).click();
    await bar.getByRole('button', { name: 'Auto-layout selection (L)' }).click();
    await bar.getByRole('button', { name: 'Delete (Delete)' }).focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('.react-flow__node').count()).toBe(3);
    await bar.waitFor({ state: 'detached' });
    await page.keyboard.press('Control+v');
    await expect.poll(() => page.locator('.react-flow__node').count()).toBe(5);
    expect(canvas.pageErrors).toEqual([]);
    await canvas.close();
  });
});
