import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Call } from '../../support/service.ts';
import { makeWorkflow, getCenter, openCanvas, type CanvasPage } from '../support/canvas-page.ts';
import { isChromiumMissing } from '../support/chromium.ts';
import { openEditor, type TestEditor } from '../support/editor.ts';
import { saveShot } from '../support/shots.ts';

const at = (x: number, y = 0) => ({ position: { x, y } });

/** The texts of cards and edges before, during and after a run. */
describe.skipIf(isChromiumMissing)('cards and edges', () => {
  let editor: TestEditor;
  let call: Call;
  let upstream: Server;
  let origin: string;
  /** Answers that are held back until the test lets them go. */
  const held: (() => void)[] = [];
  let isHolding = false;
  let failures = 0;

  beforeAll(async () => {
    upstream = createServer((request, response) => {
      const respond = (): void =>
        void response.writeHead(200, { 'content-type': 'application/json' }).end('[1, 2]');
      if (request.url === '/after' && failures > 0) {
        failures--;
        response.writeHead(500).end();
      } else if (isHolding) held.push(respond);
      else respond();
    });
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
    editor = await openEditor({ WEFT_ALLOWED_HOSTS: origin.slice('http://'.length) });
    call = await editor.service.login();
  });
  afterAll(async () => {
    await editor?.close();
    upstream?.close();
  });

  const shot = ({ page }: CanvasPage, name: string): Promise<void> => saveShot(page, name);
  const words = async ({ node }: CanvasPage, id: string): Promise<string[]> => [
    (await node(id).locator('.step__name').textContent()) ?? '',
    (await node(id).locator('.step__type').textContent()) ?? '',
  ];
  const inView = async (canvas: CanvasPage, id: string): Promise<boolean> => {
    const board = (await canvas.board.boundingBox())!;
    const card = (await canvas.node(id).boundingBox())!;
    return (
      card.x >= board.x &&
      card.y >= board.y &&
      card.x + card.width <= board.x + board.width &&
      card.y + card.height <= board.y + board.height
    );
  };

  const orders = {
    nodes: [
      {
        id: 'trigger',
        type: 'trigger',
        config: { triggerType: 'webhook', endpoint: 'orders', method: 'POST' },
      },
      {
        id: 'condition',
        type: 'condition',
        config: { condition: { field: 'body.amount', operator: 'greater_than', value: 100 } },
      },
      {
        id: 'http_request',
        type: 'http_request',
        config: { method: 'POST', url: 'https://api.shop.com/orders' },
      },
      {
        id: 'http_request_2',
        type: 'http_request',
        config: { url: 'https://api.shop.com/item/{{ input.id }}' },
      },
      { id: 'respond', type: 'respond', config: {} },
    ],
    connections: [
      { from: 'trigger', to: 'condition' },
      { from: 'condition', to: 'http_request', sourcePort: 'true' },
      { from: 'condition', to: 'http_request_2', sourcePort: 'false' },
      { from: 'http_request', to: 'respond' },
      { from: 'trigger', to: 'respond' },
    ],
  };

  test('a card shows a readable title and what its node does; renaming starts from the title', async () => {
    const canvas = await openCanvas(editor, call, await makeWorkflow(call, orders));
    const { page, node } = canvas;
    await node('respond').waitFor();
    await shot(canvas, 'cards');
    await expect.poll(() => words(canvas, 'trigger')).toEqual(['Trigger', 'POST /orders']);
    await expect.poll(() => words(canvas, 'condition')).toEqual(['Condition', 'body.amount > 100']);
    await expect
      .poll(() => words(canvas, 'http_request'))
      .toEqual(['HTTP request', 'POST api.shop.com/orders']);
    await expect
      .poll(() => words(canvas, 'http_request_2'))
      .toEqual(['HTTP request 2', 'GET api.shop.com/item/{input.id}']);
    await node('http_request_2').dblclick();
    await expect.poll(() => page.getByLabel('Node name').inputValue()).toBe('HTTP request 2');
    await page.keyboard.press('Enter');
    await node('http_request_2').click();
    await page.getByRole('heading', { name: 'HTTP request 2', level: 2, exact: true }).waitFor();
    await page
      .locator('#node-panel')
      .getByRole('button', { name: /^General/ })
      .click();
    await expect.poll(() => page.getByLabel('ID', { exact: true }).inputValue()).toBe('http_request_2');
    await page.keyboard.press('Control+s');
    await canvas.saved();
    const stored = (await canvas.stored()).definition.nodes.find(({ id }) => id === 'http_request_2');
    expect(stored?.name).toBeUndefined();
    expect(canvas.pageErrors).toEqual([]);
    await canvas.close();
  });

  test('edges of first ports are straight, and no edge crosses a card', async () => {
    const canvas = await openCanvas(editor, call, await makeWorkflow(call, orders));
    const { page, node } = canvas;
    await node('respond').waitFor();
    const port = async (id: string, side: string): Promise<number> =>
      Math.round((await getCenter(node(id).locator(`.port--${side}`).first())).y);
    const main = await port('trigger', 'out');
    for (const id of ['condition', 'http_request', 'respond'])
      await expect.poll(() => port(id, 'in'), { message: id }).toBe(main);
    await expect.poll(() => port('condition', 'out')).toBe(main);
    // The edge from the trigger to the respond node passes two columns of cards.
    const crossed = await page.locator('.edge__path').evaluateAll((paths) =>
      (paths as unknown as SVGPathElement[]).flatMap((element) => {
        const matrix = element.getScreenCTM()!;
        const length = element.getTotalLength();
        const [from, , to] = JSON.parse(
          element.closest('.react-flow__edge')!.getAttribute('data-id')!,
        ) as string[];
        const found = new Set<string>();
        for (let i = 0; i <= 100; i++) {
          const { x, y } = element.getPointAtLength((length * i) / 100).matrixTransform(matrix);
          for (const card of document.querySelectorAll<HTMLElement>('.react-flow__node')) {
            const box = card.getBoundingClientRect();
            const id = card.dataset['id']!;
            if (id !== from && id !== to && x > box.left && x < box.right && y > box.top && y < box.bottom)
              found.add(`${from} → ${to} behind ${id}`);
          }
        }
        return [...found];
      }),
    );
    expect(crossed).toEqual([]);
    await canvas.close();
  });

  test('a loop shows its progress, an edge the items of a list, a node its attempts; the run panel covers none of them', async () => {
    const id = await makeWorkflow(call, {
      nodes: [
        { id: 'start', type: 'trigger', config: { triggerType: 'manual' }, ...at(0) },
        {
          id: 'list',
          type: 'code',
          config: { source: 'export default () => Array.from({ length: 6 }, (_, i) => ({ i }))' },
          ...at(320),
        },
        {
          id: 'for_each',
          type: 'for_each',
          config: { items: '{{ input }}', nodes: ['fetch'], concurrency: 2 },
          ...at(640),
        },
        { id: 'fetch', type: 'http_request', config: { url: origin } },
        {
          id: 'after',
          type: 'http_request',
          config: { url: `${origin}/after`, retryPolicy: { enabled: true, initialDelay: '10ms' } },
          ...at(1180, 400),
        },
      ],
      connections: [
        { from: 'start', to: 'list' },
        { from: 'list', to: 'for_each' },
        { from: 'for_each', to: 'after' },
      ],
    });
    const canvas = await openCanvas(editor, call, id);
    const { page, node } = canvas;
    expect(await page.locator('.canvas__map').count()).toBe(0);
    isHolding = true;
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await expect.poll(() => held.length).toBe(2);
    const state = node('for_each').locator('.step__run').first();
    await node('for_each').locator('.step__run--running').first().waitFor();
    await expect
      .poll(async () =>
        (await Promise.all(['start', 'for_each', 'after'].map((one) => inView(canvas, one)))).every(Boolean),
      )
      .toBe(true);
    const release = (): void => {
      for (const reply of held.splice(0)) reply();
    };
    release();
    await expect.poll(() => held.length).toBe(2);
    await expect.poll(() => state.textContent()).toMatch(/^2(\/6)?Running$/);
    await shot(canvas, 'loop-live');
    isHolding = false;
    failures = 1;
    release();
    await page
      .getByRole('region', { name: 'Run', exact: true })
      .getByText('completed', { exact: true })
      .first()
      .waitFor();
    await expect.poll(() => state.textContent()).toBe('6/6Completed');
    await expect.poll(() => page.locator('.edge__label').allTextContents()).toContain('6 items');
    await shot(canvas, 'loop-done');
    await node('after').getByText('2 tries').waitFor();
    expect(canvas.pageErrors).toEqual([]);
    await canvas.close();
  });
});
