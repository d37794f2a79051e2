import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeWorkflow, openCanvas } from '../support/canvas-page.ts';
import { isChromiumMissing } from '../support/chromium.ts';
import { openEditor, type TestEditor } from '../support/editor.ts';

describe.skipIf(isChromiumMissing)('the button of an active workflow', () => {
  let editor: TestEditor;
  beforeAll(async () => {
    editor = await openEditor();
  });
  afterAll(() => editor?.close());

  test('offers to deactivate it, by mouse and by keyboard', async () => {
    const call = await editor.service.login();
    const start = {
      id: 'start',
      type: 'trigger',
      position: { x: 0, y: 0 },
      config: { triggerType: 'manual' },
    };
    const canvas = await openCanvas(
      editor,
      call,
      await makeWorkflow(call, { nodes: [start], connections: [] }),
    );
    const { page } = canvas;
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    const item = page.getByRole('menuitem', { name: 'Deactivate' });
    await button('Activate').click();
    await button('Published').click();
    await item.click();
    await button('Activate').waitFor();
    expect((await canvas.stored()).status).toBe('inactive');
    await button('Activate').press('Enter');
    await button('Published').press('Enter');
    await item.waitFor();
    await page.keyboard.press('Enter');
    await button('Activate').waitFor();
    expect((await canvas.stored()).status).toBe('inactive');
    expect(canvas.pageErrors).toEqual([]);
    await canvas.close();
  });
});
