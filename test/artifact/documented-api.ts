import { findDeviation } from '../support/openapi/assert-openapi.ts';
import {
  escapePointer,
  createValidator,
  type DocumentValidator,
} from '../support/openapi/document-validator.ts';
import type { JsonObject } from '../../src/lib/json/json.ts';

export type Input = {
  params?: Record<string, string>;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  /** Sent as JSON. */
  body?: unknown;
  form?: Record<string, string>;
  /** Whether the response may be an error, as the document describes it. */
  isRefused?: boolean;
};
export type Output<Body> = { status: number; headers: Headers; text: string; body: Body };

type Content = Record<string, object>;
type Parameter = { name: string; in: 'path' | 'query' | 'header'; required: boolean };
type Operation = {
  operationId: string;
  security?: object[];
  parameters?: Parameter[];
  requestBody?: { required: boolean; content: Content };
  responses: Record<string, { content?: Content }>;
};
type DocumentedRoute = { path: string; method: string; origin: string; operation: Operation };

/** Headers that the document describes elsewhere: credentials and content negotiation. */
const COMMON_HEADERS = new Set(['authorization', 'x-api-key', 'accept', 'origin', 'cookie']);

/**
 * A client of the REST API that knows the service by the OpenAPI document that the service gives out. It
 * refuses to send what the document does not describe, throws when a response is not as described, and
 * records which responses it has seen.
 */
export class DocumentedApi {
  /** The value of the Authorization header of operations that need a credential. */
  authorization = '';
  /** Called after a successful call of an operation that may change something. */
  afterChange: ((operationId: string) => Promise<void>) | null = null;
  readonly #places: ReadonlyMap<string, DocumentedRoute>;
  readonly #document: JsonObject;
  readonly #validate: DocumentValidator;
  readonly #seen = new Set<string>();

  /** `url` is that of the service, ending with /v1. */
  constructor(url: string, document: JsonObject) {
    this.#document = document;
    this.#validate = createValidator(document);
    this.#places = new Map(
      Object.entries(document['paths'] as Record<string, Record<string, Operation>>).flatMap(
        ([path, { servers, ...methods }]) =>
          Object.entries(methods).map(([method, operation]): [string, DocumentedRoute] => [
            operation.operationId,
            { path, method, operation, origin: servers === undefined ? url : new URL(url).origin },
          ]),
      ),
    );
  }

  /** With the document of the service. */
  static async open(url: string): Promise<DocumentedApi> {
    const response = await fetch(`${url}/openapi.json`);
    return new DocumentedApi(url, (await response.json()) as JsonObject);
  }

  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the test names its fields
  async call<Body = JsonObject>(operationId: string, input: Input = {}): Promise<Output<Body>> {
    const route = this.#places.get(operationId);
    if (route === undefined) throw new Error(`The document has no operation ${operationId}`);
    const { method, path } = route;
    const error = this.#findUndocumented(route, input);
    if (error !== null) throw new Error(`${operationId}: ${error} is not documented`);
    const response = await fetch(buildUrl(route, input), {
      method: method.toUpperCase(),
      redirect: 'manual',
      headers: {
        ...(route.operation.security?.length !== 0 && { authorization: this.authorization }),
        ...(input.body !== undefined && { 'content-type': 'application/json' }),
        ...input.headers,
      },
      ...(input.body !== undefined && { body: JSON.stringify(input.body) }),
      ...(input.form !== undefined && { body: new URLSearchParams(input.form) }),
    });
    const { status, headers } = response;
    const text = await response.text();
    const reply = { method, path, status, header: (name: string) => headers.get(name), text };
    const deviation = findDeviation(reply, this.#document, route, this.#validate);
    if (deviation !== null) throw new Error(`${operationId} responded with ${status}: ${deviation}\n${text}`);
    if (status >= 400 !== (input.isRefused ?? false))
      throw new Error(`${operationId} responded with ${status}: ${text}`);
    const type = (headers.get('content-type') ?? '').split(';', 1)[0]!;
    const documented = Object.keys(route.operation.responses[status]!.content ?? {});
    this.#seen.add(formatResponseKey(operationId, status, documented.includes(type) ? type : documented[0]));
    if (status < 400 && method !== 'get') await this.afterChange?.(operationId);
    const isJson = type.endsWith('json');
    return { status, headers, text, body: (isJson ? JSON.parse(text) : null) as Body };
  }

  /** The operations that may change something. `isWanted` chooses paths. */
  changes(isWanted: (path: string) => boolean): string[] {
    return [...this.#places.values()]
      .filter(({ path, method }) => method !== 'get' && isWanted(path))
      .map(({ operation }) => operation.operationId);
  }

  /** The documented successful responses by status and media type that were not seen. `isWanted`: paths. */
  unseen(isWanted: (path: string) => boolean): string[] {
    return [...this.#places.values()]
      .filter(({ path }) => isWanted(path))
      .flatMap(({ operation: { operationId, responses } }) =>
        Object.entries(responses)
          .filter(([status]) => Number(status) < 400)
          .flatMap(([status, { content = {} }]) => {
            const types = Object.keys(content);
            return (types.length === 0 ? [undefined] : types).map((type) =>
              formatResponseKey(operationId, Number(status), type),
            );
          }),
      )
      .filter((key) => !this.#seen.has(key));
  }

  #findUndocumented({ path, method, operation }: DocumentedRoute, input: Input): string | null {
    const { parameters = [], requestBody } = operation;
    const given = [
      ...Object.keys(input.params ?? {}).map((name) => `path ${name}`),
      ...Object.keys(input.query ?? {}).map((name) => `query ${name}`),
      ...Object.keys(input.headers ?? {})
        .filter((name) => !COMMON_HEADERS.has(name.toLowerCase()))
        .map((name) => `header ${name}`),
    ];
    const known = parameters.map((one) => `${one.in} ${one.name}`);
    const extra = given.find((one) => !known.includes(one));
    if (extra !== undefined) return `the parameter ${extra}`;
    const absent = parameters.find((one) => one.required && !given.includes(`${one.in} ${one.name}`));
    if (absent !== undefined) return `a call without ${absent.name}`;
    const body = input.body ?? input.form;
    if (body === undefined) return requestBody?.required === true ? 'a call without a body' : null;
    const type = input.body === undefined ? 'application/x-www-form-urlencoded' : 'application/json';
    if (requestBody === undefined || !(type in requestBody.content)) return `a body of the type ${type}`;
    const pointer = `/paths/${escapePointer(path)}/${method}/requestBody/content/${escapePointer(type)}/schema`;
    const error = this.#validate(pointer, body);
    return error === null ? null : `the body (${error})`;
  }
}

const formatResponseKey = (operationId: string, status: number, type: string | undefined): string =>
  [operationId, status, type ?? 'without content'].join(' ');

function buildUrl({ path, origin }: DocumentedRoute, { params = {}, query = {} }: Input): string {
  const where = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name]!));
  const search = new URLSearchParams(query).toString();
  return `${origin}${where}${search === '' ? '' : `?${search}`}`;
}

/** Paths of operations that need a public URL. */
export const isPackApp = (path: string): boolean => path === '/packs/{name}/app';
