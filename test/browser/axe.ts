import axe from 'axe-core';
import type { Page } from 'playwright-core';

type Found = { id: string; help: string; where: string[] };

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** What axe-core has to say against the page as it is now, by the rules of WCAG 2.2 AA. */
export async function findingsOf(page: Page): Promise<Found[]> {
  // Evaluated by the debugger: the page's policy, which would refuse a script, is not touched.
  await page.evaluate(axe.source);
  return page.evaluate(async (tags) => {
    const checker = (globalThis as unknown as { axe: typeof axe }).axe;
    const { violations } = await checker.run(document, { runOnly: { type: 'tag', values: tags } });
    return violations.map(({ id, help, nodes }) => ({
      id,
      help,
      where: nodes
        .slice(0, 3)
        .map(({ html, failureSummary }) => `${html.slice(0, 200)} ${failureSummary ?? ''}`),
    }));
  }, TAGS);
}
