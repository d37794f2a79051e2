// How long a page of a list of 100,000 executions takes, until it is visible. Run on a quiet machine:
// node test/browser/perf/executions.ts [executions]
import { seed } from '../../../bench/seed.ts';
import { spawnService, createTempFolder } from '../../support/service.ts';
import { createSignedInApi } from '../support/caller.ts';
import { openBrowser } from '../support/chromium.ts';
import { signIn } from '../support/sign-in.ts';

const ROWS = Number(process.argv[2] ?? 100_000);
const TARGET_MS = 300;

const folder = createTempFolder();
try {
  const first = await spawnService({ dataDir: folder.path });
  const call = await createSignedInApi(new URL(first.url).origin);
  const workflows: string[] = [];
  for (let i = 0; i < 20; i++) {
    const nodes = [{ id: 'start', type: 'trigger', config: { triggerType: 'manual' } }];
    const made = await call('POST', '/workflows', {
      name: `Workflow ${i}`,
      definition: { nodes, connections: [] },
    });
    workflows.push(String(made['id']));
  }
  const { id: execution } = await call('POST', `/workflows/${workflows[0]}/execute`, { wait: '10s' });
  const { id: owner } = await call('GET', '/users/me');
  await first.stop();
  await seed({
    dataDir: folder.path,
    rows: ROWS,
    owner: String(owner),
    workflows,
    execution: String(execution),
  });
  const service = await spawnService({ dataDir: folder.path });
  const browser = await openBrowser();
  try {
    const { origin } = new URL(service.url);
    const { page, pageErrors } = await browser.open();
    await signIn(page, origin);
    await page.goto(`${origin}/executions`);
    await page.locator('.table__main').first().waitFor();
    const last = Math.ceil((ROWS + 1) / 25);
    const rows: object[] = [];
    let longest = 0;
    for (const where of [
      '?page=2',
      `?page=${Math.round(last / 2)}`,
      `?page=${last}`,
      '?status=failed',
      '?status=stopped&page=3',
      `?workflow=${workflows[0]}&page=100`,
      '?since=day&page=2',
    ]) {
      // As a link in the page does it: the address changes, the page asks and draws.
      const took: number[] = [];
      for (let i = 0; i < 3; i++) {
        await page.goto(`${origin}/executions`);
        await page.locator('.table__main').first().waitFor();
        await page.waitForTimeout(300);
        took.push(
          await page.evaluate(async (to) => {
            const before = document.querySelector('.table__main')?.getAttribute('href');
            const begin = performance.now();
            history.pushState(null, '', `/executions${to}`);
            while (document.querySelector('.table__main')?.getAttribute('href') === before)
              await new Promise((resolve) => requestAnimationFrame(resolve));
            return performance.now() - begin;
          }, where),
        );
      }
      const median = Math.round(took.toSorted((a, b) => a - b)[1]!);
      longest = Math.max(longest, median);
      rows.push({ page: where, 'median ms': median, 'longest ms': Math.round(Math.max(...took)) });
    }
    console.table(rows);
    if (pageErrors.length > 0) console.log(pageErrors);
    console.log(longest < TARGET_MS ? 'reached' : `not reached: each page within ${TARGET_MS} ms`);
  } finally {
    await browser.close();
    await service.stop();
  }
} finally {
  folder.remove();
}
