import { formatIsoTime } from '../../lib/time/iso-time.ts';
import type { Statistics, StatisticsSum } from '../../services/executions/statistics.service.ts';

function presentSum({ completed, failed, stopped, p50, p95 }: StatisticsSum) {
  return { completed, failed, stopped, duration: { p50, p95 } };
}

export function presentStatistics({ interval, intervals, totals }: Statistics) {
  return {
    interval,
    intervals: intervals.map((one) => ({ start: formatIsoTime(one.start), ...presentSum(one) })),
    totals: presentSum(totals),
  };
}
