import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { caller, type Call } from '../support/service.ts';
import { greeting } from '../api/definitions.ts';
import { listFindingsInBothThemes } from './support/axe.ts';
import { isChromiumMissing } from './support/chromium.ts';
import { openEditor, type TestEditor } from './support/editor.ts';
import { saveShot } from './support/shots.ts';
import { signIn, signInByForm } from './support/sign-in.ts';

const PHONE = { width: 390, height: 844 };

describe.skipIf(isChromiumMissing)('the audit log', () => {
  let editor: TestEditor;
  let api: Call;
  let view: Awaited<ReturnType<TestEditor['browser']['open']>>;
  let page: Page;

  beforeAll(async () => {
    editor = await openEditor();
    api = await editor.service.login();
    await api('POST', '/workflows', { body: { name: 'Orders to invoices', definition: greeting } });
    const user = { email: 'grace@example.com', password: 'a moth in relay seventy' };
    const { body } = await api('POST', '/users', { body: user });
    await api('PUT', `/users/${(body as { id: string }).id}`, { body: { role: 'admin' } });
    const login = { email: 'grace@example.com', password: 'wrong' };
    await caller(editor.service.url)('POST', '/auth/login', { body: login });
    view = await editor.browser.open();
    page = view.page;
    await signIn(page, editor.origin, '/settings/audit-log');
  });
  afterAll(() => editor?.close());
  beforeEach(() => () => expect(view.pageErrors).toEqual([]));

  test('shows what happened, filters it, and exports what the filters show', async () => {
    await page.getByRole('link', { name: 'User changed' }).waitFor();
    await page.getByRole('cell', { name: 'Refused' }).waitFor();
    expect(await listFindingsInBothThemes(page)).toEqual([]);
    await saveShot(page, 'audit-log');
    await page.getByLabel('Target', { exact: true }).selectOption('Users');
    await expect.poll(() => page.getByRole('row').count()).toBe(4);
    await page.getByLabel('User: email or id').fill('admin@example.com');
    await expect.poll(() => page.getByRole('row').count()).toBe(3);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('audit-events.jsonl');
    const lines = readFileSync(await download.path(), 'utf8')
      .trimEnd()
      .split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { action: string }).action)).toEqual([
      'user.created',
      'user.updated',
    ]);
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByLabel('Outcome').selectOption('Refused');
    await expect.poll(() => page.getByRole('row').count()).toBe(2);
    await page.getByRole('button', { name: 'Clear filters' }).click();
  });

  test('an event shows who, from where and what, and leads to the others of its target', async () => {
    await page.getByRole('link', { name: 'User changed' }).click();
    const dialog = page.getByRole('dialog', { name: 'User changed' });
    await dialog.getByText('user.updated').waitFor();
    await dialog.getByText('127.0.0.1').waitFor();
    await dialog.getByText('member').waitFor();
    expect(await listFindingsInBothThemes(page)).toEqual([]);
    await saveShot(page, 'audit-event');
    await dialog.getByRole('link', { name: 'Show all events of this target' }).click();
    await dialog.waitFor({ state: 'hidden' });
    // The user was created and changed, and a sign-in of the user was refused.
    await expect.poll(() => page.getByRole('row').count()).toBe(4);
  });

  test('fits a phone, and members do not see it', async () => {
    await page.setViewportSize(PHONE);
    await page.goto(`${editor.origin}/settings/audit-log`);
    await page.getByRole('link', { name: 'User changed' }).waitFor();
    expect(await listFindingsInBothThemes(page)).toEqual([]);
    await saveShot(page, 'audit-log-phone');
    const member = { email: 'mem@example.com', password: 'a moth in relay seventy' };
    await api('POST', '/users', { body: member });
    const other = await editor.browser.open();
    await signInByForm(other.page, editor.origin, member);
    await other.page.goto(`${editor.origin}/settings/audit-log`);
    await other.page.getByRole('heading', { name: 'Page not found' }).waitFor();
    expect(await other.page.getByRole('link', { name: 'Audit log' }).count()).toBe(0);
  });
});
