import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTempFolder, type Call } from '../support/service.ts';
import { isChromiumMissing } from './support/chromium.ts';
import { openEditor, type TestEditor } from './support/editor.ts';
import { seed } from './support/seed.ts';
import { saveShot } from './support/shots.ts';
import { signIn } from './support/sign-in.ts';

describe.skipIf(isChromiumMissing)('the list of workflows', () => {
  const folder = createTempFolder();
  let editor: TestEditor;
  let api: Call;
  let view: Awaited<ReturnType<TestEditor['browser']['open']>>;

  beforeAll(async () => {
    editor = await openEditor();
    api = await editor.service.login();
    await seed(api);
    view = await editor.browser.open();
    await signIn(view.page, editor.origin);
  });
  afterAll(async () => {
    await editor?.close();
    folder.remove();
  });
  beforeEach(async () => {
    await view.page.goto(`${editor.origin}/workflows`);
    await view.page.getByRole('link', { name: 'Order intake' }).waitFor();
    return () => expect(view.pageErrors).toEqual([]);
  });

  const named = async (name: string): Promise<Record<string, unknown>> => {
    const { body } = await api('GET', `/workflows?limit=100&search=${encodeURIComponent(name)}`);
    const found = (body as { workflows: Record<string, unknown>[] }).workflows.find(
      (one) => one['name'] === name,
    );
    if (found === undefined) throw new Error(`There is no workflow ${name}.`);
    return found;
  };
  const more = async (name: string, item: string): Promise<void> => {
    await view.page.getByRole('button', { name: `More actions for ${name}`, exact: true }).click();
    await view.page.getByRole('menuitem', { name: item }).click();
  };

  test('filters are part of the URL, and Back restores them', async () => {
    const { page } = view;
    const rows = page.getByRole('row');
    await expect.poll(() => rows.count()).toBe(6);
    await page.keyboard.press('/');
    await page.keyboard.type('warehouse');
    await expect.poll(() => rows.count()).toBe(2);
    expect(page.url()).toContain('search=warehouse');
    await page.reload();
    await page.getByRole('link', { name: 'Order intake' }).waitFor();
    await expect.poll(() => rows.count()).toBe(2);
    await expect.poll(() => page.getByRole('searchbox').inputValue()).toBe('warehouse');
    await page.getByRole('searchbox').fill('nothing is like this');
    await page.getByRole('heading', { name: 'No matching workflows' }).waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await expect.poll(() => rows.count()).toBe(6);
    await page.getByRole('radio', { name: 'Drafts' }).click();
    await expect.poll(() => rows.count()).toBe(3);
    await page.getByRole('radio', { name: 'All' }).click();
    await page.getByRole('button', { name: 'Filter by tag finance' }).first().click();
    await expect.poll(() => rows.count()).toBe(3);
    expect(page.url()).toContain('tag=finance');
  });

  test('on a phone a long name stays in its row, beside the buttons, and the switch is level with its label', async () => {
    const { page } = view;
    const name = `Sync_${'orders_of_the_warehouse_'.repeat(4)}`;
    const { body } = await api('POST', '/workflows', { body: { name } });
    await page.setViewportSize({ width: 390, height: 844 });
    await page.reload();
    const row = page.getByRole('row', { name });
    const link = (await row.getByRole('link', { name }).boundingBox())!;
    const button = (await row.getByRole('button', { name: `Run ${name}` }).boundingBox())!;
    expect(link.x + link.width).toBeLessThanOrEqual(button.x);
    const centers = await row
      .getByRole('switch')
      .locator('xpath=ancestor::td')
      .evaluate((cell) =>
        [cell, cell.querySelector('[role=switch]')!].map((one) => {
          const { top, height } = one.getBoundingClientRect();
          return top + height / 2;
        }),
      );
    expect(Math.abs(centers[0]! - centers[1]!)).toBeLessThan(1);
    await saveShot(page, 'workflows-phone');
    await page.setViewportSize({ width: 1_440, height: 900 });
    await api('DELETE', `/workflows/${(body as { id: string }).id}`);
  });

  test('activating by mouse and by keyboard shows the errors that prevent it', async () => {
    const { page } = view;
    const toggle = page.getByRole('switch', { name: 'Activate Order intake' });
    await toggle.click();
    await expect.poll(async () => (await named('Order intake'))['status']).toBe('active');
    await toggle.focus();
    await page.keyboard.press('Space');
    await expect.poll(async () => (await named('Order intake'))['status']).toBe('inactive');

    await api('POST', '/workflows', {
      body: {
        name: 'Broken on purpose',
        definition: { nodes: [{ id: 'ask', type: 'http_request', config: {} }], connections: [] },
      },
    });
    await page.reload();
    await page.getByRole('switch', { name: 'Activate Broken on purpose' }).click();
    const dialog = page.getByRole('dialog', { name: '“Broken on purpose” cannot be activated' });
    await dialog.getByText('definition.nodes[0].config').first().waitFor();
    await page.keyboard.press('Escape');
    expect((await named('Broken on purpose'))['status']).toBe('draft');
  });

  test('a newer version that is not live yet is published', async () => {
    const { page } = view;
    const { id } = await named('Weekly report');
    const { body } = await api('GET', `/workflows/${String(id)}`);
    const { definition } = body as { definition: { nodes: { config: object }[] } };
    definition.nodes[2]!.config = { fields: { sum: 7 } };
    await api('PUT', `/workflows/${String(id)}`, { body: { definition, publish: false } });
    await page.reload();
    await page.getByRole('button', { name: /Publish v/ }).click();
    await page
      .getByText(/Version \d+ of “Weekly report” is published/)
      .first()
      .waitFor();
    const now = await named('Weekly report');
    expect(now['active_version']).toBe(now['version']);
  });

  test('is created, renamed, duplicated, exported, imported and deleted', async () => {
    const { page } = view;
    await page.getByRole('button', { name: 'New workflow' }).click();
    const form = page.getByRole('dialog', { name: 'New workflow' });
    await form.getByRole('button', { name: 'Create and open' }).click();
    await form.getByRole('alert').waitFor();
    await form.getByLabel('Name').fill('Born here');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/workflows\/wf_/);
    await page.goBack();

    await more('Born here', 'Edit details…');
    const details = page.getByRole('dialog', { name: 'Edit details' });
    await details.getByLabel('Tags').fill('one, two, one');
    await details.getByLabel('Name').fill('Born there');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Born there' }).waitFor();
    expect((await named('Born there'))['tags']).toEqual(['one', 'two']);

    await more('Born there', 'Duplicate');
    await page.getByRole('link', { name: 'Born there (copy)' }).waitFor();

    const downloading = page.waitForEvent('download');
    await more('Born there', 'Export as JSON');
    const download = await downloading;
    expect(download.suggestedFilename()).toBe('born-there.json');
    const file = path.join(folder.path, 'exported.json');
    await download.saveAs(file);
    const exported = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
    expect(Object.keys(exported)).toEqual(['name', 'description', 'definition', 'settings', 'tags']);
    writeFileSync(
      file,
      JSON.stringify([
        { ...exported, name: 'Came by file' },
        { ...exported, name: 'So did this' },
      ]),
    );

    await page.getByRole('button', { name: 'Import', exact: true }).click();
    const importing = page.getByRole('dialog', { name: 'Import workflows' });
    await importing.getByLabel('Or paste JSON').fill('{"name": "half');
    await importing.getByText(/Not valid JSON/).waitFor();
    await importing.locator('input[type=file]').setInputFiles(file);
    await importing.getByText('Came by file').waitFor();
    await importing.getByRole('button', { name: 'Import 2' }).click();
    await page.getByRole('link', { name: 'Came by file' }).waitFor();
    await page.getByRole('link', { name: 'So did this' }).waitFor();

    await more('So did this', 'Delete…');
    const deleting = page.getByRole('dialog', { name: 'Delete “So did this”?' });
    await deleting.getByRole('button', { name: 'Delete' }).click();
    await expect.poll(() => page.getByRole('link', { name: 'So did this' }).count()).toBe(0);
    // One that is on goes only by its name.
    await more('Welcome new customers', 'Delete…');
    const guarded = page.getByRole('dialog', { name: 'Delete “Welcome new customers”?' });
    await expect.poll(() => guarded.getByRole('button', { name: 'Delete' }).isDisabled()).toBe(true);
    await page.keyboard.press('Escape');
  });

  test('runs with an input, and shows what failed', async () => {
    const { page } = view;
    await page.getByRole('button', { name: 'Run Reconcile payments' }).click();
    const dialog = page.getByRole('dialog', { name: 'Run “Reconcile payments”' });
    await dialog.getByLabel('Input').fill('[]');
    await page.keyboard.press('Control+Enter');
    await dialog.getByText('must be a JSON object').waitFor();
    await dialog.getByLabel('Input').fill('{"bank": 10, "shop": 7}');
    await page.keyboard.press('Control+Enter');
    await dialog.getByText('difference:').first().waitFor();
    await dialog.getByLabel('Input').fill('{"bank": 10}');
    await dialog.getByRole('button', { name: 'Run again' }).click();
    await dialog.getByText('failed').first().waitFor();
    await dialog.getByRole('alert').first().waitFor();
    await expect.poll(() => dialog.getByRole('alert').first().textContent()).toContain('shop');
    await page.keyboard.press('Escape');
  });

  test('a dialog is closed by one Escape, whatever tooltip is in sight, and the focus goes back', async () => {
    const { page } = view;
    const opener = page.getByRole('button', { name: 'Import', exact: true });
    await opener.focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Import workflows' });
    await dialog.getByRole('button', { name: 'Close' }).hover();
    await page.getByRole('tooltip').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await expect.poll(() => opener.evaluate((it) => it === document.activeElement)).toBe(true);
    // All stops of the Tab key are in the dialog.
    await page.keyboard.press('Enter');
    await dialog.waitFor();
    for (let i = 0; i < 12; i++) {
      await page.keyboard.press('Tab');
      expect(await dialog.evaluate((it) => it.contains(document.activeElement))).toBe(true);
    }
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
  });
});
