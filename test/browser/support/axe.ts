import axe from 'axe-core';
import type { Page } from 'playwright-core';

type Found = { id: string; help: string; where: string[] };

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
/** All that another theme changes. */
const COLORS = ['color-contrast'];

/** The violations that axe-core finds on the page: of WCAG 2.2 AA, or of the given rules. */
export async function runAxe(page: Page, rules: readonly string[] = []): Promise<Found[]> {
  // Evaluated by the debugger: the page's policy, which would refuse a script, is not touched.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source);
  return page.evaluate(
    async ({ tags, only }) => {
      const checker = (globalThis as unknown as { axe: typeof axe }).axe;
      // What lies under a dialog has been looked at without it.
      const part = [...document.querySelectorAll('[role="dialog"]')].at(-1) ?? document;
      const { violations } = await checker.run(part, {
        runOnly: only.length > 0 ? { type: 'rule', values: only } : { type: 'tag', values: tags },
        resultTypes: ['violations'],
        // The page has no style sheets, pictures or sound of other origins.
        preload: false,
      });
      return violations.map(({ id, help, nodes }) => ({
        id,
        help,
        where: nodes
          .slice(0, 3)
          .map(({ html, failureSummary }) => `${html.slice(0, 200)} ${failureSummary ?? ''}`),
      }));
    },
    { tags: TAGS, only: [...rules] },
  );
}

/** The violations in both themes: all rules in dark, colors in light. Leaves the light theme. */
export async function listFindingsInBothThemes(page: Page): Promise<(Found & { theme: string })[]> {
  const found: (Found & { theme: string })[] = [];
  for (const theme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme: theme });
    for (const one of await runAxe(page, theme === 'light' ? COLORS : [])) found.push({ ...one, theme });
  }
  return found;
}
