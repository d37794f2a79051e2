// How long the first page takes with an empty cache on a CPU that is four times slower. Run on a quiet
// machine: node test/browser/perf/first-load.ts [slowdown]
import { openEditor } from '../support/editor.ts';
import { signIn } from '../support/sign-in.ts';

const SLOWDOWN = Number(process.argv[2] ?? 4);
const TARGET_MS = 2_000;
const ROUNDS = 5;

const editor = await openEditor();
try {
  const rows: object[] = [];
  for (let i = 0; i < ROUNDS; i++) {
    const { page, context } = await editor.browser.open();
    await signIn(page, editor.origin, '/login');
    const session = await context.newCDPSession(page);
    await session.send('Network.enable');
    await session.send('Network.setCacheDisabled', { cacheDisabled: true });
    await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN });
    let bytes = 0;
    session.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));
    await page.addInitScript(() => {
      const tasks: { end: number; duration: number }[] = [];
      Object.assign(globalThis, { tasks });
      new PerformanceObserver((list) => {
        for (const { startTime, duration } of list.getEntries())
          tasks.push({ end: startTime + duration, duration });
      }).observe({ type: 'longtask', buffered: true });
    });
    await page.goto(`${editor.origin}/workflows`);
    await page.getByRole('button', { name: 'Create empty workflow' }).waitFor();
    const visible = await page.evaluate(() => Math.round(performance.now()));
    await page.waitForTimeout(3_000);
    // Interactive: the button is there, and the last long task is over.
    const last = await page.evaluate(() => {
      const { tasks } = globalThis as unknown as { tasks: { end: number; duration: number }[] };
      return {
        end: Math.round(tasks.at(-1)?.end ?? 0),
        longest: Math.round(Math.max(0, ...tasks.map((t) => t.duration))),
      };
    });
    rows.push({
      visible,
      interactive: Math.max(visible, last.end),
      'longest task': last.longest,
      'KB received': Math.round(bytes / 1_024),
    });
    await context.close();
  }
  console.table(rows);
  const sorted = rows.map((row) => (row as { interactive: number }).interactive).toSorted((a, b) => a - b);
  const median = sorted[sorted.length >> 1]!;
  console.log(
    median <= TARGET_MS ? `reached: ${median} ms` : `not reached: ${median} ms, target ${TARGET_MS} ms`,
  );
} finally {
  await editor.close();
}
