import type { HttpAnswer } from '../../contract/execution.ts';

const JSON_TYPE = 'application/json; charset=utf-8';
/** Written by the server itself; a second one would make the answer ambiguous. */
const ownHeaders = new Set([
  'content-length',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'upgrade',
  'trailer',
  'te',
]);

export type Written = { status: number; headers: Record<string, string>; body: string };

/** A `respond` node's answer as bytes: text as text, anything else as JSON. Header names in lower case. */
export function writeAnswer(answer: HttpAnswer): Written {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(answer.headers)) {
    const lower = name.toLowerCase();
    if (!ownHeaders.has(lower)) headers[lower] = value;
  }
  const isText = typeof answer.body === 'string' && !(headers['content-type'] ?? '').includes('json');
  headers['content-type'] ??= isText ? 'text/plain; charset=utf-8' : JSON_TYPE;
  // A page that a workflow answers must not act as a page of ours: it shares its origin with the service.
  if (!headers['content-type'].includes('json')) headers['content-security-policy'] = 'sandbox';
  return {
    status: answer.status,
    headers,
    body: isText ? (answer.body as string) : JSON.stringify(answer.body),
  };
}
