import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Call } from '../../support/service.ts';
import { makeWorkflow, openCanvas, type CanvasPage } from '../support/canvas-page.ts';
import { isChromiumMissing } from '../support/chromium.ts';
import { openEditor, type TestEditor } from '../support/editor.ts';

const started = {
  nodes: [
    {
      id: 'start',
      type: 'trigger',
      name: 'Start',
      config: { triggerType: 'manual' },
      position: { x: 0, y: 0 },
    },
  ],
  connections: [],
};

describe.skipIf(isChromiumMissing)('finding nodes', () => {
  let editor: TestEditor;
  let call: Call;

  beforeAll(async () => {
    editor = await openEditor();
    call = await editor.service.login();
  });
  afterAll(() => editor?.close());

  const quickAdd = async ({ page }: CanvasPage, text: string): Promise<void> => {
    await page.keyboard.press('/');
    await page.getByRole('combobox', { name: 'Add node' }).waitFor();
    await page.keyboard.type(text);
  };

  test('by words, kinds of trigger and mistyped words, by keyboard', async () => {
    const canvas = await openCanvas(editor, call, await makeWorkflow(call, started), { isAlone: true });
    const { page, node, board } = canvas;
    await board.focus();

    await quickAdd(canvas, 'loop');
    await page.keyboard.press('Enter');
    await node('for_each').waitFor();

    // The start becomes the trigger that is chosen; no second one is added.
    await quickAdd(canvas, 'cron');
    const option = page.getByRole('option', { name: 'Schedule trigger' });
    await option.waitFor();
    await expect.poll(() => option.getAttribute('aria-selected')).toBe('true');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Start', level: 2 }).waitFor();
    await expect.poll(() => page.locator('.react-flow__node').count()).toBe(2);

    await page.keyboard.press('Escape');
    await node('for_each').click();
    await board.focus();
    await quickAdd(canvas, 'respnd');
    const first = page.getByRole('option').first();
    await expect.poll(() => first.textContent()).toContain('Respond');
    await page.keyboard.press('Enter');
    await node('respond').waitFor();

    // The webhook comes as another trigger, because the start is set up now.
    await quickAdd(canvas, 'webhok');
    await page.keyboard.press('Enter');
    await node('trigger').waitFor();

    await page.keyboard.press('Control+s');
    await canvas.saved();
    const { definition } = await canvas.stored();
    expect(definition.nodes.map(({ id, config }) => [id, config?.['triggerType'] ?? null])).toEqual([
      ['start', 'schedule'],
      ['for_each', null],
      ['respond', null],
      ['trigger', 'webhook'],
    ]);
    await expect.poll(() => canvas.edges()).toEqual(['for_each.out → respond', 'start.out → for_each']);

    // What was used last comes first, also after a reload; a trigger not after a node.
    await page.reload();
    await node('respond').click();
    await board.focus();
    await quickAdd(canvas, '');
    const titles = page.getByRole('option').locator('.chooser__title');
    await expect
      .poll(async () => (await titles.allTextContents()).slice(0, 2))
      .toEqual(['Respond', 'For each']);
    await page.getByText('Recently used').waitFor();
    await page.keyboard.press('Escape');

    // The same words find the nodes to connect to.
    await node('trigger').click();
    await board.focus();
    await page.keyboard.press('c');
    await page.getByRole('combobox', { name: /^Connect/ }).waitFor();
    await page.keyboard.type('loops');
    await page.keyboard.press('Enter');
    await expect.poll(canvas.edges).toContain('trigger.out → for_each');
    expect(canvas.pageErrors).toEqual([]);
    await canvas.close();
  });

  test('in the list beside the canvas, by Enter and by mouse', async () => {
    const canvas = await openCanvas(editor, call, await makeWorkflow(call), { isAlone: true });
    const { page, node, board } = canvas;
    const field = page.getByLabel('Search node types');
    await field.fill('every day');
    await field.press('Enter');
    await node('trigger').waitFor();
    await page.keyboard.press('Control+s');
    await canvas.saved();
    expect((await canvas.stored()).definition.nodes[0]?.config).toEqual({ triggerType: 'schedule' });

    await field.fill('kubernetes');
    await page.getByText('No matching node types').waitFor();
    await field.fill('iterate');
    await page.getByRole('region', { name: 'Results' }).waitFor();
    await page.getByRole('button', { name: 'For each', exact: true }).dblclick();
    await node('for_each').waitFor();
    await expect.poll(() => canvas.edges()).toEqual(['trigger.out → for_each']);

    // A trigger that is dropped stays where it is dropped.
    await field.fill('manual');
    const area = (await board.boundingBox())!;
    await page
      .getByRole('button', { name: 'Manual trigger', exact: true })
      .dragTo(board, { targetPosition: { x: area.width / 2, y: area.height - 140 } });
    await node('trigger_2').waitFor();
    await field.fill('');
    const recent = page.getByRole('region', { name: 'Recently used' }).getByRole('button');
    await expect
      .poll(() => recent.allTextContents())
      .toEqual(['Manual trigger', 'For each', 'Schedule trigger']);
    expect(canvas.pageErrors).toEqual([]);
    await canvas.close();
  });

  test('a custom node by a keyword that it was registered with', async () => {
    const { status } = await call('POST', '/nodes', {
      body: {
        nodeType: 'wages',
        description: 'Pays everyone.',
        keywords: ['payroll'],
        implementation: { runtime: 'javascript', handler: 'export default () => ({})' },
      },
    });
    expect(status).toBe(201);
    const canvas = await openCanvas(editor, call, await makeWorkflow(call, started), { isAlone: true });
    await canvas.board.focus();
    await quickAdd(canvas, 'payroll');
    await canvas.page.keyboard.press('Enter');
    await canvas.node('wages').waitFor();
    await canvas.close();
  });

  test('in a list wide enough for a sentence about each, and not wider than a phone', async () => {
    const canvas = await openCanvas(editor, call, await makeWorkflow(call, started), { isAlone: true });
    const { page, board } = canvas;
    await board.focus();
    for (const size of [
      { width: 1440, height: 900 },
      { width: 390, height: 844 },
    ]) {
      await page.setViewportSize(size);
      await quickAdd(canvas, '');
      const list = page.getByRole('dialog', { name: 'Add node' });
      const box = (await list.boundingBox())!;
      expect(box.x).toBeGreaterThanOrEqual(0);
      expect(box.x + box.width).toBeLessThanOrEqual(size.width);
      if (size.width > 500) {
        const cut = await list
          .locator('.chooser__detail')
          .evaluateAll((all) => all.filter((one) => one.scrollHeight > one.clientHeight + 1).length);
        expect(cut).toBe(0);
      }
      await page.keyboard.press('Escape');
    }
    await canvas.close();
  });
});
