import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createStoringWorkflow, createVectorCollection } from '../../support/ai/vector-collection.ts';
import type { Call } from '../../support/service.ts';
import { listFindingsInBothThemes } from '../support/axe.ts';
import { isChromiumMissing } from '../support/chromium.ts';
import { openEditor, type TestEditor } from '../support/editor.ts';
import { saveShot } from '../support/shots.ts';
import { openPage, signIn } from '../support/sign-in.ts';

const PHONE = { width: 390, height: 844 };
const LONG_NAME = 'articles_of_the_help_center_in_all_languages_that_we_speak';

describe.skipIf(isChromiumMissing)('vector collections', () => {
  let editor: TestEditor;
  let api: Call;
  let view: Awaited<ReturnType<TestEditor['browser']['open']>>;
  let page: Page;

  beforeAll(async () => {
    editor = await openEditor();
    api = await editor.service.login();
    view = await editor.browser.open();
    page = view.page;
    await signIn(page, editor.origin, '/settings/vector-collections');
  });
  afterAll(() => editor?.close());
  beforeEach(() => () => expect(view.pageErrors).toEqual([]));

  /** The name of the control that has the focus. */
  const focused = (): Promise<string> =>
    page.evaluate(() => {
      const { activeElement: at } = document;
      return at?.getAttribute('aria-label') ?? at?.textContent ?? '';
    });
  const tabTo = async (name: string): Promise<void> => {
    for (let i = 0; i < 10 && (await focused()) !== name; i++) await page.keyboard.press('Tab');
    expect(await focused()).toBe(name);
  };
  const row = (name: string) => page.getByRole('row', { name });

  test('appear when a run of a workflow stores documents', async () => {
    await page.getByText('No vector collections yet').waitFor();
    expect(await listFindingsInBothThemes(page)).toEqual([]);
    const definition = createStoringWorkflow('support_articles', [
      { key: 'a', text: 'Opening hours', embedding: [1, 0] },
      { key: 'b', text: 'Returns', embedding: [0, 1] },
    ]);
    const { body } = await api('POST', '/workflows', { body: { name: 'Store articles', definition } });
    await openPage(page, `/workflows/${(body as { id: string }).id}`);
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('status').getByText('completed', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Vector collections' }).click();
    await row('support_articles').waitFor();
    expect(await row('support_articles').getByRole('cell').allTextContents()).toEqual(
      expect.arrayContaining(['support_articles', 'test-model', '2']),
    );
  });

  test('are found by name, and deleted with the keyboard', async () => {
    await createVectorCollection(api, LONG_NAME);
    await createVectorCollection(api, 'orders');
    await page.reload();
    await row('orders').waitFor();
    expect(await listFindingsInBothThemes(page)).toEqual([]);
    await saveShot(page, 'vector-collections');
    await page.getByLabel('Search names').click();
    await page.keyboard.type('ord');
    await expect.poll(() => page.getByRole('row').count()).toBe(2);
    await tabTo('Delete orders');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Delete “orders”?' }).waitFor();
    expect(await listFindingsInBothThemes(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await expect.poll(focused).toBe('Delete orders');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await tabTo('Delete');
    await page.keyboard.press('Enter');
    await page.getByText('No matching vector collections').waitFor();
    expect((await api('GET', '/vector-collections')).text).not.toContain('orders');
  });

  test('fit a phone', async () => {
    await page.setViewportSize(PHONE);
    await openPage(page, '/settings/vector-collections');
    await row(LONG_NAME).waitFor();
    expect(await listFindingsInBothThemes(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PHONE.width);
    await saveShot(page, 'vector-collections-phone');
  });
});
