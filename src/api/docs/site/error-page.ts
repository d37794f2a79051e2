import { errorCatalogue, type ErrorCode } from '../../../contract/errors.ts';
import { nodeErrorMeanings, retried } from '../../../contract/errors-reference.ts';
import { nodeErrorTypes } from '../../../contract/execution.ts';
import { markup } from '../../oauth/markup.ts';
import { exampleResponses } from '../example-responses.ts';
import { jsonCode, panel } from './code.ts';
import { heading, section, type Page } from './layout.ts';
import { line, paragraphs, table } from './prose.ts';

/** What a caller does about an error. */
const advice: Readonly<Record<ErrorCode, string>> = {
  VALIDATION_ERROR:
    '`details.field` is a dotted path such as `definition.nodes[2].config.url`, `details.issue` says what it takes, and `details.errors` are all faults, at most 100. The field is `body` when the body is not valid JSON in UTF-8 or has too many values.',
  PAYLOAD_TOO_LARGE:
    '`details.limit` is in bytes. Large data belongs into files and addresses, not into bodies.',
  CONFLICT: 'Get the thing again, look at its state, and decide anew; the same request will fail again.',
  UNAUTHORIZED: 'Renew the token, or log in again. `WWW-Authenticate` says how.',
  FORBIDDEN: '`details.scope` or `details.role` says what is missing.',
  NOT_FOUND: 'What belongs to somebody else answers exactly like what does not exist.',
  RATE_LIMITED:
    'Wait for `Retry-After` seconds. `details.reason` is `plan` (your requests an hour), `workflow` (calls of its webhooks) or `capacity` (the service is full).',
  EXECUTION_FAILED: '`details.execution_id` is the execution; its log says why.',
  STORAGE_FULL: 'Nothing was written. Reads go on; try again when the disk has room.',
  STORAGE_UNAVAILABLE:
    'Nothing was written. Try again in a few seconds, a write with the same `Idempotency-Key`; `/v1/health/ready` says when it is back.',
  INTERNAL_ERROR: 'Try again with the same `Idempotency-Key`. `X-Request-Id` finds the line of the log.',
};

/** Every error code, from the catalogue. */
export function errorPage(): Page {
  const codes = Object.entries(errorCatalogue) as [
    ErrorCode,
    { status: number; message: string; when: string },
  ][];
  return {
    path: '/errors',
    title: 'Errors',
    part: 'Reference',
    entries: [
      ...codes.map(([code]) => ({ id: code, label: code })),
      { id: 'of-a-node', label: 'Errors of a node' },
    ],
    body: () => markup`${heading(1, 'errors', 'Errors')}
<p class="lead">Every error has the same body at every door, and its code never changes its meaning. The message is for people and may change.</p>
${section(
  markup`${heading(2, 'form', 'Form')}${paragraphs(
    'REST: the body, with the status of the code. GraphQL: `extensions.code` and `extensions.details` of an entry of `errors`. WebSocket: a message of the type `error` whose `data` is what stands in `error` here.',
    '`details` is always an object, empty where there is nothing to say.',
  )}${table(
    'Error codes',
    ['code', 'status', 'when'],
    codes.map(([code, { status, when }]) => [`[\`${code}\`](#${code})`, String(status), when]),
  )}`,
  panel('400', jsonCode(exampleResponses['Error']!)),
)}
${codes.map(([code, { status, message, when }]) =>
  section(
    markup`${heading(2, code, markup`<code>${code}</code>`)}<ul class="meta"><li>${String(status)}</li></ul><p>${line(when)}</p><p>${line(advice[code])}</p><p class="needs">Unless there is a better one, its message is “${message}”</p>`,
    null,
  ),
)}
${section(
  markup`${heading(2, 'of-a-node', 'Errors of a node')}${paragraphs(
    'A node run that failed, and a failed execution, have an `error` of the form `{type, message, node_id, attempt, status?, data?}`. The same value flows out of a connected `error` port.',
  )}${table(
    'Types of node errors',
    ['type', 'meaning', 'retried by a `retryPolicy`'.replaceAll('`', '')],
    nodeErrorTypes.map((type) => [`\`${type}\``, nodeErrorMeanings[type], retried(type)]),
  )}`,
  panel('An error of a node', jsonCode(exampleResponses['NodeError']!)),
)}`,
  };
}
