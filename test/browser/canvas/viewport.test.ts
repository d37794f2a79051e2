import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createSignedInApi, type Api } from '../support/caller.ts';
import { getCenter } from '../support/canvas-page.ts';
import { isChromiumMissing } from '../support/chromium.ts';
import { openEditor, type TestEditor } from '../support/editor.ts';
import { saveShot } from '../support/shots.ts';
import { openPage, signIn } from '../support/sign-in.ts';

const DESKTOP = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };
/** px of the canvas that are free above the graph, and below it for the toolbar. */
const TOP = 24;
const TOOLBAR = 68;
/** px. */
const TOLERANCE = 2;

const start = { id: 'start', type: 'trigger', position: { x: 0, y: 0 }, config: { triggerType: 'manual' } };

/** What remains in sight when panels open beside, below or over the canvas. */
describe.skipIf(isChromiumMissing)('the visible part of the canvas', () => {
  let editor: TestEditor;
  let upstream: Server;
  let call: Api;
  let page: Page;
  let pageErrors: string[];

  beforeAll(async () => {
    upstream = createServer((request, response) => {
      const isBroken = request.url?.endsWith('/3') === true;
      response.writeHead(isBroken ? 500 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(isBroken ? { error: 'database is read only' } : { ok: true }));
    });
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
    editor = await openEditor();
    call = await createSignedInApi(editor.origin);
    ({ page, pageErrors } = await editor.browser.open({ size: DESKTOP }));
    await signIn(page, editor.origin, '/workflows');
  });
  afterAll(async () => {
    await editor?.close();
    upstream?.close();
  });
  beforeEach(() => () => expect(pageErrors).toEqual([]));

  const create = async (definition: object): Promise<string> =>
    (await call('POST', '/workflows', { name: 'Orders', definition }))['id'] as string;
  const run = async (id: string, input: object): Promise<string> =>
    (await call('POST', `/workflows/${id}/execute`, { input, wait: '30s' }))['id'] as string;
  const node = (id: string) => page.locator(`.react-flow__node[data-id="${id}"]`);
  /** px by which the middle of the nodes is below the middle of the part without toolbars. */
  const offset = (): Promise<number> =>
    page.evaluate(
      ({ top, toolbar }) => {
        const board = document.querySelector('.canvas__board')!.getBoundingClientRect();
        const boxes = [...document.querySelectorAll('.react-flow__node')].map((one) =>
          one.getBoundingClientRect(),
        );
        const middle =
          (Math.min(...boxes.map((box) => box.top)) + Math.max(...boxes.map((box) => box.bottom))) / 2;
        return middle - (board.top + top + board.bottom - toolbar) / 2;
      },
      { top: TOP, toolbar: TOOLBAR },
    );
  const expectCentered = (): Promise<void> =>
    expect
      .poll(async () => Math.abs(await offset()) <= TOLERANCE, { message: 'the graph is centered' })
      .toBe(true);
  const line = {
    nodes: [
      start,
      { id: 'set', type: 'set', position: { x: 320, y: 0 }, config: { fields: { a: 1 } } },
      { id: 'done', type: 'set', position: { x: 640, y: 120 }, config: { fields: { b: 2 } } },
    ],
    connections: [
      { from: 'start', to: 'set' },
      { from: 'set', to: 'done' },
    ],
  };

  test('the graph is in the middle above an open run, and again when the run is closed', async () => {
    const id = await create(line);
    await openPage(page, `/workflows/${id}`);
    await node('done').waitFor();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    const panel = page.getByRole('region', { name: 'Run', exact: true });
    await panel.getByText('completed', { exact: true }).waitFor();
    await expectCentered();
    await saveShot(page, 'graph-above-run');
    await page.getByRole('button', { name: 'Collapse run panel' }).click();
    await expectCentered();
    await page.getByRole('button', { name: 'Close run panel' }).click();
    await expectCentered();
  });

  test('the graph of a linked run is in the middle above it', async () => {
    const id = await create(line);
    const execution = await run(id, {});
    await openPage(page, `/workflows/${id}?run=${execution}`);
    await page.getByRole('region', { name: 'Run', exact: true }).getByText('completed').first().waitFor();
    await expectCentered();
  });

  test('the button behind a port does not cover the name of the port', async () => {
    const id = await create({
      nodes: [start, { id: 'ask', type: 'approval', position: { x: 320, y: 0 }, config: { title: 'Go?' } }],
      connections: [{ from: 'start', to: 'ask' }],
    });
    await openPage(page, `/workflows/${id}`);
    await node('ask').click();
    await page.locator('#node-panel[data-node="ask"]').waitFor();
    await getCenter(node('ask'));
    const overlaps = await node('ask').evaluate((card) => {
      const buttons = [...card.querySelectorAll('.next > svg')].map((one) => one.getBoundingClientRect());
      const names = [...card.querySelectorAll('.port__label')];
      const isOver = (a: DOMRect, b: DOMRect): boolean =>
        a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
      return {
        buttons: buttons.length,
        names: names
          .filter((name) => buttons.some((button) => isOver(button, name.getBoundingClientRect())))
          .map((name) => name.textContent),
      };
    });
    expect(overlaps).toEqual({ buttons: 3, names: [] });
    await saveShot(page, 'port-names');
  });

  describe('on a phone', () => {
    beforeAll(() => page.setViewportSize(PHONE));
    afterAll(() => page.setViewportSize(DESKTOP));

    /** The top of the panel of the node, in px of the screen. */
    const panelTop = async (): Promise<number> => (await page.locator('.editor__panel').boundingBox())!.y;

    test('the response of a failed item is read without scrolling, and its card stays in sight', async () => {
      const { port } = upstream.address() as AddressInfo;
      const id = await create({
        nodes: [
          start,
          {
            id: 'each',
            type: 'for_each',
            position: { x: 320, y: 0 },
            config: { items: '{{ input.items }}', nodes: ['fetch'], onError: 'continue' },
          },
          {
            id: 'fetch',
            type: 'http_request',
            name: 'Fetch the order',
            config: { url: `http://127.0.0.1:${port}/{{ item }}`, retryPolicy: { maxAttempts: 1 } },
          },
        ],
        connections: [{ from: 'start', to: 'each' }],
      });
      const execution = await run(id, { items: Array.from({ length: 30 }, (_, i) => i) });
      for (const where of [`/workflows/${id}?run=${execution}`, `/executions/${execution}`]) {
        await openPage(page, where);
        const panel = page.getByRole('region', { name: 'Run', exact: true });
        await panel.getByRole('button', { name: /1 failed/ }).click();
        await panel.locator('.timeline__row', { hasText: '[3]' }).first().click();
        const response = page.locator('#node-panel').getByText('"database is read only"');
        await response.waitFor();
        await expect.poll(() => getCenter(response).then(({ y }) => y < PHONE.height)).toBe(true);
        const isHit = await response.evaluate((one) => {
          const { left, top, width, height } = one.getBoundingClientRect();
          return document.elementFromPoint(left + width / 2, top + height / 2) === one;
        });
        expect(isHit, where).toBe(true);
        await expect
          .poll(async () => {
            const box = (await node('fetch').boundingBox())!;
            return box.y > 0 && box.y + box.height <= (await panelTop());
          })
          .toBe(true);
        await saveShot(page, `phone-failed-item-${where.startsWith('/workflows') ? 'editor' : 'execution'}`);
        // Below the panel is the run again.
        await page.getByRole('button', { name: 'Close panel' }).click();
        await panel.getByRole('button', { name: 'Collapse run panel' }).click();
        await panel.getByRole('button', { name: 'Expand run panel' }).click();
      }
    });

    test('a selected node is above its panel, and a run that starts is not covered', async () => {
      const id = await create(line);
      await openPage(page, `/workflows/${id}`);
      await node('start').click();
      await page.locator('#node-panel[data-node="start"]').waitFor();
      await expect
        .poll(async () => {
          const box = (await node('start').boundingBox())!;
          return box.y + box.height <= (await panelTop());
        })
        .toBe(true);
      await page.getByRole('button', { name: 'Run', exact: true }).click();
      const panel = page.getByRole('region', { name: 'Run', exact: true });
      await panel.getByText('completed', { exact: true }).waitFor();
      await expect.poll(() => page.locator('#node-panel').count()).toBe(0);
      // The buttons of a run share the line of its status, and the message has the whole width.
      const [status, close] = await Promise.all(
        [page.locator('.run-panel__standing'), page.getByRole('button', { name: 'Close run panel' })].map(
          async (one) => (await one.boundingBox())!,
        ),
      );
      expect(close!.y).toBeLessThan(status!.y + status!.height);
      await saveShot(page, 'phone-run');
    });
  });
});
