import type { WorkflowSettings } from '../../contract/definition.ts';
import { listCredentialHeaders } from '../../contract/webhooks/webhook-credentials.ts';
import { createValidationError, type FieldError } from '../../contract/errors.ts';
import { compileTemplate, type Template } from '../../expressions/template.ts';
import { parseDuration } from '../../lib/time/duration.ts';
import { isObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { isInexactInteger } from '../../lib/json/parse-json.ts';
import type { WebhookRoute } from '../../ports/store/active-triggers.ts';
import { webhookAuthentications, type WebhookAuthentication } from './authenticate-webhook.ts';
import { needsSecret, readSender, type Sender } from './webhook-sender.ts';

const DEFAULT_TIMEOUT_MS = 30_000;
const MAX_TIMEOUT_MS = 900_000;
const RESPONSES = ['immediately', 'on_completion', 'respond', 'stream'] as const;

/** An active webhook trigger, compiled once and used for every call until its workflow changes. */
export type CompiledEndpoint = {
  route: WebhookRoute;
  settings: WorkflowSettings;
  authentication: WebhookAuthentication;
  /** For `hmac` and `sender`. */
  sender: Sender | null;
  /** Name of the secret; null for `none` and for verification with a public key. */
  secret: string | null;
  /** Credential headers, which are not passed to the workflow. */
  hiddenHeaders: ReadonlySet<string>;
  /** Whether the workflow also gets the raw body. */
  rawBody: boolean;
  expected: [field: string, type: string][];
  respond: (typeof RESPONSES)[number];
  /** In ms. */
  timeout: number;
  deduplicate: Template | null;
  /** Origins whose pages may call; null means none. */
  cors: ReadonlySet<string> | null;
  /** Name of the secret that holds Meta's verify token. */
  verifySecret: string | null;
  /** Senders of CloudEvents that may be granted permission to deliver; null means none. */
  cloudEventsOrigins: ReadonlySet<string> | null;
};

/**
 * Compiles a configuration that was validated when it was saved. Returns null for unknown values, so that the
 * endpoint rejects all calls.
 */
export function compileEndpoint(
  route: WebhookRoute,
  settings: WorkflowSettings,
  config: JsonObject,
): CompiledEndpoint | null {
  const authentication = webhookAuthentications.find((kind) => kind === config['authentication']);
  const sender = readSender(config);
  const respond = RESPONSES.find((mode) => mode === (config['respond'] ?? 'immediately'));
  const secret = typeof config['secret'] === 'string' ? config['secret'] : null;
  if (authentication === undefined || respond === undefined) return null;
  if ((authentication === 'hmac' || authentication === 'sender') && sender === null) return null;
  if (authentication !== 'none' && needsSecret(sender) && secret === null) return null;
  const timeout = typeof config['timeout'] === 'string' ? parseDuration(config['timeout']) : null;
  const expected = isObject(config['expectedSchema']) ? config['expectedSchema'] : {};
  return {
    route,
    settings,
    authentication,
    sender,
    secret,
    hiddenHeaders: hiddenHeaders(config),
    rawBody: config['rawBody'] === true,
    expected: Object.entries(expected).map(([field, type]) => [field, typeof type === 'string' ? type : '']),
    respond,
    timeout: Math.min(timeout ?? DEFAULT_TIMEOUT_MS, MAX_TIMEOUT_MS),
    deduplicate: typeof config['deduplicate'] === 'string' ? compileTemplate(config['deduplicate']) : null,
    cors: Array.isArray(config['cors']) ? new Set(config['cors'].map(String)) : null,
    verifySecret: typeof config['verifySecret'] === 'string' ? config['verifySecret'] : null,
    cloudEventsOrigins: Array.isArray(config['cloudEventsOrigins'])
      ? new Set(config['cloudEventsOrigins'].map((origin) => (origin as string).toLowerCase()))
      : null,
  };
}

function hiddenHeaders(config: JsonObject): ReadonlySet<string> {
  const hidden = new Set(listCredentialHeaders(config));
  const { credentialHeaders: passed } = config;
  if (Array.isArray(passed))
    for (const name of passed) if (typeof name === 'string') hidden.delete(name.toLowerCase());
  return hidden;
}

/** @throws {WeftError} VALIDATION_ERROR with every field of the body that is missing or of another type. */
export function checkExpected(expected: CompiledEndpoint['expected'], body: Json): void {
  if (expected.length === 0) return;
  if (!isObject(body)) throw createValidationError([{ field: 'body', issue: 'must be an object' }]);
  const errors: FieldError[] = [];
  for (const [field, type] of expected) {
    const value = Object.hasOwn(body, field) ? body[field] : undefined;
    if (value === undefined) errors.push({ field, issue: 'is required' });
    else if (!isOfType(value, type)) errors.push({ field, issue: `must be of type ${type}` });
  }
  if (errors.length > 0) throw createValidationError(errors);
}

/** An integer that exceeds the precision of a number arrives as a string. */
function isExactText(value: Json): boolean {
  return typeof value === 'string' && isInexactInteger(value);
}

function isOfType(value: Json, type: string): boolean {
  switch (type) {
    case 'any':
      return true;
    case 'null':
      return value === null;
    case 'object':
      return isObject(value);
    case 'array':
      return Array.isArray(value);
    case 'integer':
      return Number.isInteger(value) || isExactText(value);
    case 'number':
      return typeof value === 'number' || isExactText(value);
    default:
      return typeof value === type;
  }
}
