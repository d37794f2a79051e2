// How quickly the page answers while 1,000 nodes run with some 500 updates a second. Run on a quiet machine:
// node test/browser/perf/live-run.ts
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { createSignedInApi } from '../support/caller.ts';
import { openEditor } from '../support/editor.ts';
import { signIn } from '../support/sign-in.ts';

/** Chains of nodes side by side; with what a request takes they make 500 lines a second. */
const CHAINS = 50;
const CHAIN_LENGTH = 20;
const LATENCY_MS = 180;
const TARGET_MS = 100;

function definition(port: number): { nodes: object[]; connections: object[] } {
  const nodes: object[] = [
    { id: 'start', type: 'trigger', config: { triggerType: 'manual' }, position: { x: 0, y: 0 } },
  ];
  const connections: object[] = [];
  for (let chain = 0; chain < CHAINS; chain++)
    for (let at = 0; at < CHAIN_LENGTH; at++) {
      const id = `call_${chain}_${at}`;
      nodes.push({
        id,
        type: 'http_request',
        config: { url: `http://127.0.0.1:${port}/${chain}/${at}` },
        position: { x: 320 * (at + 1), y: 120 * chain },
      });
      connections.push({ from: at === 0 ? 'start' : `call_${chain}_${at - 1}`, to: id });
    }
  return { nodes, connections };
}

type Measured = { delays: number[]; frames: number[]; longTasks: number[] };

async function begin(page: Page): Promise<void> {
  await page.evaluate(() => {
    const measured = {
      delays: [] as number[],
      frames: [] as number[],
      longTasks: [] as number[],
      isOn: true,
    };
    Object.assign(globalThis, { measured });
    for (const type of ['pointerdown', 'keydown'])
      addEventListener(type, (event) => measured.delays.push(performance.now() - event.timeStamp), true);
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) measured.longTasks.push(duration);
    }).observe({ type: 'longtask' });
    let last = performance.now();
    const step = (now: number): void => {
      measured.frames.push(now - last);
      last = now;
      if (measured.isOn) requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  });
}

const end = (page: Page): Promise<Measured> =>
  page.evaluate(() => {
    const { measured } = globalThis as unknown as { measured: Measured & { isOn: boolean } };
    measured.isOn = false;
    return measured;
  });

const part = (values: readonly number[], of: number): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * of))] ?? 0);
};

const upstream = createServer((_request, response) => {
  setTimeout(() => response.setHeader('content-type', 'application/json').end('{"ok":true}'), LATENCY_MS);
});
await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
const { port } = upstream.address() as AddressInfo;
const editor = await openEditor({ WEFT_ALLOWED_HOSTS: `127.0.0.1:${port}` });
try {
  const call = await createSignedInApi(editor.origin);
  const { id } = await call('POST', '/workflows', { name: 'Thousand', definition: definition(port) });
  const rows: object[] = [];
  let longest = 0;
  for (const view of ['Timeline', 'Log']) {
    const { page, context, pageErrors } = await editor.browser.open();
    await signIn(page, editor.origin);
    await page.goto(`${editor.origin}/workflows/${String(id)}`);
    await page.locator('.react-flow__node').first().waitFor();
    await page.getByRole('button', { name: 'Fit view (1)' }).click();
    const box = (await page.locator('.canvas__board').boundingBox())!;
    let requests = 0;
    page.on('request', () => requests++);
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    const panel = page.getByRole('region', { name: 'Run', exact: true });
    await panel.getByRole('radio', { name: view }).click();
    await begin(page);
    const started = performance.now();
    const isOver = panel.getByText('completed', { exact: true }).first();
    while (performance.now() - started < 60_000 && !(await isOver.isVisible())) {
      await page.mouse.click(box.x + box.width - 40, box.y + 40);
      await page.keyboard.press('Shift');
      await page.waitForTimeout(80);
    }
    const seconds = (performance.now() - started) / 1_000;
    const { delays, frames, longTasks } = await end(page);
    const { pagination } = (await call('GET', `/executions/${await newest()}/logs?limit=1`)) as {
      pagination: { total: number };
    };
    rows.push({
      view,
      'updates/s': Math.round(pagination.total / seconds),
      inputs: delays.length,
      'delay p50': part(delays, 0.5),
      'delay p95': part(delays, 0.95),
      'delay longest': part(delays, 1),
      'frame p95': part(frames, 0.95),
      'longest task': part(longTasks, 1),
      requests,
      pageErrors: pageErrors.length,
    });
    longest = Math.max(longest, part(delays, 1));
    await context.close();
  }
  console.table(rows);
  console.log(longest < TARGET_MS ? 'reached' : `not reached: no input waits longer than ${TARGET_MS} ms`);

  async function newest(): Promise<string> {
    const { executions } = (await call('GET', '/executions?limit=1')) as { executions: { id: string }[] };
    return executions[0]!.id;
  }
} finally {
  await editor.close();
  upstream.close();
}
