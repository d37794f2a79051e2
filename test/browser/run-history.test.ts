import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { waitUntil, type Call } from '../support/service.ts';
import { listFindingsInBothThemes } from './support/axe.ts';
import { isChromiumMissing } from './support/chromium.ts';
import { openEditor, type TestEditor } from './support/editor.ts';
import { signIn } from './support/sign-in.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

describe.skipIf(isChromiumMissing)('the run history', () => {
  let editor: TestEditor;
  let api: Call;
  let view: Awaited<ReturnType<TestEditor['browser']['open']>>;
  let orders: string;
  let unused: string;
  /** When the executions ran, in epoch ms. */
  let ran: number;

  const create = async (name: string): Promise<string> => {
    const response = await api('POST', '/workflows', {
      body: {
        name,
        definition: {
          nodes: [
            { id: 'start', type: 'trigger', config: { triggerType: 'manual' } },
            {
              id: 'check',
              type: 'condition',
              position: { x: 200, y: 0 },
              config: { condition: { field: 'fail', operator: 'equals', value: true } },
            },
            {
              id: 'halt',
              type: 'stop',
              position: { x: 400, y: 0 },
              config: { outcome: 'failed', message: 'The shelf is empty' },
            },
          ],
          connections: [
            { from: 'start', to: 'check' },
            { from: 'check', sourcePort: 'true', to: 'halt' },
          ],
        },
      },
    });
    expect(response.status, response.text).toBe(201);
    return (response.body as { id: string }).id;
  };

  beforeAll(async () => {
    editor = await openEditor();
    api = await editor.service.login();
    orders = await create('Count orders');
    unused = await create('Never run');
    // All executions are in one interval of an hour.
    await waitUntil(
      () => Promise.resolve(Date.now()),
      (now) => now % HOUR_MS < HOUR_MS - 30_000,
      60_000,
    );
    ran = Date.now();
    for (const fail of [true, false, false, false]) {
      const response = await api('POST', `/workflows/${orders}/execute`, {
        body: { input: { fail }, wait: '20s' },
      });
      expect(response.status, response.text).toBe(201);
    }
    await waitUntil(
      async () => (await api('GET', `/workflows/${orders}/statistics`)).body,
      (found) => (found as { totals: { completed: number } }).totals.completed === 3,
    );
    view = await editor.browser.open();
    await signIn(view.page, editor.origin);
  });
  afterAll(async () => {
    await editor?.close();
  });
  beforeEach(() => () => expect(view.pageErrors).toEqual([]));
  const slider = () => view.page.getByRole('slider', { name: /^Interval of the charts/ });

  /** Moves to the interval of the executions: the last one, or the one before it after the hour has ended. */
  const selectInterval = async (): Promise<void> => {
    await slider().press('End');
    const text = () => slider().getAttribute('aria-valuetext');
    await expect.poll(text).toMatch(/completed|No executions/);
    if ((await text())?.includes('No executions') === true) await slider().press('ArrowLeft');
  };

  test('is reached from the editor, and Enter on an interval lists its executions', async () => {
    const { page } = view;
    await page.goto(`${editor.origin}/workflows/${orders}`);
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Run history' }).click();
    await page.getByRole('heading', { name: 'Run history', level: 1 }).waitFor();
    await page.getByText('Count orders').waitFor();
    const vitals = page.locator('.vitals');
    await expect
      .poll(() => vitals.innerText())
      .toMatch(/Executions\s+4\s+Success rate\s+75\s?%\s+Failed\s+1\s/);
    for (const name of ['Executions', 'Success rate', 'Duration'])
      await page.getByRole('region', { name, exact: true }).locator('canvas').waitFor();

    await selectInterval();
    await expect
      .poll(() => slider().getAttribute('aria-valuetext'))
      .toMatch(/3 completed · 1 failed · 75\s?% success · p50/);
    await page.keyboard.press('Home');
    await expect.poll(() => slider().getAttribute('aria-valuetext')).toContain('No executions');
    await expect.poll(() => slider().getAttribute('aria-valuenow')).toBe('0');
    await selectInterval();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Executions', level: 1 }).waitFor();
    await expect.poll(() => page.locator('tbody').getByRole('row').count()).toBe(4);
    expect(page.url()).toMatch(/workflow=.*&from=.*&to=/);
    await page.getByRole('button', { name: /clear time range/ }).click();
    await expect.poll(() => page.url()).not.toContain('from=');
    await page.getByRole('link', { name: 'Run history' }).click();
    await page.getByRole('heading', { name: 'Run history', level: 1 }).waitFor();
  });

  test('the pointer shows the values of a bar, and a click lists its executions', async () => {
    const { page } = view;
    await page.goto(`${editor.origin}/workflows/${orders}/history?range=30d`);
    const chart = page.getByRole('region', { name: 'Executions', exact: true }).locator('.u-over');
    await chart.waitFor();
    const { width, height } = (await chart.boundingBox())!;
    // The last of thirty days, or the one before it after midnight.
    const daysPassed = Math.floor(Date.now() / DAY_MS) - Math.floor(ran / DAY_MS);
    const position = { x: width * ((29.5 - daysPassed) / 30), y: height / 2 };
    await chart.hover({ position });
    await page.getByText(/\(UTC\) · 3 completed · 1 failed/).waitFor();
    await chart.hover({ position: { x: 4, y: height / 2 } });
    await page.getByText(/\(UTC\) · No executions/).waitFor();
    await chart.click({ position });
    await page.getByRole('heading', { name: 'Executions', level: 1 }).waitFor();
    await expect.poll(() => page.locator('tbody').getByRole('row').count()).toBe(4);
  });

  test('ranges are part of the URL, and the table has the values', async () => {
    const { page } = view;
    await page.goto(`${editor.origin}/workflows/${orders}/history`);
    await page.getByRole('radio', { name: '7 days' }).click();
    await expect.poll(() => page.url()).toContain('range=7d');
    await expect.poll(() => slider().getAttribute('aria-valuemax')).toBe('167');
    await page.getByRole('radio', { name: '90 days' }).click();
    await expect.poll(() => slider().getAttribute('aria-valuemax')).toBe('89');
    await page.getByText('Show as table').click();
    const row = page.getByRole('region', { name: 'Run history' }).locator('tbody').getByRole('row');
    await expect.poll(() => row.count()).toBe(1);
    expect((await row.getByRole('cell').allInnerTexts()).slice(0, 4)).toEqual([
      '3',
      '1',
      '0',
      expect.stringMatching(/^75/),
    ]);
    await row.getByRole('link').click();
    await page.getByRole('heading', { name: 'Executions', level: 1 }).waitFor();
  });

  test('a workflow without executions, and a missing workflow', async () => {
    const { page } = view;
    await page.goto(`${editor.origin}/workflows/${unused}/history`);
    await page.getByText('No executions in the last 24 hours').waitFor();
    view.pageErrors.length = 0;
    await page.goto(`${editor.origin}/workflows/wf_missing/history`);
    await page.getByRole('alert').waitFor();
    view.pageErrors.length = 0;
  });

  test('the System page shows the past of all workflows, after a restart too', async () => {
    const { page } = view;
    await page.goto('about:blank');
    await editor.service.stop();
    await editor.restart();
    await page.goto(`${editor.origin}/settings/system`);
    const section = page.getByRole('region', { name: 'Your executions' });
    await expect.poll(() => section.locator('.vitals').innerText()).toMatch(/Executions\s+4\s/);
    await page.getByText(/^Live, since/).waitFor();
  });

  test('has no accessibility findings', async () => {
    const { page } = view;
    await page.goto(`${editor.origin}/workflows/${orders}/history`);
    await slider().waitFor();
    await page.getByText('Show as table').click();
    expect(await listFindingsInBothThemes(page)).toEqual([]);
  });
});
