import { Type } from 'typebox';
import type { FieldError } from '../../contract/errors.ts';
import { responseHeaderIssue, responseHeadersText } from '../../contract/webhook-response.ts';
import { appendKey } from '../../lib/json/json-path.ts';
import { isObject, type Json } from '../../lib/json/json.ts';
import { defineNode } from '../define-node.ts';
import { headerFault, printHeader } from '../http-header.ts';
import { invalidFaults } from '../outcome.ts';
import { closed, mapOf, scalar } from '../schema.ts';
import { isTemplated } from '../template-mode.ts';

/** Which headers may be set is decided by name, for all answers. */
const NONE: ReadonlySet<string> = new Set();

/** `value` null: a template whose value is not known yet. */
function answerHeaderFault(name: string, value: string | null): FieldError | null {
  const fault = headerFault('headers', name, value ?? '', NONE);
  if (fault !== null) return fault;
  const issue = responseHeaderIssue(name.toLowerCase(), value);
  return issue === null ? null : { field: appendKey('headers', name), issue };
}

function savedFaults(headers: unknown): FieldError[] {
  if (!isObject(headers)) return [];
  return Object.entries(headers).flatMap(([name, value]) => {
    const fault = answerHeaderFault(name, isTemplated(value) ? null : printHeader(value));
    return fault === null ? [] : [fault];
  });
}

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
    headers: Type.Optional(
      mapOf(scalar(), {
        description: `Headers of the answer. Allowed: ${responseHeadersText}.`,
      }),
    ),
    body: Type.Optional(Type.Unsafe<Json>({ description: 'The body. Default: what arrived.' })),
  }),
  outputs: [{ name: 'out', type: 'any', description: 'What arrived' }],
  effects: 'none',
  check: (config) => savedFaults(config['headers']),
  run(_ctx, config, input) {
    const headers: Record<string, string> = {};
    for (const [name, value] of Object.entries(config.headers ?? {})) {
      const text = String(value);
      const fault = answerHeaderFault(name, text);
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
