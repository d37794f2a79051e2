import { expect, test } from 'vitest';
import { createSchedules } from '../../src/services/triggers/schedules.service.ts';
import { ManualClock } from '../support/time/manual-clock.ts';

/** More than one pass reads. */
const QUEUED_COUNT = 1_500;
const MINUTE_MS = 60_000;

test('schedules whose ticks are held delay no other schedule', { timeout: 60_000 }, async () => {
  const clock = new ManualClock();
  clock.advance(1_000_000_000);
  const schedule = (id: string, spec: object, nextRunAt: number) => ({
    workflowId: id,
    nodeId: 'start',
    ownerId: 'usr_1',
    version: 1,
    spec: { triggerType: 'schedule', ...spec },
    nextRunAt,
    lastError: null,
    queuedUntil: null,
  });
  const queued = { interval: '1h', overlap: 'queue' };
  const rows = Array.from({ length: QUEUED_COUNT }, (_, i) =>
    schedule(`wf_${i}`, queued, clock.now() - 1_000),
  );
  const other = schedule('wf_other', { interval: '1m', overlap: 'allow' }, clock.now() + 5_000);
  const all = [...rows, other];
  let starts = 0;
  const schedules = createSchedules({
    workflows: {
      get: () => Promise.resolve({ settings: {} }),
      dueSchedules: (now: number, limit: number) =>
        Promise.resolve(
          all
            .filter(({ nextRunAt }) => nextRunAt <= now)
            .toSorted((a, b) => a.nextRunAt - b.nextRunAt)
            .slice(0, limit),
        ),
      nextSchedule: () => Promise.resolve(Math.min(...all.map(({ nextRunAt }) => nextRunAt))),
      moveSchedule: () => Promise.resolve(true),
      queueTicks: () => Promise.resolve(),
      running: (id: string) => Promise.resolve(id === 'wf_other' ? 0 : 1),
    },
    engine: {
      start: ({ tick }: { tick: { next: number } }) => {
        starts++;
        other.nextRunAt = tick.next;
        return Promise.resolve({ kind: 'accepted', id: 'ex_1', watch: { cancel() {} } });
      },
    },
    failed() {},
    clock,
    timezone: 'UTC',
    report(_message: string, error: unknown) {
      throw error;
    },
  } as never);
  schedules.start();
  const end = clock.now() + 5 * MINUTE_MS;
  while (clock.now() < end) {
    clock.advance(1_000);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await schedules.stop();
  expect(starts).toBeGreaterThanOrEqual(4);
});
