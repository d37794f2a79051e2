import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isChromiumMissing } from './support/chromium.ts';
import { openEditor, type TestEditor } from './support/editor.ts';
import { signIn } from './support/sign-in.ts';

describe.skipIf(isChromiumMissing)('the frame of the editor', () => {
  let editor: TestEditor;
  let origin = '';

  beforeAll(async () => {
    editor = await openEditor();
    ({ origin } = editor);
  });
  afterAll(() => editor?.close());

  test('leads to the login, then to where one wanted to go, and back out', async () => {
    const { page, context, pageErrors } = await editor.browser.open();
    await page.goto(`${origin}/settings/secrets?page=1`);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.getByLabel('Email').fill('admin@example.com');
    await page.getByLabel('Password').fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Password').fill(editor.service.password);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Secrets', level: 1 }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/settings/secrets');

    await page.getByRole('button', { name: 'Account menu of' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(pageErrors).toEqual([]);
    await context.close();
  });

  test('every link of the navigation opens a page, without an error and without a violation of the content security policy', async () => {
    const { page, context, pageErrors } = await editor.browser.open();
    await signIn(page, origin);
    const links = page.getByRole('navigation').getByRole('link');
    await expect.poll(() => links.count()).toBeGreaterThan(8);
    for (const link of await links.all()) {
      const word = await link.textContent();
      await link.click();
      await page.getByRole('heading', { name: word ?? '', level: 1 }).waitFor();
    }
    expect(pageErrors).toEqual([]);
    await context.close();
  });

  test('a theme that was chosen stays', async () => {
    const { page, context, pageErrors } = await editor.browser.open({ isDark: true });
    const background = (): Promise<string> =>
      page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    await signIn(page, origin);
    const dark = await background();
    await page.getByRole('button', { name: 'Account menu of' }).click();
    await page.getByRole('menuitem', { name: 'Light' }).click();
    await expect.poll(background).not.toBe(dark);
    const light = await background();
    await page.reload();
    await page.getByRole('heading', { name: 'Workflows', level: 1 }).waitFor();
    await expect.poll(() => background()).toBe(light);
    expect(pageErrors).toEqual([]);
    await context.close();
  });
});
