import { afterAll, beforeAll, expect, test } from 'vitest';
import { creation, HOUR_MS, T0, workflow, type StoreUnderTest } from '../conformance/samples.ts';
import { createTempStore } from '../../../test/support/temporary-store.ts';

const ROWS = 50_000;
let tested: StoreUnderTest;
beforeAll(async () => {
  tested = await createTempStore();
  for (const id of ['wf_a', 'wf_b']) await tested.store.workflows.save(workflow(id));
  for (let i = 0; i < ROWS; i += 1_000) {
    const batch = Array.from({ length: 1_000 }, (_, k) =>
      creation(`ex_${String(i + k).padStart(6, '0')}`, {
        status: (i + k) % 10 === 0 ? 'failed' : 'completed',
        create: {
          createdAt: T0 + i + k,
          workflowId: (i + k) % 5 === 0 ? 'wf_b' : 'wf_a',
          retention: 99 * HOUR_MS,
        },
      }),
    );
    await tested.store.executions.commit(batch);
  }
});
afterAll(async () => {
  await tested.close();
});

const cases = [
  { filter: {}, total: ROWS },
  { filter: { status: 'failed' as const }, total: ROWS / 10 },
  { filter: { workflowId: 'wf_b' }, total: ROWS / 5 },
  { filter: { workflowId: 'wf_b', status: 'failed' as const }, total: ROWS / 10 },
  { filter: { from: T0 + ROWS / 4, to: T0 + (ROWS / 4) * 3 }, total: ROWS / 2 },
  { filter: { from: T0 + 100, status: 'failed' as const }, total: ROWS / 10 - 10 },
];

/*
 * With a million rows on an idle machine, p99 is below 10 ms and the maximum below 50 ms; the limits here
 * allow for noise.
 */
test.each(cases)('pages 1 to 100 of 100, exact totals: $filter', async ({ filter, total }) => {
  const times: number[] = [];
  for (let page = 0; page < 100; page++) {
    const began = performance.now();
    const result = await tested.store.executions.list('usr_a', filter, page * 100, 100);
    times.push(performance.now() - began);
    expect(result.total).toBe(total);
    expect(result.rows).toHaveLength(Math.max(0, Math.min(100, total - page * 100)));
  }
  const median = times.toSorted((a, b) => a - b)[50]!;
  expect(median).toBeLessThan(100);
});
