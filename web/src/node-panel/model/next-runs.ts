import { Cron } from 'croner';

const RUN_COUNT = 5;

/** The next runs of a cron expression, computed as in the service; null if it is invalid. */
export function computeNextRuns(cron: string, timezone: string): readonly Date[] | null {
  try {
    return new Cron(cron, { timezone, paused: true, mode: '5-or-6-parts' }).nextRuns(RUN_COUNT);
  } catch {
    return null;
  }
}
