import { truncateText } from '../../lib/text/truncate.ts';
import type { HttpResponse, NodeContext, NodeFailure, Outcome } from '../../contract/node-type.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { isObject } from '../../lib/json/json.ts';
import { readResponse, toStatusFailure } from '../http/response.ts';
import { done } from '../outcome.ts';
import { printValue } from './data-fields.ts';
import type { ConnectorService, Credentials, Operation, Query } from './connector-service.ts';

const MAX_MESSAGE_LENGTH = 500;

/** Calls a service for a connector. The engine handles retries; failures are those of http_request. */
export async function callService(
  ctx: NodeContext,
  call: {
    name: string;
    service: ConnectorService;
    operation: Operation;
    credentials: Credentials;
    /** Requests new credentials after a rejection; null if there are none. */
    renew: () => Promise<Credentials | null>;
    data: JsonObject;
  },
): Promise<Outcome> {
  const { service, operation, data } = call;
  const { method } = operation;
  const body = operation.body?.(data);
  const buildUrl = (credentials: Credentials): string =>
    `${service.baseUrl(credentials)}${buildPath(operation.path, data)}${buildQuery(operation.query?.(data))}`;
  const send = (credentials: Credentials): Promise<HttpResponse> =>
    ctx.http.send({
      method,
      url: buildUrl(credentials),
      headers: {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json; charset=utf-8' }),
        'idempotency-key': ctx.idempotencyKey,
        ...service.authorize(credentials),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  let response = await send(call.credentials);
  let reply = (await readResponse(ctx, response))['body'] ?? null;
  if (response.status === 401 || service.isRefused?.(reply) === true) {
    // Renew once; the second response is final.
    const renewed = await call.renew();
    if (renewed !== null) {
      response = await send(renewed);
      reply = (await readResponse(ctx, response))['body'] ?? null;
    }
  }
  const failed = toStatusFailure(ctx, { method, url: response.url, responses: { '3xx': 'error' } }, response);
  const problem = service.problem(response.status, reply);
  if (failed === null && problem === null) return done(operation.result?.(reply) ?? reply);
  const { host } = new URL(response.url);
  const words = truncateText(
    (problem?.message ?? '').replaceAll(/[\p{Cc}\p{Cf}]+/gu, ' '),
    MAX_MESSAGE_LENGTH,
  );
  const base: NodeFailure =
    failed?.kind === 'failed'
      ? failed.error
      : {
          type: 'client_error',
          message: '',
          status: response.status,
          data: { status: response.status, body: reply },
        };
  return {
    kind: 'failed',
    error: {
      ...base,
      type: problem?.type ?? base.type,
      message: `${service.title}, ${call.name}: ${host} responded with ${response.status}${words === '' ? '' : `: ${words}`}`,
    },
  };
}

/** Path parameters are required fields and have been validated. */
function buildPath(path: string, data: JsonObject): string {
  return path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) =>
    encodeURIComponent(printValue(data[name] ?? '')),
  );
}

function buildQuery(query: Query | undefined): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    for (const one of Array.isArray(value) ? value : [value])
      if (one !== undefined && one !== null) params.append(name, printValue(one));
  }
  const text = params.toString();
  return text === '' ? '' : `?${text}`;
}

/** Reads the error message from the usual fields: `message`, `error` or `error.message`. */
export function readProblem(status: number, body: Json): { message: string } | null {
  if (status < 400 || !isObject(body)) return null;
  const { message, error } = body;
  if (typeof message === 'string') return { message };
  if (typeof error === 'string') return { message: error };
  const inner = isObject(error) ? error['message'] : undefined;
  return typeof inner === 'string' ? { message: inner } : null;
}
