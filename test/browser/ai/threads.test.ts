import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createRememberingWorkflow } from '../../support/ai/remembering-workflow.ts';
import type { Call } from '../../support/service.ts';
import { listFindingsInBothThemes } from '../support/axe.ts';
import { isChromiumMissing } from '../support/chromium.ts';
import { openEditor, type TestEditor } from '../support/editor.ts';
import { saveShot } from '../support/shots.ts';
import { signIn } from '../support/sign-in.ts';

describe.skipIf(isChromiumMissing)('the page of threads', () => {
  let editor: TestEditor;
  let api: Call;
  let view: Awaited<ReturnType<TestEditor['browser']['open']>>;

  beforeAll(async () => {
    editor = await openEditor();
    api = await editor.service.login();
    for (const key of ['ada@example.com', 'bob@example.com']) {
      const definition = createRememberingWorkflow(key);
      const { body } = await api('POST', '/workflows', { body: { name: `Support for ${key}`, definition } });
      const { id } = body as { id: string };
      for (let i = 0; i < 2; i++) await api('POST', `/workflows/${id}/execute`, { body: { wait: '20s' } });
    }
    view = await editor.browser.open();
    await signIn(view.page, editor.origin, '/threads');
  });
  afterAll(() => editor?.close());
  beforeEach(() => () => expect(view.pageErrors).toEqual([]));

  test('lists threads, shows one, and deletes one', async () => {
    const { page } = view;
    await page.getByRole('link', { name: 'ada@example.com', exact: true }).waitFor();
    expect(await listFindingsInBothThemes(page)).toEqual([]);
    await saveShot(page, 'threads');
    await page.getByLabel('Search keys').fill('bob');
    await expect.poll(() => page.getByRole('row').count()).toBe(2);
    await page.getByRole('link', { name: 'bob@example.com', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await expect.poll(() => dialog.getByText('Hello, too').count()).toBe(2);
    expect(await listFindingsInBothThemes(page)).toEqual([]);
    await saveShot(page, 'thread');
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await page.getByRole('button', { name: 'Delete bob@example.com' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No matching threads').waitFor();
    const { body } = await api('GET', '/threads');
    expect((body as { threads: { key: string }[] }).threads.map(({ key }) => key)).toEqual([
      'ada@example.com',
    ]);
  });

  test('fits a phone', async () => {
    const { page } = view;
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`${editor.origin}/threads`);
    await page.getByRole('link', { name: 'ada@example.com', exact: true }).click();
    await page.getByRole('dialog').getByText('Hello, too').first().waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    await saveShot(page, 'thread-phone');
  });
});
