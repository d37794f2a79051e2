// Pictures of the editor with sample data: `node test/browser/support/screenshots.ts [folder] [--all]`.
// Without --all the four main pages for docs/images; with it every page, wide and narrow, light and dark;
// with --empty an empty service.
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { openEditor } from './editor.ts';
import { seed } from './seed.ts';
import { runOrder } from './seed-order.ts';
import { openPage, signIn } from './sign-in.ts';

const SIZES = { wide: { width: 1440, height: 900 }, narrow: { width: 390, height: 844 } };
const PAGES: Readonly<Record<string, string>> = {
  workflows: '/workflows',
  // A run of an order, with one node open.
  editor: '/workflows/ID?run=RUN&node=price',
  executions: '/executions',
  templates: '/templates',
  'api-keys': '/settings/api-keys',
  'oauth-clients': '/settings/oauth-clients',
  secrets: '/settings/secrets',
  connections: '/settings/connections',
  users: '/settings/users',
  'custom-nodes': '/settings/custom-nodes',
  connectors: '/settings/connectors',
  connector: '/settings/connectors/pet_store',
  usage: '/settings/usage',
  'model-usage': '/settings/model-usage',
  system: '/settings/system',
  account: '/settings/account',
  'not-found': '/nowhere',
};
/** Dialogs, by the button that opens them. */
const DIALOGS: Readonly<Record<string, [string, string]>> = {
  'custom-node': ['/settings/custom-nodes', 'New custom node'],
  'add-connector': ['/settings/connectors', 'Add connector'],
  'template-use': ['/templates', 'Use Uptime check'],
  run: ['/workflows', 'Run Welcome new customers'],
  'api-key': ['/settings/api-keys', 'New API key'],
  'oauth-client': ['/settings/oauth-clients', 'New OAuth client'],
  import: ['/workflows', 'Import'],
  connection: ['/settings/connections', 'New connection'],
};
const MAIN = ['workflows', 'editor', 'executions', 'system'];
/** ms for charts and pictures that come a little later. */
const SETTLE_TIME_MS = 400;
/** ms until a chart has a few points. */
const CHART_TIME_MS = 9_000;

const args = process.argv.slice(2);
const isEmpty = args.includes('--empty');
const isAll = isEmpty || args.includes('--all');
const only = args
  .find((arg) => arg.startsWith('--only='))
  ?.slice(7)
  .split(',');
const folder = path.resolve(
  args.find((arg) => !arg.startsWith('--')) ?? path.join(import.meta.dirname, '../../../docs/images'),
);
mkdirSync(folder, { recursive: true });

const editor = await openEditor({ WEFT_LOG_LEVEL: 'error' });
try {
  const api = await editor.service.login();
  if (!isEmpty) await seed(api);
  const order = isEmpty ? null : await runOrder(api, editor.origin);
  for (const isDark of [false, true]) {
    for (const [sizeName, size] of Object.entries(SIZES)) {
      if (!isAll && sizeName !== 'wide') continue;
      const { page, context, pageErrors } = await editor.browser.open({ size, isDark });
      const shot = async (name: string): Promise<void> => {
        const file = isAll
          ? `${name}-${sizeName}-${isDark ? 'dark' : 'light'}`
          : `${name}-${isDark ? 'dark' : 'light'}`;
        await page.waitForTimeout(SETTLE_TIME_MS);
        await page.screenshot({ path: path.join(folder, `${file}.png`), animations: 'disabled' });
      };
      await page.goto(`${editor.origin}/login`);
      if (isAll && only === undefined) await shot('login');
      await signIn(page, editor.origin);
      for (const [name, where] of Object.entries(PAGES)) {
        if (only === undefined ? !isAll && !MAIN.includes(name) : !only.includes(name)) continue;
        if (isEmpty && name === 'editor') continue;
        await openPage(page, where.replace('ID', order?.id ?? '').replace('RUN', order?.run ?? ''));
        await page.waitForLoadState('networkidle', { timeout: 2_000 }).catch(() => {});
        if (name === 'editor') {
          await page.locator('.react-flow__node').first().waitFor();
          if (sizeName === 'wide') {
            await page.getByRole('button', { name: 'Fit view' }).click();
            // The button must not look pressed.
            await page.mouse.move(size.width / 2, size.height / 4);
          }
        }
        if (name === 'system' && !isEmpty) await page.waitForTimeout(CHART_TIME_MS);
        await shot(name);
      }
      for (const [name, [where, button]] of Object.entries(DIALOGS)) {
        if (isEmpty || (only === undefined ? !isAll : !only.includes(name))) continue;
        await page.goto(`${editor.origin}${where}`);
        await page.getByRole('button', { name: button, exact: true }).click();
        await shot(name);
      }
      if (pageErrors.length > 0) console.error(pageErrors);
      await context.close();
    }
  }
} finally {
  await editor.close();
}
