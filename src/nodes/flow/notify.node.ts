import { Type } from 'typebox';
import { defineNode } from '../define-node.ts';
import { sameAsInput } from '../output-schema.ts';
import { done } from '../outcome.ts';
import { closed, oneOfTexts } from '../schema.ts';

export const noticeLevels = ['info', 'success', 'warning', 'error'] as const;

export const notify = defineNode({
  type: 'notify',
  version: '1.0.0',
  name: 'Notify',
  category: 'flow',
  description:
    'Sends you a notification. Connected clients receive it as an event, and the message is written to the log. Passes on the input.',
  icon: 'bell',
  keywords: ['notification', 'alert', 'message', 'inform', 'log', 'push'],
  config: closed({
    level: Type.Optional(oneOfTexts(noticeLevels, { default: 'info' })),
    message: Type.String({
      minLength: 1,
      maxLength: 10_000,
      description: 'The text to show, at most 1,000 characters.',
    }),
    channel: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'A label that clients can use to group notifications.',
      }),
    ),
  }),
  output: sameAsInput,
  outputs: [{ name: 'out', type: 'any', description: 'The input' }],
  // A notification cannot be taken back, so it is sent only after all earlier steps are on disk.
  effects: 'external',
  run(ctx, { level = 'info', message, channel }, input) {
    ctx.orchestration.notify({ level, message, channel: channel ?? null });
    ctx.log(level === 'success' ? 'info' : level, message);
    return done(input);
  },
  examples: [
    {
      title: 'Notify about a large order',
      config: { level: 'success', message: 'An order of {{ input.total }} from {{ input.name }}' },
      input: { total: 250, name: 'Ada' },
      outputs: { out: { total: 250, name: 'Ada' } },
    },
  ],
});
