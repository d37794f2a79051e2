import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listFindingsInBothThemes } from './support/axe.ts';
import { createSignedInApi, type Api } from './support/caller.ts';
import { collectPageErrors, isChromiumMissing } from './support/chromium.ts';
import { openEditor, type TestEditor } from './support/editor.ts';
import { saveShot } from './support/shots.ts';
import { openPage, signIn } from './support/sign-in.ts';

describe.skipIf(isChromiumMissing)('runs of any size, and moving fast', () => {
  let editor: TestEditor;
  let upstream: Server;
  let page: Page;
  let pageErrors: string[];
  let call: Api;
  let loop: string;
  let failing: string;

  beforeAll(async () => {
    upstream = createServer((request, response) => {
      const isBroken = /\/(?:3|7|down)$/.test(request.url ?? '');
      response.writeHead(isBroken ? 503 : 200, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify(isBroken ? { error: 'database is read only', ticket: 'T-77' } : { ok: true }),
      );
    });
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
    const { port } = upstream.address() as AddressInfo;
    editor = await openEditor({ WEFT_ALLOWED_HOSTS: `127.0.0.1:${port}` });
    call = await createSignedInApi(editor.origin);
    await call('PUT', '/secrets/TOKEN', { value: 'a-token-that-nothing-shows' });
    const start = {
      id: 'start',
      type: 'trigger',
      position: { x: 0, y: 0 },
      config: { triggerType: 'manual' },
    };
    const create = async (name: string, definition: object): Promise<string> =>
      (await call('POST', '/workflows', { name, definition }))['id'] as string;
    loop = await create('Loop of orders', {
      nodes: [
        start,
        {
          id: 'each',
          type: 'for_each',
          position: { x: 320, y: 0 },
          config: { items: '{{ input.items }}', nodes: ['fetch_order_details'], onError: 'continue' },
        },
        {
          id: 'fetch_order_details',
          type: 'http_request',
          name: 'Fetch the details of the order',
          config: { url: `http://127.0.0.1:${port}/{{ item }}`, retryPolicy: { maxAttempts: 1 } },
        },
      ],
      connections: [{ from: 'start', to: 'each' }],
    });
    failing = await create('Failing call', {
      nodes: [
        start,
        {
          id: 'call',
          type: 'http_request',
          name: 'Call the shop',
          position: { x: 320, y: 0 },
          config: {
            method: 'POST',
            url: `http://127.0.0.1:${port}/down`,
            authentication: { type: 'bearer', token: '{{ secrets.TOKEN }}' },
            body: { order: 17 },
            retryPolicy: { maxAttempts: 3, initialDelay: '200ms' },
          },
        },
      ],
      connections: [{ from: 'start', to: 'call' }],
    });
    ({ page } = await editor.browser.open());
    pageErrors = collectPageErrors(page);
    await signIn(page, editor.origin, '/workflows');
  });
  afterAll(async () => {
    await editor?.close();
    upstream?.close();
  });

  const shot = (name: string): Promise<void> => saveShot(page, name);
  const panel = () => page.getByRole('region', { name: 'Run', exact: true });
  const rows = () => panel().locator('.timeline__row');
  const ran = async (workflow: string, input: object): Promise<string> => {
    const { id } = await call('POST', `/workflows/${workflow}/execute`, { input, wait: '30s' });
    return id as string;
  };

  test('a loop is one row; expanded, the failed iterations come first and show their own data', async () => {
    const id = await ran(loop, { items: Array.from({ length: 50 }, (_, i) => i) });
    await openPage(page, `/executions/${id}`);
    const summary = panel().getByRole('button', { name: /50 · 48 ok · 2 failed · slowest/ });
    await summary.waitFor();
    const card = page.locator('.react-flow__node[data-id="fetch_order_details"] .step__run--failed');
    await expect.poll(() => card.textContent()).toBe('2/502 of 50 runs failed');
    await expect.poll(() => rows().count()).toBe(2);
    await expect.poll(() => summary.getAttribute('aria-expanded')).toBe('false');
    await shot('loop-folded');
    await summary.focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => rows().count()).toBe(52);
    const texts = await rows().allTextContents();
    expect(texts.slice(2, 5).map((text) => /\[\d+\]/.exec(text)?.[0])).toEqual(['[3]', '[7]', '[0]']);
    await shot('loop-open');
    expect(await listFindingsInBothThemes(page)).toEqual([]);
    await rows().nth(3).click();
    await page.locator('#node-panel').getByText('database is read only').first().waitFor();
    await expect
      .poll(() => page.locator('#node-panel select').inputValue())
      .toBe('each[7]/fetch_order_details');
    await summary.click();
    await expect.poll(() => rows().count()).toBe(2);
  });

  test('on a phone a name has a line of its own', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    const id = await ran(loop, { items: [1, 2] });
    await openPage(page, `/executions/${id}`);
    const name = rows()
      .filter({ hasText: 'Fetch the details' })
      .first()
      .locator('.timeline__name > .truncate');
    await name.waitFor();
    await expect.poll(() => name.evaluate((one) => one.scrollWidth <= one.clientWidth)).toBe(true);
    // The buttons share the line of the status; the views have the next line.
    const [status, collapse, views] = await Promise.all(
      [
        page.locator('.run-panel__standing'),
        page.getByRole('button', { name: 'Collapse run panel' }),
        page.locator('.run-panel .segments'),
      ].map(async (one) => (await one.boundingBox())!),
    );
    expect(collapse!.y).toBeLessThan(status!.y + status!.height);
    expect(views!.y).toBeGreaterThan(status!.y + status!.height - 1);
    await shot('timeline-phone');
    await page.setViewportSize({ width: 1_440, height: 900 });
  });

  test('a failed card shows the cause in one click, and leads to the field', async () => {
    await openPage(page, `/workflows/${failing}`);
    const card = page.locator('.react-flow__node[data-id="call"]');
    await card.waitFor();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await panel().getByText('failed', { exact: true }).first().waitFor({ timeout: 30_000 });
    const row = rows().filter({ hasText: 'Call the shop' });
    await row.locator('.timeline__bar--pause').nth(1).waitFor();
    await expect.poll(() => row.locator('.timeline__bar--failed').count()).toBe(3);
    await expect
      .poll(() => row.locator('.timeline__bar--failed').nth(1).getAttribute('title'))
      .toMatch(/^Try 2 of 3: .*503/);
    await card.click();
    const details = page.locator('#node-panel');
    await details.getByText('The service itself failed.').waitFor();
    await details.getByText('database is read only').waitFor();
    const request = details.getByRole('region', { name: 'Request', exact: true });
    await request.getByText('POST').waitFor();
    await request.getByText('•••').waitFor();
    expect(await details.textContent()).not.toContain('a-token-that-nothing-shows');
    await shot('failed-card');
    expect(await listFindingsInBothThemes(page)).toEqual([]);

    await openPage(page, `/workflows/${failing}?node=call&field=config.url`);
    await expect
      .poll(() =>
        page.evaluate(() => document.activeElement?.closest('[data-field]')?.getAttribute('data-field')),
      )
      .toBe('config.url');
    expect(new URL(page.url()).search).toBe('');
  });

  test('keys typed while the command palette loads go to it, and not to the field that had the focus', async () => {
    const { page: other, context } = await editor.browser.open();
    await signIn(other, editor.origin, `/workflows/${failing}`);
    await other.locator('.react-flow__node[data-id="call"]').click();
    const url = other.getByLabel('URL', { exact: true });
    const before = await url.inputValue();
    await url.focus();
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    await other.route('**/*.js', async (route) => {
      await held;
      await route.continue();
    });
    await other.keyboard.press('Control+k');
    await other.keyboard.type('se');
    release();
    const palette = other.getByRole('dialog', { name: 'Command palette' });
    await palette.waitFor();
    await other.keyboard.type('cr');
    await palette.getByRole('option', { name: /Secrets/, selected: true }).waitFor();
    await expect.poll(() => palette.getByRole('combobox').inputValue()).toBe('secr');
    await other.keyboard.press('Escape');
    await expect.poll(() => url.inputValue()).toBe(before);
    await expect.poll(() => url.evaluate((field) => field === document.activeElement)).toBe(true);
    await context.close();
  });

  test('the command palette by keyboard: a node, a workflow, an action, a page', async () => {
    const palette = page.getByRole('dialog', { name: 'Command palette' });
    const input = page.getByRole('combobox', { name: 'Command palette' });
    const find = async (text: string): Promise<void> => {
      await page.keyboard.press('Control+k');
      await input.waitFor();
      await shot('palette');
      await page.keyboard.type(text);
    };
    await find('shop');
    await palette.getByRole('option', { name: /Call the shop/, selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await palette.waitFor({ state: 'hidden' });
    await page.getByRole('heading', { name: 'Call the shop', level: 2 }).waitFor();

    await find('lo or');
    await palette.getByRole('option', { name: /Loop of orders/, selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/workflows/${loop}`);
    await page.locator('.react-flow__node[data-id="each"]').waitFor();

    const before = await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    await find('dark');
    await palette.getByRole('option', { name: /Toggle dark mode/, selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await expect
      .poll(() => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor))
      .not.toBe(before);
    await find('secr');
    await shot('palette-dark');
    await palette.getByRole('option', { name: /Secrets/, selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Secrets', level: 1 }).waitFor();

    await find('new wor');
    await palette.getByRole('option', { name: /New workflow/, selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'New workflow' }).waitFor();
    await page.keyboard.press('Control+k');
    expect(await palette.count()).toBe(0);
    await page.keyboard.press('Escape');

    await page.getByRole('dialog', { name: 'New workflow' }).waitFor({ state: 'hidden' });
    await page.keyboard.press('Control+k');
    await input.waitFor();
    expect(await listFindingsInBothThemes(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await find('zzz');
    await palette.getByText('No results').waitFor();
    await page.keyboard.press('Escape');
    await palette.waitFor({ state: 'hidden' });
    expect(pageErrors).toEqual([]);
  });
});
