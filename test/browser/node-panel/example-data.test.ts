import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Call } from '../../support/service.ts';
import { listFindingsInBothThemes } from '../support/axe.ts';
import { makeWorkflow, openCanvas } from '../support/canvas-page.ts';
import { isChromiumMissing } from '../support/chromium.ts';
import { selectNode, openEditor, type TestEditor } from '../support/editor.ts';
import { saveShot } from '../support/shots.ts';

const definition = {
  nodes: [
    {
      id: 'start',
      type: 'trigger',
      position: { x: 0, y: 0 },
      config: {
        triggerType: 'webhook',
        endpoint: 'examples',
        authentication: 'none',
        expectedSchema: { sku: 'string', amount: 'number' },
      },
    },
    { id: 'shape', type: 'set', position: { x: 320, y: 0 }, config: { fields: { sku: '' } } },
  ],
  connections: [{ from: 'start', to: 'shape' }],
};

describe.skipIf(isChromiumMissing)('data before the first run', () => {
  let editor: TestEditor;
  let call: Call;
  beforeAll(async () => {
    editor = await openEditor();
    call = await editor.service.login();
  });
  afterAll(() => editor?.close());

  test('is an example from the schema, then the last real request', async () => {
    const id = await makeWorkflow(call, definition, { status: 'active' });
    const { page, close, pageErrors } = await openCanvas(editor, call, id, { isAlone: true });
    const panel = page.locator('#node-panel');
    await selectNode(page, 'shape');
    const value = panel.getByRole('textbox', { name: 'sku' });
    await value.click();
    await page.keyboard.type('{{ body.s');
    await page.getByRole('option', { name: /^sku/ }).waitFor();
    await page.keyboard.press('Enter');
    await panel.locator('.preview', { hasText: 'text' }).getByText('example').waitFor();
    await saveShot(page, 'example-preview');
    expect(await listFindingsInBothThemes(page)).toEqual([]);
    await panel.getByRole('tab', { name: 'Input' }).click();
    await panel.getByText('Example output of').waitFor();
    await panel.getByText('amount').waitFor();
    await saveShot(page, 'example-input');
    expect(await listFindingsInBothThemes(page)).toEqual([]);

    const response = await fetch(`${editor.origin}/v1/webhooks/examples`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ sku: 'A-1', amount: 250 }),
    });
    expect(response.status).toBe(200);
    await page
      .locator('.save')
      .filter({ hasText: /^(Saved|Published)$/ })
      .waitFor();
    await page.reload();
    await page.locator('.react-flow__node').first().waitFor();
    await selectNode(page, 'shape');
    await panel.locator('.preview', { hasText: 'A-1' }).waitFor();
    expect(await panel.locator('.preview').getByText('example').count()).toBe(0);
    await panel.getByRole('tab', { name: 'Input' }).click();
    await panel.getByText('Received in the run').waitFor();
    await panel.getByText('250', { exact: true }).waitFor();
    expect(pageErrors).toEqual([]);
    await close();
  });
});
