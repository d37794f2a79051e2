import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isChromiumMissing } from './support/chromium.ts';
import { openEditor, type TestEditor } from './support/editor.ts';
import { signIn, signInByForm } from './support/sign-in.ts';

describe.skipIf(isChromiumMissing)('when the service goes away', () => {
  let editor: TestEditor;
  beforeAll(async () => {
    editor = await openEditor();
  });
  afterAll(() => editor?.close());

  test('an outage is shown, unsaved changes are kept, and the page catches up afterwards', async () => {
    const { page, context } = await editor.browser.open();
    await signIn(page, editor.origin);
    const api = await editor.service.login();
    await api('POST', '/workflows', { body: { name: 'There before' } });
    await page.reload();
    await page.getByRole('link', { name: 'There before' }).waitFor();
    await page.getByRole('button', { name: 'New workflow' }).click();
    const form = page.getByRole('dialog', { name: 'New workflow' });
    await form.getByLabel('Name').fill('Written meanwhile');

    await editor.service.kill9();
    await page.getByText('Connection lost').waitFor();
    await form.getByRole('button', { name: 'Create and open' }).click();
    await form.getByText('Cannot reach the server.').waitFor();

    await editor.restart((again) =>
      again('POST', '/workflows', { body: { name: 'Created by another user' } }),
    );
    await expect.poll(() => form.getByLabel('Name').inputValue()).toBe('Written meanwhile');
    // Behind the dialog the list has caught up.
    await page.getByText('Created by another user').waitFor();
    await form.getByRole('button', { name: 'Create and open' }).click();
    await page.waitForURL(/\/workflows\/wf_/);
    await context.close();
  });

  test('an expired session is renewed in a dialog, and the page stays', async () => {
    const { page, context } = await editor.browser.open();
    await signIn(page, editor.origin);
    await page.getByRole('button', { name: 'New workflow' }).click();
    await page.getByLabel('Name').fill('Not lost');
    // Elsewhere: a new password ends all other sessions.
    const api = await editor.service.login();
    const users = (await api('GET', '/users')).body as { users: { id: string }[] };
    await api('PUT', `/users/${users.users[0]?.id}`, { body: { password: 'quite another password' } });

    const login = page.getByRole('dialog', { name: 'Your session has expired' });
    // When the live connection ends first, the dialog already covers the button.
    await page
      .getByRole('button', { name: 'Create and open' })
      .click({ timeout: 10_000 })
      .catch(() => login.waitFor());
    await login.getByLabel('Password').fill('quite another password');
    await login.getByRole('button', { name: 'Sign in' }).click();
    await expect.poll(() => login.count()).toBe(0);
    await expect.poll(() => page.getByLabel('Name').inputValue()).toBe('Not lost');
    await page.getByRole('button', { name: 'Create and open' }).click();
    await page.waitForURL(/\/workflows\/wf_/);
    await context.close();
  });

  test('two tabs share a login, its renewal and its end', async () => {
    const { page, context, pageErrors } = await editor.browser.open();
    await signInByForm(page, editor.origin, {
      email: 'admin@example.com',
      password: 'quite another password',
    });
    const second = await context.newPage();
    await second.goto(`${editor.origin}/settings/account`);
    await second.getByText('administrator').first().waitFor();
    // The token is about to expire: both tabs need a new one. Usually one renews it for both. Browsers may
    // show another process's write to localStorage after its lock is released; then the second tab renews
    // too, with the same result.
    const stored = (): Promise<string> => page.evaluate(() => localStorage.getItem('weft.login') ?? '');
    const cookie = async (): Promise<string> => (await context.cookies())[0]?.value ?? '';
    const renewals: string[] = [];
    context.on('request', (request) => {
      if (request.url().endsWith('/auth/session/refresh')) renewals.push(request.url());
    });
    const before = await cookie();
    await page.evaluate(
      (text) => {
        const session = JSON.parse(text) as { expiresAt: number };
        localStorage.setItem('weft.login', JSON.stringify({ ...session, expiresAt: Date.now() + 1_000 }));
      },
      await stored(),
    );
    await Promise.all([page.reload(), second.reload()]);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await second.getByText('administrator').first().waitFor();
    await expect.poll(cookie).not.toBe(before);
    expect(renewals.length).toBeOneOf([1, 2]);
    await page.getByRole('button', { name: 'Account menu of' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await second.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(pageErrors).toEqual([]);
    await context.close();
  });
});
