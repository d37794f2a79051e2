import { Type } from 'typebox';
import type { FieldError } from '../../contract/errors.ts';
import { parseDuration } from '../../lib/time/duration.ts';
import { defineNode } from '../define-node.ts';
import { sameAsInput } from '../output-schema.ts';
import { done, invalid } from '../outcome.ts';
import { closed, duration } from '../schema.ts';
import { isTemplated } from '../template-mode.ts';

const UNTIL_PATTERN = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:[Zz]|[+-]\d{2}:\d{2})$/;
const UNTIL_ISSUE = 'must be a date and time in ISO 8601 with a time zone, such as 2030-01-31T09:00:00Z';

export const delay = defineNode({
  type: 'delay',
  version: '1.0.0',
  name: 'Delay',
  category: 'flow',
  description:
    'Waits for a duration or until a date and time, then passes on the input. The wait is stored on disk: it occupies no worker and survives restarts. If the time has passed, the node continues immediately.',
  icon: 'clock',
  keywords: ['wait', 'sleep', 'pause', 'timer', 'later', 'until', 'hold'],
  config: closed({
    duration: Type.Optional(duration({ description: 'How long to wait. Set this or until.' })),
    until: Type.Optional(
      Type.String({ description: 'When to continue: a date and time in ISO 8601 with a time zone.' }),
    ),
  }),
  output: sameAsInput,
  outputs: [{ name: 'out', type: 'any', description: 'The input' }],
  effects: 'none',
  check(config): FieldError[] {
    const { duration: wait, until, timeout } = config;
    if (timeout !== undefined)
      return [{ field: 'timeout', issue: 'is not supported by a delay; use duration or until' }];
    if (wait === undefined && until === undefined)
      return [{ field: 'duration', issue: 'is required unless until is set' }];
    if (wait !== undefined && until !== undefined)
      return [{ field: 'until', issue: 'must not be set with duration' }];
    if (typeof until === 'string' && !isTemplated(until) && parseTime(until) === null)
      return [{ field: 'until', issue: UNTIL_ISSUE }];
    return [];
  },
  run(ctx, config, input) {
    if (ctx.resumed !== null) return done(input);
    const until =
      config.until === undefined
        ? ctx.now() + (parseDuration(config.duration ?? '') ?? 0)
        : parseTime(config.until);
    if (until === null) return invalid('until', UNTIL_ISSUE);
    return until <= ctx.now() ? done(input) : { kind: 'wait', until };
  },
  examples: [
    {
      title: 'A duration of 0',
      config: { duration: '0s' },
      input: { id: 1 },
      outputs: { out: { id: 1 } },
    },
    {
      title: 'A time in the past does not wait',
      config: { until: '{{ input.at }}' },
      input: { at: '2020-01-01T00:00:00Z' },
      outputs: { out: { at: '2020-01-01T00:00:00Z' } },
    },
    {
      title: 'A time without a time zone is rejected',
      config: { until: '{{ input.at }}' },
      input: { at: '2020-01-01 10:00' },
      failure: 'validation',
    },
  ],
});

function parseTime(text: string): number | null {
  const time = UNTIL_PATTERN.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) return null;
  // Date.parse reads 30 February as 2 March.
  const day = text.slice(0, 10);
  return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day) ? time : null;
}
