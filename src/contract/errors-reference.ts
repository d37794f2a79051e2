import { markdownTable } from '../lib/text/markdown-table.ts';
import { errorCatalogue } from './errors.ts';
import { nodeErrorTypes, type NodeErrorType } from './execution.ts';

export const nodeErrorMeanings: Readonly<Record<NodeErrorType, string>> = {
  timeout: 'The node, a request of it, or the whole execution ran out of its time.',
  network: 'No answer came: the name, the connection, TLS or the answer itself failed.',
  rate_limited: 'The other side answered 429.',
  server_error: 'The other side answered 5xx.',
  client_error: 'The other side answered 4xx, or a redirect that was not wanted.',
  validation: 'What arrived, or the configuration once its templates were evaluated, is wrong.',
  code: 'Code that users wrote threw an error.',
  template: 'A template could not be evaluated; `data.field` names it.',
  forbidden: 'The egress gate, or the hosts of a secret, refused a call.',
  interrupted: 'The process crashed again and again while it ran this node in isolation.',
  limit: 'A bound of the engine was met.',
  stopped: 'A `stop` node ended the execution as failed.',
  internal: "A fault of Weft; the server's log has it.",
};

/** What a `retryPolicy` takes without `retryConditions`. */
const retriedByDefault: readonly NodeErrorType[] = ['timeout', 'network', 'rate_limited', 'server_error'];
/** What `retryConditions` can name beside `any`. */
const nameable: readonly NodeErrorType[] = ['client_error', 'validation', 'code'];
/** Trying again can only end in the same way. */
const neverRetried: readonly NodeErrorType[] = ['interrupted', 'limit', 'stopped'];

/** The page of all errors in Markdown. */
export function errorReference(): string {
  const codes = Object.entries(errorCatalogue).map(([code, { status, message, when }]) => [
    `\`${code}\``,
    String(status),
    when,
    message,
  ]);
  const types = nodeErrorTypes.map((type) => [`\`${type}\``, nodeErrorMeanings[type], retried(type)]);
  return [
    '# Errors',
    '',
    'Generated from `src/contract/errors.ts` and `src/contract/execution.ts`; a test holds it fresh.',
    '',
    '## Of a request',
    '',
    'Every error has the same body. `details` is always an object, empty where there is nothing to say. `code` never changes its meaning; `message` is for people and may.',
    '',
    '```json',
    '{"error": {"code": "VALIDATION_ERROR", "message": "name: is required", "details": {"field": "name", "issue": "is required", "errors": [{"field": "name", "issue": "is required"}]}}}',
    '```',
    '',
    ...markdownTable(['code', 'status', 'when', 'message unless there is a better one'], codes),
    '',
    'Of a `VALIDATION_ERROR`, `details.field` and `details.issue` are the first fault and `details.errors` are all of them, at most 100; of a very large input only the first one is looked for. A field is a dotted path such as `definition.nodes[2].config.url`.',
    '',
    'Every answer carries `X-Request-Id`; the lines of the log that belong to it have the same id.',
    '',
    '## Of a node',
    '',
    'A node run that failed, and a failed execution, have an `error` of the form `{type, message, node_id, attempt, status?, data?}`. The same value flows out of a connected `error` port. `node_id` is empty where no single node is the cause.',
    '',
    ...markdownTable(['type', 'meaning', 'retried by a `retryPolicy`'], types),
    '',
  ].join('\n');
}

/** Whether a `retryPolicy` tries again after such an error. */
export function retried(type: NodeErrorType): string {
  if (retriedByDefault.includes(type)) return 'yes';
  if (nameable.includes(type)) return 'when named';
  return neverRetried.includes(type) ? 'never' : 'only by `any`';
}
