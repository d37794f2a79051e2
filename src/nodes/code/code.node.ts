import { Type } from 'typebox';
import { MAX_SOURCE } from '../../contract/requests/node.ts';
import { defineNode } from '../define-node.ts';
import { closed, duration, oneOfTexts } from '../schema.ts';
import { codeTime, timeFaults } from './code-time.ts';
import { finished } from './code-outcome.ts';

export const code = defineNode({
  type: 'code',
  version: '1.0.0',
  name: 'Code',
  category: 'code',
  description:
    'Calls a function that you write with what arrived, and gives what it returns. The code runs apart from everything else: plain ECMAScript and console, without network, files, timers or other modules.',
  icon: 'braces',
  config: closed({
    language: Type.Optional(oneOfTexts(['javascript'], { default: 'javascript' })),
    source: Type.String({
      format: 'weft-code',
      minLength: 1,
      maxLength: MAX_SOURCE,
      description:
        'An ES module whose default export is the function, which may be async. It is never a template. What it returns must be JSON.',
    }),
    timeout: Type.Optional(
      duration({ default: '5s', description: 'How long the code may run, at most 5m.' }),
    ),
  }),
  templates: { source: 'literal' },
  outputs: [{ name: 'out', type: 'any', description: 'What the function returned; null for nothing' }],
  // It reaches nothing, so it may run ahead of the disk and again after a crash.
  effects: 'none',
  keepsTime: true,
  sources: (config) =>
    typeof config['source'] === 'string' ? [{ field: 'source', source: config['source'] }] : [],
  check: timeFaults,
  run: async (ctx, config, input) =>
    finished(
      await ctx.code.run({ source: config.source, argument: input, timeout: codeTime(config.timeout) }),
    ),
  examples: [
    {
      title: 'The total of an order',
      config: {
        language: 'javascript',
        source:
          'export default async (input) => ({\n  total: input.items.reduce((sum, item) => sum + item.price * item.count, 0),\n});',
        timeout: '5s',
      },
      input: {
        items: [
          { price: 3, count: 2 },
          { price: 10, count: 1 },
        ],
      },
      outputs: { out: { total: 16 } },
    },
    {
      title: 'What is thrown is the error',
      config: {
        source: 'export default (input) => {\n  throw new Error(`no such customer: ${input.id}`);\n};',
      },
      input: { id: 7 },
      failure: 'code',
    },
  ],
});
