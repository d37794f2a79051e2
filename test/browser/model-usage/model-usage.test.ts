import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startModelServer, type ModelServer } from '../../support/ai/model-server.ts';
import { listFindingsInBothThemes } from '../support/axe.ts';
import { isChromiumMissing } from '../support/chromium.ts';
import { openEditor, type TestEditor } from '../support/editor.ts';
import { saveShot } from '../support/shots.ts';
import { signIn } from '../support/sign-in.ts';

const PHONE = { width: 390, height: 844 };

describe.skipIf(isChromiumMissing)('the usage of models', () => {
  let editor: TestEditor;
  let models: ModelServer;
  let view: Awaited<ReturnType<TestEditor['browser']['open']>>;
  let page: Page;
  let run: () => Promise<string>;
  let workflow: string;
  let readSettings: () => Promise<Record<string, unknown>>;

  beforeAll(async () => {
    models = await startModelServer(() => ({ text: 'Done.', tokens: [2_000, 500] }));
    editor = await openEditor();
    const api = await editor.service.login();
    const created = await api('POST', '/workflows', {
      body: {
        name: 'Summarize mails',
        definition: {
          nodes: [
            { id: 'start', type: 'trigger', config: { triggerType: 'manual' } },
            {
              id: 'chat',
              type: 'llm',
              config: { provider: 'openai_compatible', baseUrl: models.url, model: 'm-1', prompt: 'x' },
            },
          ],
          connections: [{ from: 'start', to: 'chat' }],
        },
      },
    });
    const { id } = created.body as { id: string };
    workflow = id;
    readSettings = async () =>
      ((await api('GET', `/workflows/${id}`)).body as { settings: Record<string, unknown> }).settings;
    run = async () => {
      const started = await api('POST', `/workflows/${id}/execute`, { body: { wait: '20s' } });
      return (started.body as { id: string }).id;
    };
    await run();
    view = await editor.browser.open();
    page = view.page;
    await signIn(page, editor.origin, '/settings/model-usage');
  });
  afterAll(async () => {
    await editor?.close();
    await models?.close();
  });
  beforeEach(() => () => expect(view.pageErrors).toEqual([]));

  const row = async (name: string | RegExp): Promise<string[]> =>
    page.getByRole('row', { name }).first().getByRole('cell').allTextContents();

  test('is shown by day, workflow, model and user', async () => {
    const today = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' }).format();
    await page.getByRole('rowheader', { name: today }).waitFor();
    expect(await row('Total')).toEqual(['1', '2,000', '500', '–']);
    await page.getByText('not included in the cost: 1').waitFor();
    await page.getByRole('radio', { name: 'Workflow' }).click();
    await page.getByRole('link', { name: 'Summarize mails' }).waitFor();
    await page.getByRole('radio', { name: 'User' }).click();
    await page.getByRole('rowheader', { name: 'admin@example.com' }).waitFor();
    await page.getByRole('radio', { name: 'Model' }).click();
    await page.getByRole('rowheader', { name: 'openai_compatible/m-1' }).waitFor();
    expect(await listFindingsInBothThemes(page)).toEqual([]);
  });

  test('has the prices that an administrator edits, and later runs show their cost', async () => {
    await page.getByText('No prices yet').waitFor();
    await page.getByRole('button', { name: 'Edit prices' }).click();
    await page.getByRole('button', { name: 'Add price' }).click();
    await page.getByLabel('Model of price 1').fill('gpt');
    await page.getByLabel('Input of price 1', { exact: true }).fill('10');
    await page.getByLabel('Output of price 1').fill('20');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('must be provider/model').waitFor();
    expect(await page.getByText('prices[0]').count()).toBe(0);
    await saveShot(page, 'model-prices-error');
    await page.getByLabel('Model of price 1').fill('openai_compatible/*');
    expect(await page.getByText('must be provider/model').count()).toBe(0);
    expect(await listFindingsInBothThemes(page)).toEqual([]);
    await saveShot(page, 'model-prices');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('rowheader', { name: 'openai_compatible/*' }).waitFor();
    const execution = await run();
    await page.reload();
    await expect.poll(() => row('Total')).toEqual(['2', '4,000', '1,000', '$0.03']);
    await saveShot(page, 'model-usage');
    await page.setViewportSize(PHONE);
    expect(await listFindingsInBothThemes(page)).toEqual([]);
    const cost = await page.getByRole('columnheader', { name: 'Cost' }).boundingBox();
    expect(cost!.x + cost!.width).toBeLessThanOrEqual(PHONE.width);
    await saveShot(page, 'model-usage-phone');
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto(`${editor.origin}/executions/${execution}`);
    await page.getByText('2,500 tokens, $0.03').waitFor();
    await saveShot(page, 'model-usage-execution');
  });

  test('is limited per day by the budget of a workflow', async () => {
    await page.goto(`${editor.origin}/workflows/${workflow}`);
    const open = async (): Promise<void> => {
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Daily budget…' }).click();
      await page.getByText('Used today: 5,000 tokens, $0.03').waitFor();
    };
    await open();
    await page.getByLabel('US dollars a day').fill('2.5');
    await page.getByLabel('Tokens a day').fill('2000000000000');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('must be at most 1,000,000,000,000').waitFor();
    expect(await listFindingsInBothThemes(page)).toEqual([]);
    await saveShot(page, 'daily-budget');
    await page.getByLabel('Tokens a day').fill('100000');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Budget saved', { exact: true }).waitFor();
    expect(await readSettings()).toMatchObject({ max_cost_per_day: 2.5, max_tokens_per_day: 100_000 });
    await open();
    expect(await page.getByLabel('US dollars a day').inputValue()).toBe('2.5');
    await page.getByLabel('US dollars a day').fill('');
    await page.getByLabel('Tokens a day').fill('');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect.poll(readSettings).toMatchObject({ max_cost_per_day: null, max_tokens_per_day: null });
  });
});
