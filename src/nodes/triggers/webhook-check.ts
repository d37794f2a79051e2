import type { FieldError } from '../../contract/errors.ts';
import { SECRET_NAME_PATTERN } from '../../contract/requests/accounts.ts';
import { listCredentialHeaders } from '../../contract/webhooks/webhook-credentials.ts';
import { parseDuration } from '../../lib/time/duration.ts';
import { isObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { hasNoSecret, validateSender } from './verification-check.ts';

const MAX_SEGMENTS = 20;
/** Maximum wait of a caller: 15 minutes. */
const MAX_WAIT_MS = 900_000;
const SECRET_NAME = new RegExp(SECRET_NAME_PATTERN);
const SECRET_TEMPLATE = /^\{\{\s*secrets\.([A-Za-z_][A-Za-z0-9_.-]*)\s*\}\}$/;
const SEGMENT = /^(?:[A-Za-z0-9_~.+@=-]+|:[A-Za-z_][A-Za-z0-9_]*)$/;

/** Validation that the schema cannot express. */
export function checkWebhook(config: JsonObject): FieldError[] {
  return [
    ...validateEndpoint(config['endpoint'] as string),
    ...validateCredentials(config),
    ...validateSender(config),
    ...validatePassedHeaders(config),
    ...validateWait(config),
    ...validateOrigins(config['cors']),
    ...validateBody(config),
  ];
}

export function validateEndpoint(endpoint: string): FieldError[] {
  const createError = (issue: string): FieldError[] => [{ field: 'endpoint', issue }];
  const segments = endpoint.replace(/^\//, '').split('/');
  if (segments.length > MAX_SEGMENTS) return createError(`must have at most ${MAX_SEGMENTS} segments`);
  const wrong = segments.find((segment) => !SEGMENT.test(segment) || segment === '.' || segment === '..');
  if (wrong === '') return createError('must not have an empty segment');
  if (wrong !== undefined)
    return createError(
      `must have segments of letters, digits and _~.+@=-, or parameters such as :id, not ${wrong}`,
    );
  const parameters = segments.filter((segment) => segment.startsWith(':'));
  const twice = parameters.find((name, i) => parameters.indexOf(name) !== i);
  return twice === undefined ? [] : createError(`must not use the parameter ${twice} twice`);
}

/** The body of a GET is not read, so a schema would reject every request. */
function validateBody({ method, expectedSchema, rawBody }: JsonObject): FieldError[] {
  if (method !== 'GET') return [];
  const errors: FieldError[] = [];
  if (isObject(expectedSchema) && Object.keys(expectedSchema).length > 0)
    errors.push({ field: 'expectedSchema', issue: 'must not be set for GET, which has no body' });
  if (rawBody === true)
    errors.push({ field: 'rawBody', issue: 'must not be set for GET, which has no body' });
  return errors;
}

function validateCredentials(config: JsonObject): FieldError[] {
  const { authentication, secret, scheme } = config;
  const errors: FieldError[] = [];
  if (authentication === 'none' && secret !== undefined)
    errors.push({ field: 'secret', issue: 'must not be set with authentication none' });
  if (hasNoSecret(config)) {
    if (secret !== undefined)
      errors.push({
        field: 'secret',
        issue: 'must not be set for a sender verified with a public key or a certificate',
      });
  } else if (authentication !== 'none' && secret === undefined)
    errors.push({ field: 'secret', issue: `is required by authentication ${authentication as string}` });
  for (const field of ['secret', 'verifySecret']) {
    const name = config[field];
    if (typeof name === 'string' && !SECRET_NAME.test(name))
      errors.push({ field, issue: describeSecretIssue(name) });
  }
  if (scheme !== undefined && authentication !== 'hmac')
    errors.push({ field: 'scheme', issue: 'is only allowed with authentication hmac' });
  return errors;
}

function validatePassedHeaders(config: JsonObject): FieldError[] {
  const { credentialHeaders: given } = config;
  const known = listCredentialHeaders(config);
  const names = Array.isArray(given) ? given.map((name) => (name as string).toLowerCase()) : [];
  return names.flatMap((name, i): FieldError[] => {
    const field = `credentialHeaders[${i}]`;
    if (!known.includes(name)) return [{ field, issue: `must be one of ${known.join(', ')}` }];
    return names.indexOf(name) === i ? [] : [{ field, issue: 'must not be listed twice' }];
  });
}

function describeSecretIssue(secret: string): string {
  const name = SECRET_TEMPLATE.exec(secret)?.[1];
  return name === undefined
    ? 'must be the name of a stored secret'
    : `must be the name of a stored secret, not a template: ${name}`;
}

function validateOrigins(cors: Json | undefined): FieldError[] {
  const origins = Array.isArray(cors) ? cors : [];
  return origins.flatMap((origin, i): FieldError[] =>
    origin === '*' || (typeof origin === 'string' && isOrigin(origin))
      ? []
      : [
          {
            field: `cors[${i}]`,
            issue: 'must be an origin such as https://shop.example.com, without a path, or "*"',
          },
        ],
  );
}

/** An origin as browsers send it: scheme, host in lower case, and the port unless it is the default. */
function isOrigin(text: string): boolean {
  return /^https?:\/\//.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

function validateWait(config: JsonObject): FieldError[] {
  const timeout: Json | undefined = config['timeout'];
  if (timeout === undefined) return [];
  if (config['respond'] !== 'on_completion' && config['respond'] !== 'respond')
    return [{ field: 'timeout', issue: 'is only allowed with respond on_completion or respond' }];
  const ms = parseDuration(timeout as string);
  return ms !== null && ms > 0 && ms <= MAX_WAIT_MS
    ? []
    : [{ field: 'timeout', issue: 'must be a duration of more than 0 and at most 15m' }];
}
