import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listFindingsInBothThemes, runAxe } from './support/axe.ts';
import { isChromiumMissing } from './support/chromium.ts';
import { openEditor, type TestEditor } from './support/editor.ts';
import { seed } from './support/seed.ts';
import { openPage, signIn } from './support/sign-in.ts';

/** Where, how to recognize that it is there, and what to do first. */
const PLACES: readonly [string, string, ((page: Page) => Promise<void>)?][] = [
  ['/workflows', 'Welcome new customers'],
  ['/workflows?search=nothing-is-like-this', 'No matching workflows'],
  ['/workflows', 'Edit details', (page) => choose(page, 'More actions for Order intake', 'Edit details…')],
  ['/workflows', 'Import workflows', (page) => press(page, 'Import')],
  ['/workflows', 'completed', runWelcome],
  ['/executions?status=failed', '1 selected', selectAll],
  ['/executions?status=failed', 'will be retried', retryAll],
  ['/templates', 'Ready to run'],
  ['/templates', 'Not created yet', (page) => press(page, 'Use Uptime check')],
  ['/settings/api-keys', 'Nightly export'],
  ['/settings/api-keys', 'New API key', (page) => press(page, 'New API key')],
  ['/settings/oauth-clients', 'Warehouse dashboard'],
  ['/settings/oauth-clients', 'New OAuth client', (page) => press(page, 'New OAuth client')],
  ['/settings/oauth-clients?tab=grants', 'No authorized applications'],
  ['/settings/secrets', 'CRM_TOKEN'],
  ['/settings/secrets', 'Delete “CRM_TOKEN”?', (page) => press(page, 'Delete CRM_TOKEN')],
  ['/settings/connections', 'github_work'],
  ['/settings/connections', 'Client secret', (page) => press(page, 'New connection')],
  ['/settings/users', 'ines@example.com'],
  ['/settings/audit-log', 'User created'],
  ['/settings/users', 'New user', (page) => press(page, 'New user')],
  ['/settings/custom-nodes', 'parse_iban'],
  ['/settings/custom-nodes', 'export default', (page) => press(page, 'New custom node')],
  ['/settings/connectors', 'Pet Store'],
  ['/settings/connectors', 'Choose a file', (page) => press(page, 'Add connector')],
  ['/settings/connectors', 'A connector that a workflow uses', (page) => press(page, 'Remove Pet Store')],
  ['/settings/connectors/pet_store', '3 operations'],
  ['/settings/usage', 'requests'],
  ['/settings/model-usage', 'No prices yet'],
  ['/settings/model-usage', 'Add price', (page) => press(page, 'Edit prices')],
  ['/settings/system', 'Memory', showTables],
  ['/settings/account', 'Current password'],
  ['/nowhere', 'Page not found'],
];

async function showTables(page: Page): Promise<void> {
  for (const summary of await page.getByText('Show as table').all()) await summary.click();
}

async function press(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name, exact: true }).click();
}

async function choose(page: Page, button: string, item: string): Promise<void> {
  await press(page, button);
  await page.getByRole('menuitem', { name: item }).click();
}

async function selectAll(page: Page): Promise<void> {
  await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
}

async function retryAll(page: Page): Promise<void> {
  await selectAll(page);
  await press(page, 'Retry 1…');
}

async function runWelcome(page: Page): Promise<void> {
  await press(page, 'Run Welcome new customers');
  await page.getByLabel('Input').fill('{"name": "Ada"}');
  await press(page, 'Run');
}

/** Where it is the page of before, by way of another one, so that nothing is left of it. */
async function visit(
  page: Page,
  where: string,
  text: string,
  before?: (page: Page) => Promise<void>,
): Promise<void> {
  // A run is shown over whatever page there is.
  if ((await page.getByRole('dialog').count()) > 0) await page.keyboard.press('Escape');
  if (where.split('?')[0] === new URL(page.url()).pathname) {
    await openPage(page, '/on-the-way');
    await page.getByText('Page not found').waitFor();
  }
  await openPage(page, where);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await before?.(page);
  await page.getByText(text).first().waitFor();
}

/** A phone; and a window of 1,440 by 900 pixels at a zoom of 200 %, which has half as many CSS pixels. */
const SMALL_SIZES = { phone: { width: 390, height: 844 }, zoom: { width: 720, height: 450 } };

/** For a hundred looks of axe-core, which takes up to a second for each, and longer on a busy machine. */
const LONG_TIMEOUT_MS = 300_000;

describe.skipIf(isChromiumMissing)('accessibility: nothing is found by axe-core', () => {
  let editor: TestEditor;
  beforeAll(async () => {
    editor = await openEditor();
    await seed(await editor.service.login());
  });
  afterAll(() => editor?.close());

  test(
    'in light and dark',
    async () => {
      const { page, context, pageErrors } = await editor.browser.open();
      // By finding, so that an element of every page is listed once.
      const found = new Map<string, string[]>();
      const look = async (where: string): Promise<void> => {
        for (const { theme, id, help, where: elements } of await listFindingsInBothThemes(page)) {
          const what = `${theme}: ${id}: ${help}: ${elements[0]}`;
          found.set(what, [...(found.get(what) ?? []), where]);
        }
      };
      const tooWide: string[] = [];
      /** On a phone and at 200 % zoom, nothing is found either, and a page does not scroll to the side. */
      const lookWhenSmall = async (where: string, isPage: boolean): Promise<void> => {
        for (const [name, size] of Object.entries(SMALL_SIZES)) {
          await page.setViewportSize(size);
          for (const { id, help, where: elements } of await runAxe(page)) {
            const what = `${name}: ${id}: ${help}: ${elements[0]}`;
            found.set(what, [...(found.get(what) ?? []), where]);
          }
          const [inner, whole] = await page.evaluate((): [number, number] => [
            innerWidth,
            document.documentElement.scrollWidth,
          ]);
          // Dialogs lie above the page, and cannot widen it.
          if (isPage && whole > inner) tooWide.push(`${name}: ${where}: ${whole} px`);
        }
        await page.setViewportSize({ width: 1440, height: 900 });
      };
      await page.goto(`${editor.origin}/login`);
      await page.getByLabel('Email').waitFor();
      await look('/login');
      await signIn(page, editor.origin);
      for (const [where, text, before] of PLACES) {
        await visit(page, where, text, before);
        await look(`${where} ${text}`);
        await lookWhenSmall(`${where} ${text}`, before === undefined);
      }
      expect([...found]).toEqual([]);
      expect(tooWide).toEqual([]);
      expect(pageErrors).toEqual([]);
      await context.close();
    },
    LONG_TIMEOUT_MS,
  );

  test(
    'the menu of a narrow screen',
    async () => {
      const { page, context, pageErrors } = await editor.browser.open({ size: { width: 390, height: 844 } });
      await signIn(page, editor.origin);
      await press(page, 'Menu');
      await page.getByRole('link', { name: 'Secrets' }).waitFor();
      expect(await runAxe(page)).toEqual([]);
      expect(pageErrors).toEqual([]);
      await context.close();
    },
    LONG_TIMEOUT_MS,
  );
});
