import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findingsInBothThemes, findingsOf } from './axe.ts';
import { hasNoChromium } from './chromium.ts';
import { openEditor, type TestEditor } from './editor.ts';
import { seed } from './seed.ts';
import { go, signIn } from './sign-in.ts';

/** Where, how to recognise that it is there, and what to do first. */
const PLACES: readonly [string, string, ((page: Page) => Promise<void>)?][] = [
  ['/workflows', 'Welcome new customers'],
  ['/workflows?search=nothing-is-like-this', 'No workflow is like that'],
  [
    '/workflows',
    'Name, description and tags',
    (page) => choose(page, 'More for Order intake', 'Name, description, tags'),
  ],
  ['/workflows', 'Import workflows', (page) => press(page, 'Import')],
  ['/workflows', 'completed', runWelcome],
  ['/templates', 'Runs as it is'],
  ['/templates', 'not stored yet', (page) => press(page, 'Use Uptime check')],
  ['/settings/api-keys', 'Nightly export'],
  ['/settings/api-keys', 'New API key', (page) => press(page, 'New key')],
  ['/settings/oauth-clients', 'Warehouse dashboard'],
  ['/settings/oauth-clients', 'New OAuth client', (page) => press(page, 'New client')],
  ['/settings/oauth-clients?tab=grants', 'You have allowed nothing'],
  ['/settings/secrets', 'CRM_TOKEN'],
  ['/settings/secrets', 'Delete “CRM_TOKEN”?', (page) => press(page, 'Delete CRM_TOKEN')],
  ['/settings/connections', 'github_work'],
  ['/settings/connections', 'Client secret', (page) => press(page, 'New connection')],
  ['/settings/users', 'ines@example.com'],
  ['/settings/users', 'New user', (page) => press(page, 'New user')],
  ['/settings/custom-nodes', 'parse_iban'],
  ['/settings/custom-nodes', 'export default', (page) => press(page, 'Register a node')],
  ['/settings/usage', 'requests'],
  ['/settings/system', 'Memory', (page) => page.getByText('The same in figures').click()],
  ['/settings/account', 'Current password'],
  ['/nowhere', 'There is nothing at this address'],
];

async function press(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name, exact: true }).click();
}

async function choose(page: Page, button: string, item: string): Promise<void> {
  await press(page, button);
  await page.getByRole('menuitem', { name: item }).click();
}

async function runWelcome(page: Page): Promise<void> {
  await press(page, 'Run Welcome new customers');
  await page.getByLabel('Input').fill('{"name": "Ada"}');
  await press(page, 'Run');
}

/** By way of another page, so that nothing of the place before is left. */
async function visit(
  page: Page,
  where: string,
  text: string,
  before?: (page: Page) => Promise<void>,
): Promise<void> {
  // A run is shown over whatever page there is.
  if ((await page.getByRole('dialog').count()) > 0) await page.keyboard.press('Escape');
  await go(page, '/on-the-way');
  await page.getByText('There is nothing at this address').waitFor();
  await go(page, where);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await before?.(page);
  await page.getByText(text).first().waitFor();
}

/** Two minutes for some fifty looks of axe-core, which takes up to a second for each. */
const LONG = 120_000;

describe.skipIf(hasNoChromium)('accessibility: nothing is found by axe-core', () => {
  let editor: TestEditor;
  beforeAll(async () => {
    editor = await openEditor();
    await seed(await editor.service.login());
  }, 60_000);
  afterAll(() => editor?.close());

  test(
    'in light and dark',
    async () => {
      const { page, context, faults } = await editor.browser.open();
      // By finding, so that what is on every page is told once.
      const found = new Map<string, string[]>();
      const look = async (where: string): Promise<void> => {
        for (const { theme, id, help, where: elements } of await findingsInBothThemes(page)) {
          const what = `${theme}: ${id}: ${help}: ${elements[0]}`;
          found.set(what, [...(found.get(what) ?? []), where]);
        }
      };
      await page.goto(`${editor.origin}/login`);
      await page.getByLabel('Email').waitFor();
      await look('/login');
      await signIn(page, editor.origin);
      for (const [where, text, before] of PLACES) {
        await visit(page, where, text, before);
        await look(`${where} ${text}`);
      }
      expect([...found]).toEqual([]);
      expect(faults).toEqual([]);
      await context.close();
    },
    LONG,
  );

  test(
    'on a narrow screen, where nothing is cut off',
    async () => {
      const { page, context, faults } = await editor.browser.open({ size: { width: 390, height: 844 } });
      await signIn(page, editor.origin);
      const tooWide: string[] = [];
      // Dialogs lie above the page, and cannot widen it.
      for (const [where, text] of PLACES.filter(([, , before]) => before === undefined)) {
        await visit(page, where, text);
        const [inner, whole] = await page.evaluate(() => [innerWidth, document.documentElement.scrollWidth]);
        if ((whole ?? 0) > (inner ?? 0)) tooWide.push(`${where} ${text}: ${whole} px`);
      }
      expect(tooWide).toEqual([]);
      await press(page, 'Menu');
      await page.getByRole('link', { name: 'Secrets' }).waitFor();
      expect(await findingsOf(page)).toEqual([]);
      expect(faults).toEqual([]);
      await context.close();
    },
    LONG,
  );
});
