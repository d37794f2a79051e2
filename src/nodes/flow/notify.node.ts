import { Type } from 'typebox';
import { defineNode } from '../define-node.ts';
import { done } from '../outcome.ts';
import { closed, oneOfTexts } from '../schema.ts';

export const noticeLevels = ['info', 'success', 'warning', 'error'] as const;

export const notify = defineNode({
  type: 'notify',
  version: '1.0.0',
  name: 'Notify',
  category: 'flow',
  description:
    'Tells you something: a notification event goes to whoever of you is connected, and the message into the log. It passes on what arrived.',
  icon: 'bell',
  config: closed({
    level: Type.Optional(oneOfTexts(noticeLevels, { default: 'info' })),
    message: Type.String({
      minLength: 1,
      maxLength: 10_000,
      description: 'At most 1,000 characters are shown.',
    }),
    channel: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'A name that clients may sort notifications by.',
      }),
    ),
  }),
  outputs: [{ name: 'out', type: 'any', description: 'What arrived' }],
  // It tells something to the outside, which may not be taken back: only once all before it is on disk.
  effects: 'external',
  run(ctx, { level = 'info', message, channel }, input) {
    ctx.flow.notify({ level, message, channel: channel ?? null });
    ctx.log(level === 'success' ? 'info' : level, message);
    return done(input);
  },
  examples: [
    {
      title: 'A large order came in',
      config: { level: 'success', message: 'An order of {{ input.total }} from {{ input.name }}' },
      input: { total: 250, name: 'Ada' },
      outputs: { out: { total: 250, name: 'Ada' } },
    },
  ],
});
