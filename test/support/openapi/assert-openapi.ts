import { isObject, type JsonObject } from '../../../src/lib/json/json.ts';
import { openapiDocument } from '../../../src/api/docs/openapi.ts';
import { routeGroups } from '../../../src/api/rest/routes.ts';
import { escapePointer, createValidator, type DocumentValidator } from './document-validator.ts';

export type SeenAnswer = {
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
export function conforms(answer: SeenAnswer): void {
  const fault = findResponseError(answer, (built ??= build()));
  if (fault === null) return;
  throw new Error(
    `${answer.method} ${answer.path} answered ${answer.status}, which is not as documented: ${fault}\n${answer.text.slice(0, 2_000)}`,
  );
}

function findResponseError(
  answer: SeenAnswer,
  { operations, document, validator }: Conformance,
): string | null {
  const { status } = answer;
  const path = answer.path.split(/[?#]/, 1)[0]!;
  const isWebhook = path.startsWith('/webhooks/') || path.startsWith('/listen/');
  if (answer.method === 'OPTIONS' || isWebhook) return missingHeader(answer, alwaysThere);
  const found = operations
    .filter(({ pattern }) => pattern.test(path))
    .sort((a, b) => a.parameters - b.parameters);
  const method = answer.method === 'HEAD' ? 'get' : answer.method.toLowerCase();
  const place = found.find(({ methods }) => method in methods);
  if (place === undefined || !isObject(place.methods[method])) {
    if (status === 404 || status === 400)
      return errorFault(answer, validator, ['NOT_FOUND', 'VALIDATION_ERROR']);
    return status < 400 && found.length > 0 ? 'the method is not in the document' : null;
  }
  return findDeviation(answer, document, { path: place.path, method }, validator);
}

/** The difference between a response and the document's operation at `path`; null when there is none. */
export function findDeviation(
  answer: SeenAnswer,
  document: JsonObject,
  { path, method }: { path: string; method: string },
  validator: DocumentValidator,
): string | null {
  const { status } = answer;
  const operation = ((document['paths'] as JsonObject)[path] as JsonObject)[method] as JsonObject;
  const response = (operation['responses'] as JsonObject)[String(status)];
  if (!isObject(response))
    return `the status is not one of ${Object.keys(operation['responses'] as object).join(', ')}`;
  const missing = missingHeader(answer, requiredHeaders(response, document));
  if (missing !== null || answer.method === 'HEAD') return missing;
  const pointer = `/paths/${escapePointer(path)}/${method}/responses/${status}/content`;
  const body = bodyFault(answer, response, pointer, validator);
  const codes = response['x-codes'];
  if (body !== null || !Array.isArray(codes) || !answer.text.startsWith('{"error"')) return body;
  return errorFault(answer, validator, codes as string[]);
}

function bodyFault(
  answer: SeenAnswer,
  response: JsonObject,
  pointer: string,
  validator: DocumentValidator,
): string | null {
  const content = response['content'];
  if (!isObject(content)) return null;
  const type = (answer.header('content-type') ?? '').split(';', 1)[0]!.trim();
  if (!(type in content)) return '*/*' in content ? null : `the type ${type} is not in the document`;
  if (type !== 'application/json') return null;
  return schemaFault(validator, `${pointer}/${escapePointer(type)}/schema`, answer.text);
}

function errorFault(
  answer: SeenAnswer,
  validator: DocumentValidator,
  codes: readonly string[],
): string | null {
  if (answer.method === 'HEAD') return null;
  const fault = schemaFault(validator, '/components/schemas/Error', answer.text);
  if (fault !== null) return fault;
  const { code } = (JSON.parse(answer.text) as { error: { code: string } }).error;
  return codes.includes(code) ? null : `the code ${code} is not one of ${codes.join(', ')}`;
}

function schemaFault(validator: DocumentValidator, pointer: string, text: string): string | null {
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

function missingHeader(answer: SeenAnswer, names: readonly string[]): string | null {
  const name = names.find((one) => answer.header(one) === null);
  return name === undefined ? null : `the header ${name} is missing`;
}

function build(): Conformance {
  const document = openapiDocument({
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
