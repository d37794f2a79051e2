import { Type } from 'typebox';
import { MAX_SOURCE_LENGTH } from '../../contract/requests/node.ts';
import { defineNode } from '../define-node.ts';
import { closed, duration, oneOfTexts } from '../schema.ts';
import { readCodeTimeout, validateCodeTimeout } from './code-time.ts';
import { toOutcome } from './code-outcome.ts';
import { ui } from '../ui-hints.ts';

export const code = defineNode({
  type: 'code',
  version: '1.0.0',
  name: 'Code',
  category: 'code',
  description:
    'Runs your own JavaScript function with the input and returns its result. The code runs in a sandbox: standard ECMAScript and console, without network, files, timers or modules.',
  icon: 'braces',
  keywords: ['javascript', 'js', 'function', 'script', 'custom code', 'snippet', 'program'],
  config: closed({
    language: Type.Optional(oneOfTexts(['javascript'], { ...ui({ hidden: true }), default: 'javascript' })),
    source: Type.String({
      format: 'weft-code',
      minLength: 1,
      maxLength: MAX_SOURCE_LENGTH,
      title: 'JavaScript',
      ...ui({ hint: 'The default export is called with the input. Its result is the output.' }),
      description:
        'An ES module whose default export is the function, which may be async and must return JSON. Templates are not evaluated in it.',
    }),
    timeout: Type.Optional(
      duration({
        default: '5s',
        title: 'Time limit',
        ...ui({ advanced: true }),
        description: 'Maximum run time, up to 5m.',
      }),
    ),
  }),
  templates: { source: 'literal' },
  outputs: [{ name: 'out', type: 'any', description: 'The return value of the function, or null' }],
  // The code has no external effects, so it may run before earlier steps are on disk and again after a crash.
  effects: 'none',
  keepsTime: true,
  sources: (config) =>
    typeof config['source'] === 'string' ? [{ field: 'source', source: config['source'] }] : [],
  check: validateCodeTimeout,
  run: async (ctx, config, input) =>
    toOutcome(
      await ctx.code.run({
        source: config.source,
        argument: input,
        timeout: readCodeTimeout(config.timeout),
      }),
    ),
  examples: [
    {
      title: 'Compute the total of an order',
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
      title: 'A thrown error fails the node',
      config: {
        source: 'export default (input) => {\n  throw new Error(`no such customer: ${input.id}`);\n};',
      },
      input: { id: 7 },
      failure: 'code',
    },
  ],
});
