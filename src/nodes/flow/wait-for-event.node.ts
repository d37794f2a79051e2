import { Type } from 'typebox';
import type { Outcome } from '../../contract/node-type.ts';
import { parseDuration } from '../../lib/time/duration.ts';
import { defineNode } from '../define-node.ts';
import { done } from '../outcome.ts';
import { closed, duration } from '../schema.ts';

/** When nothing else is said. */
const TIMEOUT = '1d';

export const waitForEvent = defineNode({
  type: 'wait_for_event',
  version: '1.0.0',
  name: 'Wait for event',
  category: 'flow',
  description:
    'Waits until something is posted to its address, {base_url}/resume/{token}, and goes on with the body. The address is in its log; execution.resume_url is one for whichever node of the execution waits.',
  icon: 'hourglass',
  config: closed({
    timeout: Type.Optional(
      duration({ default: TIMEOUT, description: 'How long it waits; then it fails with timeout.' }),
    ),
  }),
  outputs: [{ name: 'out', type: 'any', description: 'The body that was posted' }],
  effects: 'none',
  keepsTime: true,
  async run(ctx, config): Promise<Outcome> {
    const value = await ctx.flow.signal();
    if (value !== undefined) return done(value);
    const { resumed } = ctx;
    if (resumed !== null) {
      if (ctx.now() < resumed.due) return { kind: 'wait', until: resumed.due, event: true };
      const message = `Nothing was posted within ${config.timeout ?? TIMEOUT}.`;
      return { kind: 'failed', error: { type: 'timeout', message } };
    }
    const url = ctx.flow.resumeUrl();
    ctx.log('info', `Waits for a POST to ${url}`, { resume_url: url });
    return { kind: 'wait', until: ctx.now() + (parseDuration(config.timeout ?? TIMEOUT) ?? 0), event: true };
  },
  examples: [
    {
      title: 'A decision within two days',
      config: { timeout: '2d' },
      input: { request: 17 },
      outputs: { out: { approved: true } },
    },
  ],
});
