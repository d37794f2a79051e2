import { isObject, type JsonObject } from '../../../src/lib/json/json.ts';
import { createOpenapiDocument } from '../../../src/api/docs/openapi.ts';
import { routeGroups } from '../../../src/api/rest/routes.ts';
import { escapePointer, createValidator, type DocumentValidator } from './document-validator.ts';

export type SeenResponse = {
  readonly method: string;
  /** The path after `/v1`, with or without a query. */
  readonly path: string;
  readonly status: number;
  /** Null when the header is missing. Names are in lower case. */
  readonly header: (name: string) => string | null;
  readonly text: string;
};

type Operation = { pattern: RegExp; parameters: number; path: string; methods: JsonObject };
type Conformance = { operations: readonly Operation[]; document: JsonObject; validator: DocumentValidator };

let built: Conformance | null = null;

/**
 * Throws when a response differs from the OpenAPI document. The workflow defines the response of a webhook,
 * and APIs with other documents are not in the table: only their headers are checked.
 */
export function assertConforms(reply: SeenResponse): void {
  const error = findResponseError(reply, (built ??= build()));
  if (error === null) return;
  throw new Error(
    `${reply.method} ${reply.path} responded with ${reply.status}, which is not as documented: ${error}\n${reply.text.slice(0, 2_000)}`,
  );
}

function findResponseError(
  reply: SeenResponse,
  { operations, document, validator }: Conformance,
): string | null {
  const { status } = reply;
  const path = reply.path.split(/[?#]/, 1)[0]!;
  const isWebhook = path.startsWith('/webhooks/') || path.startsWith('/listen/');
  if (reply.method === 'OPTIONS' || isWebhook) return missingHeader(reply, alwaysThere);
  const found = operations
    .filter(({ pattern }) => pattern.test(path))
    .sort((a, b) => a.parameters - b.parameters);
  const method = reply.method === 'HEAD' ? 'get' : reply.method.toLowerCase();
  const location = found.find(({ methods }) => method in methods);
  if (location === undefined || !isObject(location.methods[method])) {
    if (status === 404 || status === 400)
      return findErrorBodyError(reply, validator, ['NOT_FOUND', 'VALIDATION_ERROR']);
    return status < 400 && found.length > 0 ? 'the method is not in the document' : null;
  }
  return findDeviation(reply, document, { path: location.path, method }, validator);
}

/** The difference between a response and the document's operation at `path`; null when there is none. */
export function findDeviation(
  reply: SeenResponse,
  document: JsonObject,
  { path, method }: { path: string; method: string },
  validator: DocumentValidator,
): string | null {
  const { status } = reply;
  const operation = ((document['paths'] as JsonObject)[path] as JsonObject)[method] as JsonObject;
  const response = (operation['responses'] as JsonObject)[String(status)];
  if (!isObject(response))
    return `the status is not one of ${Object.keys(operation['responses'] as object).join(', ')}`;
  const missing = missingHeader(reply, requiredHeaders(response, document));
  if (missing !== null || reply.method === 'HEAD') return missing;
  const pointer = `/paths/${escapePointer(path)}/${method}/responses/${status}/content`;
  const body = findBodyError(reply, response, pointer, validator);
  const codes = response['x-codes'];
  if (body !== null || !Array.isArray(codes) || !reply.text.startsWith('{"error"')) return body;
  return findErrorBodyError(reply, validator, codes as string[]);
}

function findBodyError(
  reply: SeenResponse,
  response: JsonObject,
  pointer: string,
  validator: DocumentValidator,
): string | null {
  const content = response['content'];
  if (!isObject(content)) return null;
  const type = (reply.header('content-type') ?? '').split(';', 1)[0]!.trim();
  if (!(type in content)) return '*/*' in content ? null : `the type ${type} is not in the document`;
  if (type !== 'application/json') return null;
  return findSchemaError(validator, `${pointer}/${escapePointer(type)}/schema`, reply.text);
}

function findErrorBodyError(
  reply: SeenResponse,
  validator: DocumentValidator,
  codes: readonly string[],
): string | null {
  if (reply.method === 'HEAD') return null;
  const error = findSchemaError(validator, '/components/schemas/Error', reply.text);
  if (error !== null) return error;
  const { code } = (JSON.parse(reply.text) as { error: { code: string } }).error;
  return codes.includes(code) ? null : `the code ${code} is not one of ${codes.join(', ')}`;
}

function findSchemaError(validator: DocumentValidator, pointer: string, text: string): string | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return 'it is not JSON';
  }
  return validator(pointer, value);
}

const alwaysThere = ['x-request-id', 'weft-version'];

function requiredHeaders(response: JsonObject, document: JsonObject): string[] {
  const known = (document['components'] as { headers: Record<string, { required?: boolean }> }).headers;
  return Object.keys((response['headers'] as JsonObject | undefined) ?? {})
    .filter((name) => known[name]?.required === true)
    .map((name) => name.toLowerCase());
}

function missingHeader(reply: SeenResponse, names: readonly string[]): string | null {
  const name = names.find((one) => reply.header(one) === null);
  return name === undefined ? null : `the header ${name} is missing`;
}

function build(): Conformance {
  const document = createOpenapiDocument({
    version: '0.0.0',
    baseUrl: 'http://127.0.0.1/v1',
    groups: routeGroups({} as never),
  });
  const operations = Object.entries(document['paths'] as JsonObject)
    // An operation with its own `servers` is not below /v1.
    .filter(([, item]) => (item as JsonObject)['servers'] === undefined)
    .map(([path, methods]) => ({
      pattern: new RegExp(`^${path.replaceAll('.', String.raw`\.`).replaceAll(/\{\w+\}/g, '[^/]+')}$`),
      parameters: path.split('{').length,
      path,
      methods: methods as JsonObject,
    }));
  return { operations, document, validator: createValidator(document) };
}
