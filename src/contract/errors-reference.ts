import { formatMarkdownTable } from '../lib/text/markdown-table.ts';
import { errorCatalog } from './errors.ts';
import { nodeErrorTypes, type NodeErrorType } from './execution.ts';

export const nodeErrorMeanings: Readonly<Record<NodeErrorType, string>> = {
  timeout: 'The node, one of its requests or the whole execution timed out.',
  network: 'No response was received: DNS, the connection, TLS or reading the response failed.',
  rate_limited: 'The service responded with status 429.',
  server_error: 'The service responded with status 5xx.',
  client_error:
    'The service responded with status 4xx or with an unexpected redirect, or a tool of an MCP server reported an error.',
  validation: 'The input, or the configuration after its templates were evaluated, is invalid.',
  code: 'User code threw an error.',
  template: 'A template could not be evaluated; `data.field` names it.',
  forbidden: 'The egress policy, or the allowed hosts of a secret, blocked a request.',
  interrupted:
    'The process crashed repeatedly while it ran this node in isolation, or it ended while it ran a node that must not be repeated.',
  limit: 'A limit of the engine was exceeded.',
  stopped: 'A `stop` node ended the execution as failed.',
  internal: 'An internal error of Weft; see the server log.',
};

/** Error types that a `retryPolicy` without `retryConditions` retries. */
const retriedByDefault: readonly NodeErrorType[] = ['timeout', 'network', 'rate_limited', 'server_error'];
/** Error types that `retryConditions` can name, besides `any`. */
const nameable: readonly NodeErrorType[] = ['client_error', 'validation', 'code'];
/** Another attempt would fail in the same way. */
const neverRetried: readonly NodeErrorType[] = ['interrupted', 'limit', 'stopped'];

/** Returns the error reference in Markdown. */
export function formatErrorReference(): string {
  const codes = Object.entries(errorCatalog).map(([code, { status, message, when }]) => [
    `\`${code}\``,
    String(status),
    when,
    message,
  ]);
  const types = nodeErrorTypes.map((type) => [`\`${type}\``, nodeErrorMeanings[type], describeRetry(type)]);
  return [
    '# Errors',
    '',
    'Generated from `src/contract/errors.ts` and `src/contract/execution.ts`; a test checks that it is up to date.',
    '',
    '## Request errors',
    '',
    'Every error has the same body. `details` is always an object and may be empty. The meaning of a `code` never changes; `message` is for people and may change.',
    '',
    '```json',
    '{"error": {"code": "VALIDATION_ERROR", "message": "name: is required", "details": {"field": "name", "issue": "is required", "errors": [{"field": "name", "issue": "is required"}]}}}',
    '```',
    '',
    ...formatMarkdownTable(['code', 'status', 'when', 'default message'], codes),
    '',
    'In a `VALIDATION_ERROR`, `details.field` and `details.issue` describe the first error, and `details.errors` lists all errors, at most 100; for very large inputs only the first error is reported. A field is a dotted path such as `definition.nodes[2].config.url`.',
    '',
    'Every response has the header `X-Request-Id`; log lines of the request contain the same id.',
    '',
    '## Node errors',
    '',
    'A failed node run and a failed execution have an `error` of the form `{type, message, node_id, attempt, status?, data?}`. A connected `error` port emits the same value. `node_id` is empty when no single node is the cause.',
    '',
    ...formatMarkdownTable(['type', 'meaning', 'retried by a `retryPolicy`'], types),
    '',
  ].join('\n');
}

/** When a `retryPolicy` retries an error of this type. */
export function describeRetry(type: NodeErrorType): string {
  if (retriedByDefault.includes(type)) return 'yes';
  if (nameable.includes(type)) return 'when named';
  return neverRetried.includes(type) ? 'never' : 'only by `any`';
}
