import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { isObject, type JsonObject } from '../../lib/json.ts';
import { openapiDocument } from '../documents/openapi.ts';
import { routeGroups } from '../rest/routes.ts';

export type SeenAnswer = {
  readonly method: string;
  /** Behind `/v1`, with or without a query. */
  readonly path: string;
  readonly status: number;
  /** Null when there is none of this name (in lower case). */
  readonly header: (name: string) => string | null;
  readonly text: string;
};

type Operation = { pattern: RegExp; parameters: number; pointer: string; methods: JsonObject };
type Conformance = { operations: readonly Operation[]; document: JsonObject; ajv: Ajv2020 };

let built: Conformance | null = null;

/**
 * The net between the document and the truth: throws when an answer is not what the OpenAPI document says of it. Webhooks answer
 * what their workflow says, and the doors with documents of their own are not in the table: of these only the head is looked at.
 */
export function conforms(answer: SeenAnswer): void {
  const fault = faultOf(answer, (built ??= build()));
  if (fault === null) return;
  throw new Error(
    `${answer.method} ${answer.path} answered ${answer.status}, which is not as documented: ${fault}\n${answer.text.slice(0, 2_000)}`,
  );
}

function faultOf(answer: SeenAnswer, { operations, document, ajv }: Conformance): string | null {
  const { status } = answer;
  const path = answer.path.split(/[?#]/, 1)[0]!;
  const isWebhook = path.startsWith('/webhooks/') || path.startsWith('/listen/');
  if (answer.method === 'OPTIONS' || isWebhook) return missingHeader(answer, alwaysThere);
  const found = operations
    .filter(({ pattern }) => pattern.test(path))
    .sort((a, b) => a.parameters - b.parameters);
  const method = answer.method === 'HEAD' ? 'get' : answer.method.toLowerCase();
  const place = found.find(({ methods }) => method in methods);
  const operation = place?.methods[method];
  if (place === undefined || !isObject(operation)) {
    if (status === 404 || status === 400) return errorFault(answer, ajv, ['NOT_FOUND', 'VALIDATION_ERROR']);
    return status < 400 && found.length > 0 ? 'the method is not in the document' : null;
  }
  const response = (operation['responses'] as JsonObject)[String(status)];
  if (!isObject(response))
    return `the status is not one of ${Object.keys(operation['responses'] as object).join(', ')}`;
  const headers = requiredHeaders(response, document);
  const missing = missingHeader(answer, headers);
  if (missing !== null || answer.method === 'HEAD') return missing;
  const pointer = `${place.pointer}/${method}/responses/${status}/content`;
  const body = bodyFault(answer, response, pointer, ajv);
  const codes = response['x-codes'];
  if (body !== null || !Array.isArray(codes) || !answer.text.startsWith('{"error"')) return body;
  return errorFault(answer, ajv, codes as string[]);
}

function bodyFault(answer: SeenAnswer, response: JsonObject, pointer: string, ajv: Ajv2020): string | null {
  const content = response['content'] as JsonObject;
  const type = (answer.header('content-type') ?? '').split(';', 1)[0]!.trim();
  if (!(type in content)) return '*/*' in content ? null : `the type ${type} is not in the document`;
  if (type !== 'application/json') return null;
  return schemaFault(ajv, `${pointer}/${escape(type)}/schema`, answer.text);
}

function errorFault(answer: SeenAnswer, ajv: Ajv2020, codes: readonly string[]): string | null {
  if (answer.method === 'HEAD') return null;
  const fault = schemaFault(ajv, '/components/schemas/Error', answer.text);
  if (fault !== null) return fault;
  const { code } = (JSON.parse(answer.text) as { error: { code: string } }).error;
  return codes.includes(code) ? null : `the code ${code} is not one of ${codes.join(', ')}`;
}

function schemaFault(ajv: Ajv2020, pointer: string, text: string): string | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return 'it is not JSON';
  }
  const validate = ajv.getSchema(`doc#${pointer}`) as ValidateFunction | undefined;
  if (validate === undefined) return `nothing is at ${pointer}`;
  if (validate(value)) return null;
  return (validate.errors ?? [])
    .map(({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`)
    .join('; ');
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
    // What has a server of its own does not stand behind /v1.
    .filter(([, item]) => (item as JsonObject)['servers'] === undefined)
    .map(([path, methods]) => ({
      pattern: new RegExp(`^${path.replaceAll('.', String.raw`\.`).replaceAll(/\{\w+\}/g, '[^/]+')}$`),
      parameters: path.split('{').length,
      pointer: `/paths/${escape(path)}`,
      methods: methods as JsonObject,
    }));
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  // Answers are stricter than the format: UTC, with milliseconds.
  ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  ajv.addFormat('binary', true);
  ajv.addSchema({ $id: 'doc', ...document });
  return { operations, document, ajv };
}

function escape(key: string): string {
  return encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'));
}
