import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTempFolder, type Call } from '../support/service.ts';
import { listFindingsInBothThemes } from './support/axe.ts';
import { isChromiumMissing } from './support/chromium.ts';
import { openEditor, type TestEditor } from './support/editor.ts';
import { seed } from './support/seed.ts';
import { saveShot } from './support/shots.ts';
import { signIn } from './support/sign-in.ts';

type Row = { id: string; name: string; status: string; tags: string[] };

describe.skipIf(isChromiumMissing)('deleting, selecting and sorting workflows', () => {
  const folder = createTempFolder();
  let editor: TestEditor;
  let api: Call;
  let view: Awaited<ReturnType<TestEditor['browser']['open']>>;
  let page: Page;

  beforeAll(async () => {
    editor = await openEditor();
    api = await editor.service.login();
    await seed(api);
    view = await editor.browser.open();
    page = view.page;
    await signIn(page, editor.origin);
  });
  afterAll(async () => {
    await editor?.close();
    folder.remove();
  });
  beforeEach(async () => {
    await page.goto(`${editor.origin}/workflows`);
    await link('Order intake').waitFor();
    return () => expect(view.pageErrors).toEqual([]);
  });

  const link = (name: string) => page.getByRole('link', { name, exact: true });
  const row = (name: string) => page.getByRole('row').filter({ has: link(name) });
  const select = (name: string) => page.getByRole('checkbox', { name: `Select ${name}`, exact: true });
  const bar = () => page.getByRole('region', { name: 'Selection' });
  /** Moves the pointer over the toast with this button, which stays as long as the pointer is there. */
  const keepToast = (button: string) => page.getByRole('button', { name: button, exact: true }).hover();
  const names = () => page.locator('a.table__main').allTextContents();
  const stored = async (query = ''): Promise<Row[]> =>
    ((await api('GET', `/workflows?limit=100${query}`)).body as { workflows: Row[] }).workflows;
  const named = async (name: string): Promise<Row | undefined> =>
    (await stored()).find((one) => one.name === name);
  const deleted = async (): Promise<string[]> =>
    ((await api('GET', '/workflows/deleted')).body as { workflows: Row[] }).workflows.map((one) => one.name);

  test('a deletion from the row is undone', async () => {
    await row('Import price list').hover();
    await page.getByRole('button', { name: 'Delete Import price list' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete “Import price list”?' });
    await dialog.getByText('can be restored from the trash for 30 days').waitFor();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await keepToast('Undo');
    await expect.poll(() => link('Import price list').count()).toBe(0);
    await expect.poll(deleted).toEqual(['Import price list']);
    await saveShot(page, 'trash-undo');
    await page.getByRole('button', { name: 'Undo' }).click();
    await link('Import price list').waitFor();
    expect(await deleted()).toEqual([]);
    expect((await named('Import price list'))?.status).toBe('draft');
  });

  test('an active workflow is deleted by its name; the trash restores and deletes', async () => {
    await row('Welcome new customers').hover();
    await page.getByRole('button', { name: 'Delete Welcome new customers' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete “Welcome new customers”?' });
    await expect.poll(() => dialog.getByRole('button', { name: 'Delete' }).isDisabled()).toBe(true);
    await dialog.getByRole('textbox').fill('Welcome new customers');
    await page.keyboard.press('Enter');
    await expect.poll(() => link('Welcome new customers').count()).toBe(0);

    await page.getByRole('link', { name: 'Trash' }).click();
    await page.waitForURL(/\/workflows\/deleted$/);
    const entry = page.getByRole('row').filter({ hasText: 'Welcome new customers' });
    await entry.getByText('30 days').waitFor();
    await entry.getByText('by you').waitFor();
    expect(await listFindingsInBothThemes(page)).toEqual([]);
    await saveShot(page, 'deleted-workflows-page');
    await page.getByRole('button', { name: 'Restore Welcome new customers' }).click();
    await page.getByRole('heading', { name: 'The trash is empty' }).waitFor();
    expect(await named('Welcome new customers')).toMatchObject({ status: 'inactive' });

    const { id } = (await named('Welcome new customers'))!;
    await api('POST', '/workflows', { body: { name: 'For good' } });
    const other = (await named('For good'))!.id;
    await api('DELETE', `/workflows/${other}`);
    await page.reload();
    await page.getByRole('button', { name: 'Delete permanently For good' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete permanently', exact: true }).click();
    await page.getByRole('heading', { name: 'The trash is empty' }).waitFor();
    expect(await deleted()).toEqual([]);
    await api('PUT', `/workflows/${id}`, { body: { status: 'active' } });
  });

  test('several workflows are selected and changed at once', async () => {
    await select('Import price list').click();
    await select('Reconcile payments').focus();
    await page.keyboard.press('Space');
    await bar().getByText('2 selected').waitFor();
    await saveShot(page, 'selection-bar');
    await bar().getByRole('button', { name: 'Add tag…' }).click();
    await page.getByRole('dialog').getByLabel('Tag').fill('review');
    await page.keyboard.press('Enter');
    await expect.poll(async () => (await stored('&tag=review')).length).toBe(2);
    await expect.poll(() => bar().count()).toBe(0);

    await page.getByRole('checkbox', { name: 'Select all on this page' }).click();
    const all = (await stored()).length;
    await bar().getByText(`${all} selected`).waitFor();
    const downloading = page.waitForEvent('download');
    await bar().getByRole('button', { name: 'Export' }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toBe('workflows.json');
    const file = path.join(folder.path, 'all.json');
    await download.saveAs(file);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toHaveLength(all);
    const active = (await stored('&status=active')).map((one) => one.name);
    await bar()
      .getByRole('button', { name: `Deactivate ${active.length}` })
      .click();
    await expect.poll(async () => (await stored('&status=active')).length).toBe(0);

    for (const name of active) await select(name).click();
    await bar()
      .getByRole('button', { name: `Activate ${active.length}` })
      .click();
    await expect.poll(async () => (await stored('&status=active')).length).toBe(active.length);

    for (const name of [active[0]!, 'Import price list']) await select(name).click();
    await bar().getByRole('button', { name: 'Delete…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete 2 workflows?' });
    await dialog.getByText('1 of these is active').waitFor();
    await dialog.getByRole('textbox').fill('delete 2');
    await page.keyboard.press('Enter');
    await keepToast('Undo');
    await expect.poll(async () => (await deleted()).length).toBe(2);
    await page.getByRole('button', { name: 'Undo' }).click();
    await keepToast('Activate');
    await expect.poll(async () => (await deleted()).length).toBe(0);
    // What was active is inactive, until it is activated again.
    await page.getByRole('button', { name: 'Activate', exact: true }).click();
    await expect.poll(async () => (await named(active[0]!))?.status).toBe('active');
  });

  test('the list is sorted by the titles of its columns and by the control, and filtered by tag', async () => {
    const expected = (await stored()).map((one) => one.name).toSorted((a, b) => a.localeCompare(b));
    await page.getByRole('button', { name: 'Name', exact: true }).click();
    await expect.poll(names).toEqual(expected);
    await expect
      .poll(() => page.getByRole('columnheader', { name: /Name/ }).getAttribute('aria-sort'))
      .toBe('ascending');
    await page.getByRole('button', { name: 'Name', exact: true }).click();
    await expect.poll(names).toEqual(expected.toReversed());
    expect(page.url()).toContain('sort=name&direction=desc');
    await page.reload();
    await expect.poll(names).toEqual(expected.toReversed());

    const { id } = (await named('Import price list'))!;
    await api('PUT', `/workflows/${id}`, { body: { description: 'Just changed' } });
    await page.getByLabel('Sort').selectOption('updated_at');
    await expect.poll(async () => (await names())[0]).toBe('Import price list');
    const ran = (await stored('&sort=last_execution')).map((one) => one.name);
    await page.getByLabel('Sort').selectOption('last_execution');
    await expect.poll(names).toEqual(ran);
    await page.getByLabel('Tag', { exact: true }).selectOption('finance');
    await expect.poll(async () => (await names()).length).toBe((await stored('&tag=finance')).length);
    await page.getByLabel('Tag', { exact: true }).selectOption('');
    await expect.poll(names).toEqual(ran);
  });

  test('the whole row opens the workflow, in a new tab with the middle button or Ctrl', async () => {
    const box = (await row('Order intake').boundingBox())!;
    const at = { x: box.x + box.width * 0.45, y: box.y + box.height - 4 };
    for (const opens of [
      () => page.mouse.click(at.x, at.y, { button: 'middle' }),
      async () => {
        await page.keyboard.down('Control');
        await page.mouse.click(at.x, at.y);
        await page.keyboard.up('Control');
      },
    ]) {
      const [tab] = await Promise.all([page.context().waitForEvent('page'), opens()]);
      await tab.waitForURL(/\/workflows\/wf_/);
      await tab.close();
      expect(page.url()).toBe(`${editor.origin}/workflows`);
    }
    await page.mouse.click(at.x, at.y);
    await page.waitForURL(/\/workflows\/wf_/);
  });

  test('the actions of a row appear with the keyboard and lead to its executions', async () => {
    const actions = row('Reconcile payments').locator('.table__row-actions');
    const opacity = () => actions.evaluate((it) => getComputedStyle(it).opacity);
    await page.mouse.move(0, 0);
    await expect.poll(opacity).toBe('0');
    await link('Reconcile payments').focus();
    await expect.poll(opacity).toBe('1');
    expect(await listFindingsInBothThemes(page)).toEqual([]);
    await page.getByRole('button', { name: 'Open executions of Reconcile payments' }).focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/executions\?workflow=wf_/);
    await page.goBack();
    await row('Reconcile payments').hover();
    await page.getByRole('button', { name: 'Duplicate Reconcile payments' }).click();
    await link('Reconcile payments (copy)').waitFor();
    const downloading = page.waitForEvent('download');
    await row('Reconcile payments').hover();
    await page.getByRole('button', { name: 'Export Reconcile payments', exact: true }).click();
    expect((await downloading).suggestedFilename()).toBe('reconcile-payments.json');
    await api('DELETE', `/workflows/${(await named('Reconcile payments (copy)'))!.id}?permanent=true`);
  });
});
