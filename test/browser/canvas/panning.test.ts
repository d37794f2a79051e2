import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLargeWorkflow } from '../perf/large-workflow.ts';
import { getCenter, makeWorkflow, openCanvas } from '../support/canvas-page.ts';
import { isChromiumMissing } from '../support/chromium.ts';
import { openEditor, type TestEditor } from '../support/editor.ts';
import { saveShot } from '../support/shots.ts';
import type { CDPSession } from 'playwright-core';

const NODES = 1_000;
const MOVES = 30;
/** The card that appears at a move has 30 elements. With `:has()` on the canvas, 800 were restyled. */
const MAX_STYLED_PER_MOVE = 150;
/** The minimap has a path for each kind of node, and nothing for a single node. */
const MAX_MAP_ELEMENTS = 10;
/** The viewport, the minimap and the class of the board. */
const MAX_CHANGES_PER_MOVE = 6;

type TraceEvent = { name: string; args: { elementCount?: number } };

/** The number of elements whose style the browser computes while `act` runs. */
async function countStyled(session: CDPSession, act: () => Promise<void>): Promise<number> {
  let count = 0;
  session.on('Tracing.dataCollected', ({ value }) => {
    for (const { name, args } of value as unknown as TraceEvent[])
      if (name === 'UpdateLayoutTree') count += args.elementCount ?? 0;
  });
  await session.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: ['devtools.timeline'] },
  });
  await act();
  const isComplete = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve));
  await session.send('Tracing.end');
  await isComplete;
  return count;
}

describe.skipIf(isChromiumMissing)('a large workflow', () => {
  let editor: TestEditor;
  beforeAll(async () => {
    editor = await openEditor();
  });
  afterAll(() => editor?.close());

  test('panning computes few styles, and the minimap follows', async () => {
    const call = await editor.service.login();
    const canvas = await openCanvas(editor, call, await makeWorkflow(call, createLargeWorkflow(NODES)));
    const { page } = canvas;
    const map = page.getByRole('img', { name: 'Map of the workflow' });
    await map.waitFor();
    expect(await map.locator('*').count()).toBeLessThan(MAX_MAP_ELEMENTS);
    await saveShot(page, 'large-workflow');

    const box = (await canvas.board.boundingBox())!;
    const center = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    const shown = (): Promise<string | null> => page.locator('.map-mask').getAttribute('d');
    const before = await shown();
    await page.mouse.move(center.x, center.y);
    await page.mouse.down({ button: 'middle' });
    const styled = await countStyled(await page.context().newCDPSession(page), async () => {
      for (let i = 1; i <= MOVES; i++) await page.mouse.move(center.x - 8 * i, center.y - 4 * i);
    });
    await page.mouse.up({ button: 'middle' });
    expect(await shown()).not.toBe(before);
    expect(Math.round(styled / MOVES)).toBeLessThan(MAX_STYLED_PER_MOVE);

    // The map pans and zooms the canvas.
    const transform = (): Promise<string> =>
      page.locator('.react-flow__viewport').evaluate((element) => (element as HTMLElement).style.transform);
    const getZoom = async (): Promise<string> => /scale\((.+)\)/.exec(await transform())?.[1] ?? '';
    const mapBox = (await map.boundingBox())!;
    const at = { x: mapBox.x + mapBox.width / 2, y: mapBox.y + mapBox.height / 2 };
    const [was, wasZoom] = [await transform(), await getZoom()];
    await page.mouse.move(at.x, at.y);
    await page.mouse.down();
    await page.mouse.move(at.x + 10, at.y + 5);
    await page.mouse.up();
    await expect.poll(transform).not.toBe(was);
    expect(await getZoom()).toBe(wasZoom);
    await page.mouse.wheel(0, -100);
    await expect.poll(async () => Number(await getZoom())).toBeGreaterThan(Number(wasZoom));
    expect(canvas.pageErrors).toEqual([]);
    await canvas.close();
  });

  test('panning with all nodes in sight changes no node', async () => {
    const call = await editor.service.login();
    const canvas = await openCanvas(editor, call, await makeWorkflow(call, createLargeWorkflow(300)));
    const { page, board } = canvas;
    await page.locator('.react-flow__node').first().waitFor();
    await board.focus();
    await page.keyboard.press('1');
    await page.waitForFunction(() => document.querySelectorAll('.react-flow__node').length === 300);
    const center = await getCenter(board);
    await page.mouse.move(center.x, center.y);
    await page.mouse.down({ button: 'middle' });
    // The first moves begin the gesture.
    await page.mouse.move(center.x + 6, center.y + 4, { steps: 3 });
    await page.evaluate(() => {
      const changed: Record<string, number> = {};
      Object.assign(globalThis, { changed });
      new MutationObserver((changes) => {
        for (const { target, type, attributeName } of changes) {
          const name = target instanceof Element ? (target.getAttribute('class') ?? '') : '';
          const key = `${name} ${attributeName ?? type}`;
          changed[key] = (changed[key] ?? 0) + 1;
        }
      }).observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
    });
    for (let i = 1; i <= MOVES; i++) {
      await page.mouse.move(center.x + 6 + i, center.y + 4 + i);
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
    }
    await page.mouse.up({ button: 'middle' });
    const changed = await page.evaluate(
      () => (globalThis as unknown as { changed: Record<string, number> }).changed,
    );
    const names = Object.keys(changed);
    expect(names.some((name) => name.startsWith('react-flow__viewport'))).toBe(true);
    expect(names.filter((name) => /react-flow__(?:node|edge|handle)|\bstep/.test(name))).toEqual([]);
    const changes = Object.values(changed).reduce((sum, count) => sum + count, 0);
    expect(changes, JSON.stringify(changed)).toBeLessThanOrEqual(MAX_CHANGES_PER_MOVE * MOVES);
    await canvas.close();
  });
});
