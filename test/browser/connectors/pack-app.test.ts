import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { packFixture } from '../../support/packs/npm-pack.ts';
import type { Call } from '../../support/service.ts';
import { listFindingsInBothThemes } from '../support/axe.ts';
import { isChromiumMissing } from '../support/chromium.ts';
import { openEditor, type TestEditor } from '../support/editor.ts';
import { saveShot } from '../support/shots.ts';
import { signIn } from '../support/sign-in.ts';

const PHONE = { width: 390, height: 844 };
const DESKTOP = { width: 1440, height: 900 };

describe.skipIf(isChromiumMissing)('the app of a connector', () => {
  let editor: TestEditor;
  let api: Call;
  let view: Awaited<ReturnType<TestEditor['browser']['open']>>;
  let page: Page;

  beforeAll(async () => {
    editor = await openEditor({ WEFT_WEBHOOK_URL: 'https://hooks.example.com' });
    api = await editor.service.login();
    const archive = packFixture('demo').toString('base64');
    const installed = await api('POST', '/packs', { body: { archive } });
    expect(installed.status, installed.text).toBe(201);
    view = await editor.browser.open();
    page = view.page;
    await signIn(page, editor.origin, '/settings/connectors');
  });
  afterAll(() => editor?.close());
  beforeEach(() => () => expect(view.pageErrors).toEqual([]));

  const app = () => page.getByRole('region', { name: 'Events of an app' });
  const button = (name: string) => app().getByRole('button', { name, exact: true });
  const readApp = async () => (await api('GET', '/packs/demo/app')).body as { url?: string };

  test('is registered with a signing secret, and then has an address', async () => {
    await page.getByRole('link', { name: 'Demo' }).click();
    await app().waitFor();
    expect(await button('Save').isDisabled()).toBe(true);
    expect(await listFindingsInBothThemes(page)).toEqual([]);
    await app().getByLabel('Signing secret').click();
    await page.keyboard.type('signing-secret-1');
    await page.keyboard.press('Enter');
    await page.getByText('Signing secret saved', { exact: true }).waitFor();
    const { url } = await readApp();
    await app().getByText(url!).waitFor();
    expect(await app().getByLabel('New signing secret').inputValue()).toBe('');
    expect(await listFindingsInBothThemes(page)).toEqual([]);
    await saveShot(page, 'pack-app');
    // The fields stay within the card.
    const card = await app().locator('.card').boundingBox();
    const field = await app().getByLabel('New signing secret').boundingBox();
    expect(field!.x).toBeGreaterThan(card!.x + 8);
  });

  test('keeps its address when the secret is replaced', async () => {
    const before = await readApp();
    await app().getByLabel('New signing secret').fill('signing-secret-2');
    await button('Save').click();
    await expect.poll(() => app().getByLabel('New signing secret').inputValue()).toBe('');
    expect((await readApp()).url).toBe(before.url);
  });

  test('fits a phone', async () => {
    await page.setViewportSize(PHONE);
    await app().scrollIntoViewIfNeeded();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PHONE.width);
    expect(await listFindingsInBothThemes(page)).toEqual([]);
    await saveShot(page, 'pack-app-phone');
    await page.setViewportSize(DESKTOP);
  });

  test('is deleted after a confirmation', async () => {
    await button('Delete the app…').focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Delete the app?' });
    await dialog.waitFor();
    expect(await listFindingsInBothThemes(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect((await readApp()).url).toBeDefined();
    await button('Delete the app…').click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('App deleted', { exact: true }).waitFor();
    await app().getByLabel('Signing secret', { exact: true }).waitFor();
    expect((await api('GET', '/packs/demo/app')).status).toBe(404);
  });
});
