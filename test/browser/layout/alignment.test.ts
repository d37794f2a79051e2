import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createSignedInApi, type Api } from '../support/caller.ts';
import { isChromiumMissing } from '../support/chromium.ts';
import { openEditor, type TestEditor } from '../support/editor.ts';
import { seed } from '../support/seed.ts';
import { saveShot } from '../support/shots.ts';
import { openPage, signIn } from '../support/sign-in.ts';

const DESKTOP = { width: 1440, height: 900 };
/** px. */
const TOLERANCE = 1;

const agent = {
  nodes: [
    { id: 'start', type: 'trigger', position: { x: 0, y: 0 }, config: { triggerType: 'manual' } },
    {
      id: 'agent',
      type: 'agent',
      position: { x: 320, y: 0 },
      config: {
        prompt: 'Order A-17?',
        model: ['chat'],
        tools: [{ name: 'find_order', description: 'Finds an order.', parameters: {}, nodes: ['find'] }],
      },
    },
    { id: 'chat', type: 'set', config: { fields: { text: 'Hello', usage: {} } } },
    { id: 'find', type: 'set', config: { fields: { state: 'sent' } } },
  ],
  connections: [{ from: 'start', to: 'agent' }],
};

/** Positions and sizes on the pages of the editor. */
describe.skipIf(isChromiumMissing)('alignment', () => {
  let editor: TestEditor;
  let call: Api;
  let page: Page;
  let pageErrors: string[];

  beforeAll(async () => {
    editor = await openEditor();
    const api = await editor.service.login();
    await seed(api);
    call = await createSignedInApi(editor.origin);
    ({ page, pageErrors } = await editor.browser.open({ size: DESKTOP }));
    await signIn(page, editor.origin, '/workflows');
  });
  afterAll(() => editor?.close());
  beforeEach(() => () => expect(pageErrors).toEqual([]));

  const box = async (of: Locator) => {
    const { x, y, width, height } = (await of.boundingBox())!;
    return { left: x, right: x + width, top: y, bottom: y + height, middle: y + height / 2 };
  };

  test('the filters of executions and the button that clears them are in one line', async () => {
    await openPage(page, '/executions?status=failed');
    const clear = page.getByRole('button', { name: 'Clear filters' });
    await clear.waitFor();
    const search = await box(page.getByRole('searchbox', { name: 'Search by id or error' }));
    expect(Math.abs((await box(clear)).middle - search.middle)).toBeLessThanOrEqual(TOLERANCE);
  });

  test('the selected part of a control is the lightest in both themes', async () => {
    await openPage(page, '/workflows');
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      const [track, selected] = await page.getByRole('radio', { name: 'All', exact: true }).evaluate((one) =>
        [one.parentElement!, one].map((element) => {
          const [red = 0, green = 0, blue = 0] =
            getComputedStyle(element).backgroundColor.match(/\d+/g)?.map(Number) ?? [];
          return red + green + blue;
        }),
      );
      expect(selected, colorScheme).toBeGreaterThan(track!);
    }
    await page.emulateMedia({ colorScheme: 'light' });
  });

  test('the names of plans are the same on each page', async () => {
    for (const where of ['/settings/account', '/settings/usage', '/settings/users']) {
      await openPage(page, where);
      await page
        .getByRole('main')
        .getByText(/^(Plan: )?Enterprise$/)
        .first()
        .waitFor();
    }
  });

  test('items of a list have the whole width, and their buttons are in the line of the title', async () => {
    const id = (await call('POST', '/workflows', { name: 'Agent', definition: agent }))['id'] as string;
    await openPage(page, `/workflows/${id}?node=agent`);
    const panel = page.locator('#node-panel[data-node="agent"]');
    await panel.getByRole('button', { name: 'Remove tool 1' }).waitFor();
    const whole = await box(panel.locator('.section__body').first());
    const model = await box(panel.getByLabel('Model node 1', { exact: true }));
    const padding = 12;
    expect(whole.right - model.right).toBeLessThanOrEqual(padding + TOLERANCE);
    for (const [title, remove] of [
      [panel.getByText('Model node 1', { exact: true }).first(), 'Remove model node 1'],
      [panel.getByRole('button', { name: 'Tool 1', exact: true }), 'Remove tool 1'],
    ] as const) {
      const button = await box(panel.getByRole('button', { name: remove }));
      expect(Math.abs(button.middle - (await box(title)).middle), remove).toBeLessThanOrEqual(2 * TOLERANCE);
    }
    await saveShot(page, 'list-items');
  });

  test('in German, the list of workflows fits its page, with the buttons of its rows', async () => {
    await page.evaluate(() => localStorage.setItem('weft.language', 'de'));
    await page.goto(`${editor.origin}/workflows`);
    await page.getByRole('link', { name: 'Order intake' }).waitFor();
    for (const width of [1440, 1280]) {
      await page.setViewportSize({ ...DESKTOP, width });
      const frame = page.locator('.table-frame');
      expect(await frame.evaluate((one) => one.scrollWidth - one.clientWidth), `${width} px`).toBe(0);
    }
    await saveShot(page, 'workflows-german');
  });
});
