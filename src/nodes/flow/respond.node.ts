import { Type } from 'typebox';
import type { FieldError } from '../../contract/errors.ts';
import { findResponseHeaderIssue, responseHeadersText } from '../../contract/webhooks/webhook-response.ts';
import { appendKey } from '../../lib/json/json-path.ts';
import { isObject, type Json } from '../../lib/json/json.ts';
import { defineNode } from '../define-node.ts';
import { sameAsInput } from '../output-schema.ts';
import { validateHeader, printHeader } from '../http-header.ts';
import { invalidFields } from '../outcome.ts';
import { closed, mapOf, scalar } from '../schema.ts';
import { isTemplated } from '../template-mode.ts';
import { ui } from '../ui-hints.ts';

/** Allowed header names are checked separately. */
const NO_RESERVED_NAMES: ReadonlySet<string> = new Set();
/** `value` is null for a template that is not evaluated yet. */
/** `value` null: a template whose value is not known yet. */
function validateResponseHeader(name: string, value: string | null): FieldError | null {
  const error = validateHeader('headers', name, value ?? '', NO_RESERVED_NAMES);
  if (error !== null) return error;
  const issue = findResponseHeaderIssue(name.toLowerCase(), value);
  return issue === null ? null : { field: appendKey('headers', name), issue };
}

function validateSavedHeaders(headers: unknown): FieldError[] {
  if (!isObject(headers)) return [];
  return Object.entries(headers).flatMap(([name, value]) => {
    const error = validateResponseHeader(name, isTemplated(value) ? null : printHeader(value));
    return error === null ? [] : [error];
  });
}

export const respond = defineNode({
  type: 'respond',
  version: '1.0.0',
  name: 'Respond',
  category: 'flow',
  description:
    'Sends the HTTP response to the caller of the webhook after all earlier steps are on disk. The first respond node reached sends the response. Passes on the input.',
  icon: 'reply',
  keywords: [
    'response',
    'reply',
    'answer',
    'return',
    'http response',
    'webhook response',
    'respond to webhook',
  ],
  config: closed({
    status: Type.Optional(Type.Integer({ minimum: 200, maximum: 599, default: 200 })),
    headers: Type.Optional(
      mapOf(scalar(), {
        description: `Response headers. Allowed: ${responseHeadersText}.`,
      }),
    ),
    body: Type.Optional(
      Type.Unsafe<Json>({
        title: 'Body',
        ...ui({ hint: 'Default: the input.' }),
        description: 'The response body. Default: the input.',
      }),
    ),
  }),
  output: sameAsInput,
  outputs: [{ name: 'out', type: 'any', description: 'The input' }],
  effects: 'none',
  check: (config) => validateSavedHeaders(config['headers']),
  run(_ctx, config, input) {
    const headers: Record<string, string> = {};
    for (const [name, value] of Object.entries(config.headers ?? {})) {
      const text = String(value);
      const error = validateResponseHeader(name, text);
      if (error !== null) return invalidFields([error]);
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
      title: 'Respond with 201 and the order number',
      config: {
        status: 201,
        headers: { Location: '/orders/{{ input.id }}' },
        body: { id: '{{ input.id }}', accepted: true },
      },
      input: { id: 17 },
      outputs: { out: { id: 17 } },
    },
    {
      title: 'A header with a line break is rejected',
      config: { headers: { 'X-Name': '{{ input.name }}' } },
      input: { name: 'a\r\nSet-Cookie: b=c' },
      failure: 'validation',
    },
  ],
});
