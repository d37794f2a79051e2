import type { Doc, Entry } from '../../canvas/model/document.ts';
import { isRecord } from '../../node-panel/model/field-path.ts';
import { t } from '../../i18n/index.ts';

type Config = Readonly<Record<string, unknown>>;
/** The fields of a workflow that its trigger URLs depend on. */
type Workflow = {
  readonly id: string;
  readonly status: string;
  readonly triggers: readonly {
    readonly node_id: string;
    readonly url?: string | undefined;
    readonly method?: string | undefined;
  }[];
};

/** Whether a node is a trigger that receives HTTP requests. */
export function isWebhook({ type, config }: Entry): boolean {
  return type === 'trigger' && config?.['triggerType'] === 'webhook';
}

/** Whether a node is a trigger with a form. */
export function isForm({ type, config }: Entry): boolean {
  return type === 'trigger' && config?.['triggerType'] === 'form';
}

/** Whether a node is a trigger that models call as a tool. */
export function isTool({ type, config }: Entry): boolean {
  return type === 'trigger' && config?.['triggerType'] === 'tool';
}

/** Whether a node is a trigger that chat clients call as a model. */
export function isChat({ type, config }: Entry): boolean {
  return type === 'trigger' && config?.['triggerType'] === 'chat';
}

/** The webhook trigger of a workflow whose only enabled trigger it is. */
export function findOnlyWebhook(doc: Doc): Entry | null {
  const only = findOnlyTrigger(doc);
  return only !== null && isWebhook(only) ? only : null;
}

/** The chat trigger of a workflow whose only enabled trigger it is. */
export function findOnlyChat(doc: Doc): Entry | null {
  const only = findOnlyTrigger(doc);
  return only !== null && isChat(only) ? only : null;
}

function findOnlyTrigger({ nodes }: Doc): Entry | null {
  const triggers = [...nodes.values()].filter(
    ({ type, disabled }) => type === 'trigger' && disabled !== true,
  );
  const [first] = triggers;
  return first !== undefined && triggers.length === 1 ? first : null;
}

export function getMethod(config: Config): string {
  return typeof config['method'] === 'string' ? config['method'] : 'POST';
}

/** `/orders/:id`; null while the trigger has no endpoint. */
export function getPath(config: Config): string | null {
  const endpoint = typeof config['endpoint'] === 'string' ? config['endpoint'] : '';
  const segments = endpoint.split('/').filter((segment) => segment !== '');
  return segments.length === 0 ? null : `/${segments.join('/')}`;
}

type UrlPrefix = '/webhooks' | '/forms';

/**
 * The base URL of a workflow's webhooks or forms, such as `https://hooks.example.com/v1/webhooks`, possibly
 * on another origin. Null until the service has such a trigger of this workflow.
 */
function findBaseUrl({ triggers }: Workflow, prefix: UrlPrefix): string | null {
  for (const { url = '' } of triggers) {
    const end = url.indexOf(`${prefix}/`);
    if (end >= 0) return url.slice(0, end + prefix.length);
  }
  return null;
}

/** The URL of the trigger once its version is published; null if not known. */
export function buildProductionUrl(
  workflow: Workflow,
  config: Config,
  prefix: UrlPrefix = '/webhooks',
): string | null {
  const base = findBaseUrl(workflow, prefix);
  const path = getPath(config);
  if (base === null || path === null) return null;
  // An endpoint that begins with a parameter is served only below the id of its workflow.
  return path.startsWith('/:') ? `${base}/${workflow.id}${path}` : `${base}${path}`;
}

/**
 * `live`: requests to this URL and method are accepted. `changed`: the published version has another URL or
 * method, or no such trigger. `off`: the workflow is not active.
 */
export type TriggerState = 'live' | 'changed' | 'off';

export function getTriggerState(workflow: Workflow, nodeId: string, config: Config): TriggerState {
  if (workflow.status !== 'active') return 'off';
  const published = workflow.triggers.find((trigger) => trigger.node_id === nodeId);
  const isSame =
    published?.url === buildProductionUrl(workflow, config) && published?.method === getMethod(config);
  return isSame ? 'live' : 'changed';
}

/** Whether the published version shows the form at this URL. */
export function getFormTriggerState(workflow: Workflow, nodeId: string, config: Config): TriggerState {
  if (workflow.status !== 'active') return 'off';
  const published = workflow.triggers.find((trigger) => trigger.node_id === nodeId)?.url;
  return published !== undefined && published === buildProductionUrl(workflow, config, '/forms')
    ? 'live'
    : 'changed';
}

const EXAMPLE_BY_TYPE: Readonly<Record<string, unknown>> = {
  string: 'text',
  number: 9.5,
  integer: 1,
  boolean: true,
  object: {},
  array: [],
  null: null,
  any: 'text',
};

const hasBody = (method: string): boolean => method !== 'GET' && method !== 'DELETE';

/** A body that the trigger accepts: with the required fields if it names some. */
function createExampleBody(config: Config): Record<string, unknown> {
  const expected = config['expectedSchema'];
  const fields = isRecord(expected) ? Object.entries(expected) : [];
  if (fields.length === 0) return { id: 1, name: 'Ada' };
  return Object.fromEntries(fields.map(([name, type]) => [name, EXAMPLE_BY_TYPE[String(type)] ?? 'text']));
}

/** What the trigger would output for a request with the example body. */
export function createExampleInput(config: Config): Record<string, unknown> {
  const method = getMethod(config);
  const names = (getPath(config) ?? '').split('/').filter((segment) => segment.startsWith(':'));
  return {
    body: hasBody(method) ? createExampleBody(config) : null,
    query: {},
    headers: hasBody(method) ? { 'content-type': 'application/json' } : {},
    params: Object.fromEntries(names.map((name) => [name.slice(1), '1'])),
    method,
  };
}

/** The headers in which the signature schemes of `hmac` expect the signature. */
const SIGNATURE_HEADERS: Readonly<Record<string, string>> = {
  weft: 'X-Weft-Signature',
  standard: 'webhook-signature',
  github: 'X-Hub-Signature-256',
  stripe: 'Stripe-Signature',
  slack: 'X-Slack-Signature',
};

/** Options of curl with a placeholder for the credential that only the caller knows. */
function formatCredentialOptions({ authentication, scheme }: Config): string[] {
  switch (authentication) {
    case 'basic':
      return [`-u ${quote('USER:PASSWORD')}`];
    case 'bearer':
      return [`-H ${quote('Authorization: Bearer YOUR_TOKEN')}`];
    case 'api_key':
      return [`-H ${quote('X-API-Key: YOUR_KEY')}`];
    case 'hmac':
      return [`-H ${quote(`${SIGNATURE_HEADERS[String(scheme)] ?? 'X-Weft-Signature'}: YOUR_SIGNATURE`)}`];
    default:
      return [];
  }
}

/** The placeholder that the user must replace in the command; null if there is none. */
export function describePlaceholder({ authentication }: Config): string | null {
  switch (authentication) {
    case 'basic':
      return t('Replace USER:PASSWORD with the content of the secret.');
    case 'bearer':
      return t('Replace YOUR_TOKEN with the content of the secret.');
    case 'api_key':
      return t('Replace YOUR_KEY with the content of the secret.');
    case 'hmac':
      return t(
        'Replace YOUR_SIGNATURE with the signature of the body; some schemes also need a timestamp header.',
      );
    case 'sender':
      return t('Only requests signed by the sender are accepted: send a test event from its settings.');
    default:
      return null;
  }
}

/** A shell command that sends an example request to the trigger. */
export function formatCurlCommand(url: string, config: Config): string {
  const method = getMethod(config);
  const body = hasBody(method)
    ? [
        `-H ${quote('Content-Type: application/json')}`,
        `-d ${quote(JSON.stringify(createExampleBody(config)))}`,
      ]
    : [];
  return [
    `curl -X ${method} ${quote(replaceParameters(url))}`,
    ...formatCredentialOptions(config),
    ...body,
  ].join(' \\\n  ');
}

/** Replaces each `:parameter` of the path with an example value. */
function replaceParameters(url: string): string {
  return url.replaceAll(/\/:[^/]+/g, '/1');
}

/** Quotes an argument for POSIX shells. */
function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** Minutes and seconds, such as `1:05`. */
export function formatCountdown(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1_000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
