import { errorCatalog, type ErrorCode } from '../../../contract/errors.ts';
import { nodeErrorMeanings, describeRetry } from '../../../contract/errors-reference.ts';
import { nodeErrorTypes } from '../../../contract/execution.ts';
import { markup } from '../../oauth/markup.ts';
import { exampleResponses } from '../example-responses.ts';
import { renderJson, renderPanel } from './code.ts';
import { renderHeading, renderSection, type Page } from './layout.ts';
import { renderLine, renderParagraphs, renderTable } from './prose.ts';

/** How a caller should handle an error. */
const advice: Readonly<Record<ErrorCode, string>> = {
  VALIDATION_ERROR:
    '`details.field` is a dotted path such as `definition.nodes[2].config.url`, `details.issue` says what is wrong or accepted, and `details.errors` lists all errors, at most 100. The field is `body` when the body is not valid JSON in UTF-8 or has too many values.',
  PAYLOAD_TOO_LARGE: '`details.limit` is in bytes. Pass large data as files or URLs instead of in bodies.',
  CONFLICT: 'Get the resource again and decide by its current state. The same request will fail again.',
  UNAUTHORIZED: 'Renew the token, or log in again. `WWW-Authenticate` names the scheme.',
  FORBIDDEN: '`details.scope` or `details.role` is the missing one.',
  NOT_FOUND: 'Resources of other users are reported exactly like resources that do not exist.',
  RATE_LIMITED:
    'Wait for `Retry-After` seconds. `details.reason` is `plan` (your requests per hour), `workflow` (calls of its webhooks) or `capacity` (the service is at its limit).',
  EXECUTION_FAILED: '`details.execution_id` is the execution; see its log for the cause.',
  STORAGE_FULL: 'Nothing was written. Reads still work. Try again when the disk has free space.',
  STORAGE_UNAVAILABLE:
    'Nothing was written. Try again in a few seconds, writes with the same `Idempotency-Key`. `/v1/health/ready` reports when the store is available again.',
  INTERNAL_ERROR: 'Try again with the same `Idempotency-Key`. `X-Request-Id` identifies the line in the log.',
};

/** All error codes, from the catalog. */
export function createErrorPage(): Page {
  const codes = Object.entries(errorCatalog) as [
    ErrorCode,
    { status: number; message: string; when: string },
  ][];
  return {
    path: '/errors',
    title: 'Errors',
    part: 'Reference',
    entries: [
      ...codes.map(([code]) => ({ id: code, label: code })),
      { id: 'of-a-node', label: 'Node errors' },
    ],
    body: () => markup`${renderHeading(1, 'errors', 'Errors')}
<p class="lead">Errors have the same body in all APIs, and the meaning of a code never changes. Messages are for humans and may change.</p>
${renderSection(
  markup`${renderHeading(2, 'form', 'Form')}${renderParagraphs(
    'REST: the body, with the status of the code. GraphQL: `extensions.code` and `extensions.details` of an entry of `errors`. WebSocket: a message of the type `error` whose `data` is the `error` object.',
    '`details` is always an object, and may be empty.',
  )}${renderTable(
    'Error codes',
    ['code', 'status', 'when'],
    codes.map(([code, { status, when }]) => [`[\`${code}\`](#${code})`, String(status), when]),
  )}`,
  renderPanel('400', renderJson(exampleResponses['Error']!)),
)}
${codes.map(([code, { status, message, when }]) =>
  renderSection(
    markup`${renderHeading(2, code, markup`<code>${code}</code>`)}<ul class="meta"><li>${String(status)}</li></ul><p>${renderLine(when)}</p><p>${renderLine(advice[code])}</p><p class="needs">Default message: “${message}”</p>`,
    null,
  ),
)}
${renderSection(
  markup`${renderHeading(2, 'of-a-node', 'Node errors')}${renderParagraphs(
    'A node run that failed, and a failed execution, have an `error` of the form `{type, message, node_id, attempt, status?, data?}`. The same value is sent to a connected `error` port.',
  )}${renderTable(
    'Types of node errors',
    ['type', 'meaning', 'retried by a `retryPolicy`'.replaceAll('`', '')],
    nodeErrorTypes.map((type) => [`\`${type}\``, nodeErrorMeanings[type], describeRetry(type)]),
  )}`,
  renderPanel('A node error', renderJson(exampleResponses['NodeError']!)),
)}`,
  };
}
