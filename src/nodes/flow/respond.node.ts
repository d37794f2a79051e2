import { Type } from 'typebox';
import type { Json } from '../../lib/json.ts';
import { defineNode } from '../define-node.ts';
import { headerFault, headerFaults } from '../http-header.ts';
import { invalidFaults } from '../outcome.ts';
import { closed, mapOf, scalar } from '../schema.ts';

/** The server writes these itself; an answer that set them could be read as two. */
const RESERVED = new Set([
  'content-length',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'upgrade',
  'trailer',
  'te',
  'x-weft-execution-id',
]);

export const respond = defineNode({
  type: 'respond',
  version: '1.0.0',
  name: 'Respond',
  category: 'flow',
  description:
    'Answers the caller that waits at the webhook, once everything up to here is on disk. The first respond node that is reached answers. Passes on what arrived.',
  icon: 'reply',
  config: closed({
    status: Type.Optional(Type.Integer({ minimum: 200, maximum: 599, default: 200 })),
    headers: Type.Optional(mapOf(scalar(), { description: 'Headers of the answer.' })),
    body: Type.Optional(Type.Unsafe<Json>({ description: 'The body. Default: what arrived.' })),
  }),
  outputs: [{ name: 'out', type: 'any', description: 'What arrived' }],
  effects: 'none',
  check: (config) => headerFaults('headers', config['headers'], RESERVED),
  run(_ctx, config, input) {
    const headers: Record<string, string> = {};
    for (const [name, value] of Object.entries(config.headers ?? {})) {
      const text = String(value);
      const fault = headerFault('headers', name, text, RESERVED);
      if (fault !== null) return invalidFaults([fault]);
      headers[name] = text;
    }
    const body = config.body === undefined ? input : config.body;
    return {
      kind: 'done',
      outputs: { out: input },
      respond: { status: config.status ?? 200, headers, body },
    };
  },
  examples: [
    {
      title: 'Answers 201 with the order number',
      config: {
        status: 201,
        headers: { Location: '/orders/{{ input.id }}' },
        body: { id: '{{ input.id }}', accepted: true },
      },
      input: { id: 17 },
      outputs: { out: { id: 17 } },
    },
    {
      title: 'A header that would break the answer is refused',
      config: { headers: { 'X-Name': '{{ input.name }}' } },
      input: { name: 'a\r\nSet-Cookie: b=c' },
      failure: 'validation',
    },
  ],
});
