import type { FieldError } from '../../contract/errors.ts';
import type { NodeContext, NodeType, Outcome } from '../../contract/node-type.ts';
import { packNodeType, type OpenApiManifest, type OpenApiOperation } from '../../contract/packs/packs.ts';
import { isObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { classifyMediaType, parseMediaType } from '../../lib/network/media-type.ts';
import { defineNode } from '../define-node.ts';
import { authenticationSecrets, listNamedConnections, type Authentication } from '../http/authentication.ts';
import type { Encoded } from '../http/body.ts';
import { httpRequest, sendRequest } from '../http/http-request.node.ts';
import { validateRequest } from '../http/request-check.ts';
import type { RequestConfig } from '../http/request-config.ts';
import { invalid } from '../outcome.ts';
import { tagged } from '../schema.ts';
import { listParameterFields } from './fields.ts';
import { createOperationForm } from './operation-form.ts';
import { buildOperationRequest } from './operation-request.ts';
import { encodeOperationBody } from './request-body.ts';

const MAX_KEYWORDS = 50;
const MAX_KEYWORD_LENGTH = 50;
/** Templates that http_request treats in the same way. */
const HTTP_TEMPLATES = [
  'authentication.type',
  'authentication.grant_type',
  'authentication.token_url',
  'authentication.credential',
  'authentication.connection',
  'responses',
  'responseType',
  'idleTimeout',
  'pagination.next',
  'pagination.items',
] as const;

/**
 * Creates the node type of an API. Its configuration is a variant for each operation, and a call is an
 * http_request: the same egress policy, secrets, idempotency key, retries, files and pagination.
 */
export function createOpenApiNode(manifest: OpenApiManifest): NodeType {
  const operations = new Map(manifest.operations.map((operation) => [operation.id, operation]));
  return defineNode({
    type: packNodeType(manifest),
    version: manifest.version,
    name: manifest.title,
    category: 'connector',
    description: describe(manifest),
    icon: 'plug',
    keywords: listKeywords(manifest),
    config: tagged(
      'operation',
      manifest.operations.map((operation) => createOperationForm(manifest, operation)),
      { title: 'Operation' },
    ),
    templates: {
      operation: 'literal',
      baseUrl: 'url',
      ...Object.fromEntries(HTTP_TEMPLATES.map((name) => [name, httpRequest.templates?.[name] ?? 'literal'])),
    },
    outputs: [{ name: 'out', type: 'object', description: '{status, headers, body}' }],
    effects: 'external',
    secrets: {
      ...authenticationSecrets,
      proxy: 'proxy',
      baseUrl: 'request',
      apiKeys: 'request',
      body: 'request',
      ...Object.fromEntries(
        manifest.operations.flatMap((operation) =>
          listParameterFields(operation).map(({ field }) => [field, 'request'] as const),
        ),
      ),
    },
    timeout: httpRequest.timeout,
    ...(httpRequest.timeoutFor === undefined ? {} : { timeoutFor: httpRequest.timeoutFor }),
    check: (config) => validateOperation(manifest, config),
    connections: listNamedConnections,
    run: (ctx, config) => runOperation(ctx, manifest, operations, config as JsonObject),
    examples: [],
  });
}

function describe({ title, description, documentVersion, operations }: OpenApiManifest): string {
  const [first = ''] = description.split('\n', 1);
  return `${first.trim() === '' ? `Calls ${title}.` : first.trim()} ${operations.length} operations of version ${documentVersion}.`;
}

/** The tags of the document, most frequent first. */
function listKeywords({ operations }: OpenApiManifest): string[] {
  const counts = new Map<string, number>();
  for (const tag of operations.flatMap(({ tags }) => tags))
    if (tag !== '' && tag.length <= MAX_KEYWORD_LENGTH)
      counts.set(tag.toLowerCase(), (counts.get(tag.toLowerCase()) ?? 0) + 1);
  return [...counts]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, MAX_KEYWORDS)
    .map(([tag]) => tag);
}

/** Checks the fields of http_request that the form includes. */
function validateOperation(manifest: OpenApiManifest, config: JsonObject): FieldError[] {
  const { authentication, pagination, responseType, proxy, baseUrl } = config;
  const given: JsonObject = { url: baseUrl ?? 'https://api.example.com' };
  for (const [name, value] of Object.entries({ pagination, responseType, proxy }))
    if (value !== undefined) given[name] = value;
  if (authentication !== undefined)
    given['authentication'] = completeAuthentication(manifest, authentication);
  return validateRequest(given).map(({ field, issue }) => ({
    field: field === 'url' ? 'baseUrl' : field,
    issue,
  }));
}

/** Adds the token endpoint that the document states. */
function completeAuthentication({ securitySchemes }: OpenApiManifest, given: Json): Json {
  if (!isObject(given) || given['type'] !== 'oauth2') return given;
  if (given['token_url'] !== undefined || given['credential'] !== undefined) return given;
  const grants = securitySchemes.flatMap((scheme) => (scheme.kind === 'oauth2' ? scheme.grants : []));
  const wanted = given['refresh_token'] === undefined ? 'client_credentials' : 'authorization_code';
  const found = grants.find(({ grant, tokenUrl }) => grant === wanted && tokenUrl !== null);
  const tokenUrl = found?.tokenUrl ?? null;
  return tokenUrl === null ? given : { ...given, token_url: tokenUrl };
}

async function runOperation(
  ctx: NodeContext,
  manifest: OpenApiManifest,
  operations: ReadonlyMap<string, OpenApiOperation>,
  config: JsonObject,
): Promise<Outcome> {
  const { operation: id } = config;
  const operation = typeof id === 'string' ? operations.get(id) : undefined;
  if (operation === undefined) return invalid('operation', 'must be an operation of this version');
  const request = buildOperationRequest(manifest, operation, config);
  if ('fault' in request) return invalid(request.fault.field, request.fault.issue);
  const body = await readBody(ctx, operation, config);
  if ('fault' in body) return invalid(body.fault.field, body.fault.issue);
  const accept = acceptedType(operation);
  const { authentication, pagination, responses, responseType, idleTimeout, proxy, timeout } =
    config as Partial<RequestConfig>;
  const filled: RequestConfig = {
    method: operation.method,
    url: request.url,
    headers: { ...(accept === null ? {} : { accept }), ...request.headers },
    ...(authentication === undefined
      ? {}
      : { authentication: completeAuthentication(manifest, authentication as Json) as Authentication }),
    ...(pagination === undefined ? {} : { pagination }),
    ...(responses === undefined ? {} : { responses }),
    ...(responseType === undefined ? {} : { responseType }),
    ...(idleTimeout === undefined ? {} : { idleTimeout }),
    ...(proxy === undefined ? {} : { proxy }),
    ...(timeout === undefined ? {} : { timeout }),
  };
  return sendRequest(ctx, filled, {
    body,
    secretFields: ctx.secretFields.map((field) => request.locate(field)),
  });
}

function readBody(
  ctx: NodeContext,
  { body }: OpenApiOperation,
  config: JsonObject,
): Encoded | { fault: FieldError } | Promise<Encoded | { fault: FieldError }> {
  const value = config['body'];
  if (body === null || value === undefined) return { body: null, contentType: null };
  return encodeOperationBody(ctx, body, value);
}

/** Asks for JSON in the media type of the response; a service may answer in XML otherwise. */
function acceptedType({ response }: OpenApiOperation): string | null {
  if (response === null) return null;
  return classifyMediaType(parseMediaType(response.contentType)) === 'json' ? response.contentType : null;
}
