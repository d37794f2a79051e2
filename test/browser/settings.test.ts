import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Call } from '../support/service.ts';
import { isChromiumMissing } from './support/chromium.ts';
import { openEditor, type TestEditor } from './support/editor.ts';
import { saveShot } from './support/shots.ts';
import { openPage, signIn, signInByForm } from './support/sign-in.ts';

describe.skipIf(isChromiumMissing)('the settings', () => {
  let editor: TestEditor;
  let api: Call;
  let view: Awaited<ReturnType<TestEditor['browser']['open']>>;

  beforeAll(async () => {
    editor = await openEditor();
    api = await editor.service.login();
    view = await editor.browser.open();
    await signIn(view.page, editor.origin);
  });
  afterAll(() => editor?.close());
  beforeEach(() => () => expect(view.pageErrors).toEqual([]));

  const press = (name: string) => view.page.getByRole('button', { name, exact: true }).first().click();

  test('an API key: made with a scope, shown once, works, and is revoked', async () => {
    const { page } = view;
    await openPage(view.page, '/settings/api-keys');
    await press('New API key');
    const form = page.getByRole('dialog', { name: 'New API key' });
    await form.getByLabel('Name', { exact: true }).fill('From the page');
    await form.getByRole('checkbox', { name: 'workflows:read' }).check();
    await form.getByRole('button', { name: 'Create key' }).click();
    const shown = page.getByRole('dialog', { name: 'API key “From the page”' });
    const key = (await shown.locator('code').textContent()) ?? '';
    const asked = (path: string): Promise<number> =>
      fetch(`${editor.service.url}${path}`, { headers: { 'x-api-key': key } }).then(({ status }) => status);
    expect([await asked('/workflows'), await asked('/executions')]).toEqual([200, 403]);
    // Escape would lose what is never shown again.
    await page.keyboard.press('Escape');
    await shown.getByRole('button', { name: 'I have saved it' }).click();
    await press('Revoke From the page');
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke', exact: true }).click();
    await page.getByRole('heading', { name: 'No API keys yet' }).waitFor();
    expect(await asked('/workflows')).toBe(401);
  });

  test('a secret: a wrong name is reported at its field', async () => {
    const { page } = view;
    await openPage(view.page, '/settings/secrets');
    await press('New secret');
    const form = page.getByRole('dialog', { name: 'New secret' });
    await form.getByLabel('Name').fill('two words');
    await form.getByLabel('Value', { exact: true }).fill('hush');
    await page.keyboard.press('Enter');
    await form.getByRole('alert').waitFor();
    await form.getByLabel('Name').fill('TWO_WORDS');
    await form.getByLabel('Allowed hosts').fill('api.example.com');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Delete TWO_WORDS' }).waitFor();
    const { body } = await api('GET', '/secrets');
    expect(body).toMatchObject({ secrets: [{ name: 'TWO_WORDS', hosts: ['api.example.com'] }] });
    await press('Delete TWO_WORDS');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('heading', { name: 'No secrets yet' }).waitFor();
  });

  test('a user: made, raised to another plan, signs in and sees no users', async () => {
    const { page } = view;
    await openPage(view.page, '/settings/users');
    await press('New user');
    const form = page.getByRole('dialog', { name: 'New user' });
    await form.getByLabel('Email').fill('new@example.com');
    await form.getByLabel('Password').fill('short');
    await form.getByRole('button', { name: 'Create' }).click();
    await form.getByRole('alert').waitFor();
    await form.getByLabel('Password').fill('long enough for everybody');
    await form.getByRole('button', { name: 'Create' }).click();
    await page.getByText('new@example.com').first().waitFor();
    await press('Edit new@example.com');
    await page.getByRole('dialog').getByLabel('Plan').selectOption('pro');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('cell', { name: 'Pro', exact: true }).waitFor();

    const other = await editor.browser.open();
    await signInByForm(other.page, editor.origin, {
      email: 'new@example.com',
      password: 'long enough for everybody',
    });
    await other.page.getByRole('link', { name: 'Usage', exact: true }).click();
    await other.page.getByText('of 10,000 requests').waitFor();
    expect(await other.page.getByRole('link', { name: 'Users' }).count()).toBe(0);
    await other.page.goto(`${editor.origin}/settings/users`);
    await other.page.getByRole('heading', { name: 'Page not found' }).waitFor();
    expect(other.pageErrors).toEqual([]);
    await other.context.close();
  });

  test('a custom node: compile errors, two versions, deletion', async () => {
    const { page } = view;
    await openPage(view.page, '/settings/custom-nodes');
    await press('New custom node');
    const form = page.getByRole('dialog', { name: 'New custom node' });
    await form.getByLabel('Name', { exact: true }).fill('count_words');
    const code = form.getByRole('textbox', { name: 'Handler' });
    await code.click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('}}');
    const testRun = form.getByRole('region', { name: 'Test run' });
    await testRun.getByRole('button', { name: 'Test' }).click();
    await testRun.getByText(/Unexpected/).waitFor();
    await form.getByRole('button', { name: 'Create' }).click();
    await form.getByText(/does not compile/).waitFor();
    const right = 'export default ({ text }) => ({ words: text.length });';
    // Keys go to whatever has the focus: where they came too early they are pressed again.
    await expect
      .poll(async () => {
        await code.click();
        await page.keyboard.press('Control+a');
        // Chromium itself would merge the lines that are replaced, with styles that the policy refuses.
        await page.keyboard.press('Delete');
        await page.keyboard.insertText(right);
        return code.textContent();
      })
      .toBe(right);
    // The error of the former code has gone.
    await expect.poll(() => form.getByText(/does not compile/).count()).toBe(0);
    await testRun.getByRole('button', { name: 'Test' }).click();
    await testRun.getByRole('status').getByText('words').waitFor();
    // The length of "some text".
    await expect.poll(() => testRun.getByRole('status').textContent()).toMatch(/words.*9/);
    await saveShot(page, 'custom-node-test');
    await form.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('cell', { name: '1.0.0' }).waitFor();

    await press('New version of count_words');
    const next = page.getByRole('dialog', { name: 'New version of count_words' });
    await expect.poll(() => next.getByLabel('Version').inputValue()).toBe('1.0.1');
    const newer = next.getByRole('textbox', { name: 'Handler' });
    await expect.poll(() => newer.textContent()).toBe(right);
    await newer.click();
    await page.keyboard.press('Control+End');
    await page.keyboard.insertText(' // in characters');
    await next.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('cell', { name: '1.0.1' }).waitFor();
    await press('Versions of count_words');
    const versions = page.getByRole('dialog', { name: 'Versions of count_words' });
    await versions.getByRole('cell', { name: '1.0.0' }).waitFor();
    await page.keyboard.press('Escape');
    await press('Delete count_words');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('heading', { name: 'No custom nodes yet' }).waitFor();
  });

  test('an OAuth client and a connection are made and shown', async () => {
    const { page } = view;
    await openPage(view.page, '/settings/oauth-clients');
    await press('New OAuth client');
    const form = page.getByRole('dialog', { name: 'New OAuth client' });
    await form.getByLabel('Name', { exact: true }).fill('Dashboard');
    await form.getByLabel('Redirect URIs').fill('https://app.example.com/back');
    await form.getByRole('checkbox', { name: 'workflows:read' }).check();
    await form.getByRole('button', { name: 'Create' }).click();
    const shown = page.getByRole('dialog', { name: 'OAuth client “Dashboard”' });
    await expect.poll(() => shown.locator('code').count()).toBe(2);
    await shown.getByRole('button', { name: 'I have saved it' }).click();
    await page.getByText('Dashboard').first().waitFor();

    await openPage(view.page, '/settings/connections');
    await press('New connection');
    const connection = page.getByRole('dialog', { name: 'Connect an account' });
    await connection.getByText(`${editor.origin}/v1/connections/callback`).waitFor();
    await connection.getByLabel('Name').fill('github_work');
    await connection.getByLabel('Client ID').fill('Iv1.abc');
    const [popup] = await Promise.all([
      page.context().waitForEvent('page'),
      connection.getByRole('button', { name: 'Connect', exact: true }).click(),
    ]);
    const waiting = page.getByRole('dialog', { name: 'Sign in to GitHub' });
    await waiting.getByRole('button', { name: 'Later' }).click();
    await popup.close();
    await page.getByText('Needs sign-in').waitFor();
  });

  test('the charts of the service update automatically', async () => {
    const { page } = view;
    await openPage(view.page, '/settings/system');
    await page.getByText('Show as table').click();
    const rows = page.getByRole('table').getByRole('row');
    await expect.poll(() => rows.count()).toBeGreaterThan(1);
    await page.getByRole('img', { name: /^Memory, last 10 minutes; current value \d+ MB/ }).waitFor();
  });
});
