import { Type } from 'typebox';
import { Count, Milliseconds, OneOf, Time, nullable, defineResource } from './resource.ts';

/** Response resources of statistics. */

const PercentilesResource = defineResource(
  'DurationPercentiles',
  'Percentiles of the duration of completed and failed executions from their start to their end, with an error of less than 20 %. Null: there are none.',
  {
    p50: nullable(Milliseconds('The median.')),
    p95: nullable(Milliseconds('The 95th percentile.')),
  },
);

const counts = {
  completed: Count(),
  failed: Count(),
  stopped: Count(),
  duration: PercentilesResource,
};

export const StatisticsResource = defineResource(
  'ExecutionStatistics',
  'The number of ended executions and their duration over time. Each execution counts in the interval in which it was created.',
  {
    interval: OneOf(['hour', 'day']),
    intervals: Type.Array(
      defineResource(
        'StatisticsInterval',
        'The executions that were created in an interval and have ended.',
        {
          start: Time('Start of the interval.'),
          ...counts,
        },
      ),
      { description: 'All intervals of the range, oldest first, also those without executions.' },
    ),
    totals: defineResource('StatisticsTotals', 'The executions of all intervals.', counts),
  },
);
