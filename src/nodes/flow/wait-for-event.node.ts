import { Type } from 'typebox';
import type { Outcome } from '../../contract/node-type.ts';
import { parseDuration } from '../../lib/time/duration.ts';
import { defineNode } from '../define-node.ts';
import { done } from '../outcome.ts';
import { closed, duration } from '../schema.ts';

const DEFAULT_TIMEOUT = '1d';

export const waitForEvent = defineNode({
  type: 'wait_for_event',
  version: '1.0.0',
  name: 'Wait for event',
  category: 'flow',
  description:
    'Waits for a POST to its resume URL, {base_url}/resume/{token}, and continues with the request body. The URL is written to the log. execution.resume_url resumes whichever node of the execution is waiting.',
  icon: 'hourglass',
  keywords: [
    'approval',
    'approve',
    'callback',
    'signal',
    'resume',
    'human in the loop',
    'confirm',
    'confirmation',
    'review',
    'pause',
  ],
  config: closed({
    timeout: Type.Optional(
      duration({ default: DEFAULT_TIMEOUT, description: 'Maximum wait. The node then fails with timeout.' }),
    ),
  }),
  outputs: [{ name: 'out', type: 'any', description: 'The body of the request' }],
  effects: 'none',
  keepsTime: true,
  async run(ctx, config): Promise<Outcome> {
    const value = await ctx.orchestration.signal();
    if (value !== undefined) return done(value);
    const { resumed } = ctx;
    if (resumed !== null) {
      if (ctx.now() < resumed.due) return { kind: 'wait', until: resumed.due, event: true };
      const message = `No event was received within ${config.timeout ?? DEFAULT_TIMEOUT}.`;
      return { kind: 'failed', error: { type: 'timeout', message } };
    }
    const url = ctx.orchestration.resumeUrl();
    ctx.log('info', `Waiting for a POST to ${url}`, { resume_url: url });
    return {
      kind: 'wait',
      until: ctx.now() + (parseDuration(config.timeout ?? DEFAULT_TIMEOUT) ?? 0),
      event: true,
    };
  },
  examples: [
    {
      title: 'Wait up to two days for a decision',
      config: { timeout: '2d' },
      input: { request: 17 },
      outputs: { out: { approved: true } },
    },
  ],
});
