import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CredentialExpiryWatcher } from '../../auth/credential-expiry-watcher.ts';
import { WeftError, createValidationError } from '../../contract/errors.ts';
import type { Principal } from '../../contract/principal.ts';
import { isScope } from '../../contract/scopes.ts';
import { requireScope } from '../../services/authorize.ts';
import { requireWithinLimit } from '../../services/accounts/rate-limit.service.ts';
import { createUnauthorizedError } from '../../auth/authenticate.ts';
import { isObject, type Json } from '../../lib/json/json.ts';
import { createRateHeaders, type Admission } from './admission.ts';
import { createErrorBody } from './errors.ts';
import type { OpenStreams } from './event-stream.ts';
import { readOrigin } from './request-origin.ts';
import { Download, EventStream, type Context, type QueryValue, type Route } from '../rest/route.ts';
import { sendDownload } from '../files/file-download.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The authenticated caller; null on public routes. */
    principal: Principal | null;
  }
}

/**
 * Authenticates the caller before the body is read and enforces the plan's rate limit. Sets the rate limit
 * headers.
 */
export function createAdmit(admission: Admission, isRateLimitExempt = false, acceptsBearerKey = false) {
  return async function admit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    requireOneCredential(request.raw.rawHeaders);
    const { principal, rate } = await admission.admit(request.raw, readOrigin(request), acceptsBearerKey);
    request.principal = principal;
    if (rate === null) return;
    reply.headers(createRateHeaders(rate));
    if (!isRateLimitExempt) requireWithinLimit(rate);
  };
}

/** Rejects duplicate credentials: a proxy may have checked the other one. */
function requireOneCredential(rawHeaders: readonly string[]): void {
  let authorizations = 0;
  let keys = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!;
    if (name.length === 13 && name.toLowerCase() === 'authorization') authorizations++;
    else if (name.length === 9 && name.toLowerCase() === 'x-api-key') keys++;
  }
  if (authorizations > 1) throw createUnauthorizedError('The Authorization header must not be repeated.');
  if (keys > 1) throw createUnauthorizedError('The X-API-Key header must not be repeated.');
}

/** For public paths: a valid credential identifies the caller and is counted; an invalid one is ignored. */
export function createLenientAdmit(admission: Admission) {
  return async function admit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { authorization, 'x-api-key': key, cookie } = request.headers;
    const isAnonymous = authorization === undefined && key === undefined && cookie === undefined;
    if (isAnonymous || !request.url.startsWith('/v1/')) return;
    const admitted = await admission.admit(request.raw, readOrigin(request)).catch((error: unknown) => {
      if (error instanceof WeftError && (error.code === 'UNAUTHORIZED' || error.code === 'FORBIDDEN'))
        return null;
      throw error;
    });
    if (admitted === null) return;
    request.principal = admitted.principal;
    if (admitted.rate === null) return;
    reply.headers(createRateHeaders(admitted.rate));
    requireWithinLimit(admitted.rate);
  };
}

/** Creates the Fastify handler of a route: reads the request, calls the route and sends its result. */
export function createHandler(
  route: Route,
  streams: OpenStreams,
  credentials: CredentialExpiryWatcher | null,
) {
  const kinds = queryKinds(route);
  return async function handle(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    reply.code(route.status);
    const context: Context = {
      params: request.params as Record<string, string>,
      query: readQuery(kinds, request.query as Record<string, string | string[]>),
      body: readBody(route, request.body, request.principal),
      headers: request.headers,
      request: request.raw,
      origin: readOrigin(request),
      requestId: request.id,
      setHeader: (name, value) => void reply.header(name, value),
      setStatus: (status) => void reply.code(status),
      stream: (run) => new EventStream(run),
    };
    const response = await callRoute(route, context, request.principal);
    if (response instanceof EventStream) {
      const { principal } = request;
      const isBound = principal !== null && credentials !== null;
      const stream = isBound ? endOnExpiry(principal, credentials, response) : response;
      streams.serve(stream, principal?.userId ?? null, request, reply);
      return reply;
    }
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store');
    if (response instanceof Download) return sendDownload(response, request, reply);
    reply.type('application/json; charset=utf-8');
    return reply.send(JSON.stringify(response));
  };
}

/**
 * Ends the stream when its credential expires or is revoked. The last event is the error that a request would
 * get.
 */
function endOnExpiry(
  principal: Principal,
  credentials: CredentialExpiryWatcher,
  stream: EventStream,
): EventStream {
  return new EventStream(async (sink) => {
    const stopWatching = credentials.watch(principal, (error) => {
      sink.send(createErrorBody(error) as unknown as Json, 'error');
      sink.close();
    });
    sink.onClose(stopWatching);
    await stream.run(sink);
  });
}

function callRoute(route: Route, context: Context, principal: Principal | null): unknown {
  if (route.scope === 'public') return route.handle({ ...context, principal });
  // `admit` runs before every guarded route; this protects a route that was mounted without it.
  if (principal === null) throw new WeftError('UNAUTHORIZED');
  return route.handle({ ...context, principal });
}

type QueryKind = 'text' | 'integer' | 'number' | 'boolean';

/** The query parameters of a route, with the type that their text is parsed as. */
function queryKinds(route: Route): ReadonlyMap<string, QueryKind> {
  const properties =
    (route.query as { properties?: Record<string, { type?: string }> } | undefined)?.properties ?? {};
  const kinds = new Map<string, QueryKind>();
  for (const [name, { type }] of Object.entries(properties)) {
    kinds.set(name, type === 'integer' || type === 'number' || type === 'boolean' ? type : 'text');
  }
  return kinds;
}

function readQuery(
  kinds: ReadonlyMap<string, QueryKind>,
  raw: Record<string, string | string[]>,
): Record<string, QueryValue> {
  const query: Record<string, QueryValue> = {};
  for (const [name, text] of Object.entries(raw)) {
    const kind = kinds.get(name);
    if (kind === undefined) {
      const known = kinds.size === 0 ? 'none' : [...kinds.keys()].join(', ');
      throw createValidationError([
        { field: name, issue: `is not a known query parameter; known are ${known}` },
      ]);
    }
    if (typeof text !== 'string')
      throw createValidationError([{ field: name, issue: 'must not be repeated' }]);
    query[name] = readValue(kind, text);
  }
  return query;
}

/** Text that does not parse stays text, so that the service's validation reports it. */
function readValue(kind: QueryKind, text: string): QueryValue {
  if (kind === 'integer' && /^-?\d{1,15}$/.test(text)) return Number(text);
  if (kind === 'number' && /^-?\d{1,15}(?:\.\d{1,15})?$/.test(text)) return Number(text);
  if (kind === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

function readBody(route: Route, body: unknown, principal: Principal | null): unknown {
  if (route.body !== undefined) {
    if (body !== undefined) return body;
    if (route.bodyOptional === true) return {};
    throw createValidationError([{ field: 'body', issue: 'is empty; it must be JSON' }]);
  }
  if (body === undefined || body === null) return {};
  const [field] = isObject(body) ? Object.keys(body) : [''];
  if (field === undefined) return {};
  // Checks the scope first, as the service does for routes with a body.
  if (principal !== null && isScope(route.scope)) requireScope(principal, route.scope);
  throw createValidationError([
    { field, issue: field === '' ? 'takes no body' : 'is not a known field; known are none' },
  ]);
}
