import type { FastifyReply, FastifyRequest } from 'fastify';
import { readBearer } from '../../auth/authenticate.ts';
import type { CredentialExpiryWatcher } from '../../auth/credential-expiry-watcher.ts';
import { WeftError } from '../../contract/errors.ts';
import type { Principal } from '../../contract/principal.ts';
import { readTraceContext } from '../../lib/network/trace-context.ts';
import { requireWithinLimit } from '../../services/accounts/rate-limit.service.ts';
import { createRateHeaders, type Admission } from '../http/admission.ts';
import { readOrigin } from '../http/request-origin.ts';
import { keepConnectionForBody, toKnownError } from '../http/errors.ts';
import type { OpenStreams } from '../http/event-stream.ts';
import { parseJsonBody } from '../http/json-body.ts';
import { createLenientAdmit } from '../http/request-handler.ts';
import { selectMediaType } from './transport/content-negotiation.ts';
import type { RequestContexts } from './request-contexts.ts';
import type { Documents, PreparedOperation } from './documents.ts';
import { sendExplorer } from './explorer/page.ts';
import { RequestError, refuse, formatWeftError, type FormattedError } from './request-error.ts';
import { readRequest, type Runner, type FormattedResponse, type Variables } from './run.ts';
import { createEventStream } from './transport/sse.ts';

export type GraphqlPluginDeps = {
  readonly documents: Documents;
  readonly runner: Runner;
  readonly callers: RequestContexts;
  readonly admission: Admission;
  readonly credentials: CredentialExpiryWatcher;
};

/** Maximum length of an Accept header that is parsed. */
const MAX_ACCEPT_LENGTH = 1_000;

/** The handlers of the routes in `lazy-graphql.ts`. */
export type HttpPlugin = {
  serve(request: FastifyRequest, reply: FastifyReply, streams: OpenStreams): Promise<unknown>;
  /** Sends an error in the form of GraphQL. */
  fail(error: unknown, request: FastifyRequest, reply: FastifyReply): void;
};

/** GraphQL over HTTP: `POST` and `GET`, server-sent events, and the explorer. */
export function createHttpPlugin(deps: GraphqlPluginDeps): HttpPlugin {
  return {
    async serve(request, reply, streams) {
      // With CORS, the response already varies by origin.
      const byOrigin = reply.getHeader('vary') === 'Origin';
      reply.header('vary', byOrigin ? 'Origin, Accept' : 'Accept').header('cache-control', 'no-store');
      if (request.method === 'GET' && isExplorerRequest(request)) return sendExplorer(reply);
      return serve(request, reply, deps, streams);
    },
    fail: sendFailure,
  };
}

/** Whether a browser opens the page, as opposed to sending a query. */
function isExplorerRequest(request: FastifyRequest): boolean {
  return (
    readAccepted(request) === 'text/html' && (request.query as Record<string, unknown>)['query'] === undefined
  );
}

function readAccepted({ headers }: FastifyRequest) {
  return selectMediaType(headers.accept?.slice(0, MAX_ACCEPT_LENGTH));
}

type ParsedRequest = { readonly operation: PreparedOperation; readonly variables: Variables };

async function serve(
  request: FastifyRequest,
  reply: FastifyReply,
  deps: GraphqlPluginDeps,
  streams: OpenStreams,
): Promise<unknown> {
  const { documents, runner, callers } = deps;
  const asked = attempt((): ParsedRequest => {
    const { query, operationName, variables } = readRequest(readBody(request));
    return { operation: wrapDocumentErrors(() => documents.prepare(query, operationName)), variables };
  });
  // Only operations that are known to be public need no credential; invalid documents need one too.
  const isPublic = 'value' in asked && asked.value.operation.isPublic;
  const principal = await (isPublic ? admitOptional : admit)(request, reply, deps.admission);
  if ('error' in asked) throw asked.error;

  const { operation } = asked.value;
  const { operation: kind } = operation.node;
  if (request.method !== 'POST' && kind === 'mutation') {
    reply.header('allow', 'POST');
    const [error] = refuse('method', 'must be POST, because the operation is a mutation').errors;
    return send(reply, 405, { errors: [error!] });
  }
  const variables = wrapDocumentErrors(() => runner.check(operation, asked.value.variables));
  const { authorization } = request.headers;
  const caller = callers.make(
    principal,
    readOrigin(request),
    authorization === undefined ? null : readBearer(authorization),
    readTraceContext(request.headers),
  );

  if (readAccepted(request) === 'text/event-stream') {
    const stream = createEventStream({ operation, variables, caller }, deps);
    streams.serve(stream, principal?.userId ?? null, request, reply);
    return reply;
  }
  if (kind === 'subscription')
    throw new DocumentError([
      ...refuse(
        'query',
        'must not be a subscription, unless the request accepts text/event-stream. Subscriptions are also available over WebSocket at this path',
      ).errors,
    ]);
  return send(reply, 200, await runner.run(operation, variables, caller));
}

/** For public operations: the credential is optional, and some operations return more with a valid one. */
async function admitOptional(
  request: FastifyRequest,
  reply: FastifyReply,
  admission: Admission,
): Promise<Principal | null> {
  await createLenientAdmit(admission)(request, reply);
  return request.principal;
}

async function admit(request: FastifyRequest, reply: FastifyReply, admission: Admission): Promise<Principal> {
  const { principal, rate } = await admission.admit(request.raw, readOrigin(request));
  reply.headers(createRateHeaders(rate));
  requireWithinLimit(rate);
  return principal;
}

/**
 * A well-formed request with an invalid operation. For application/json its status is 200, as GraphQL over
 * HTTP requires.
 */
class DocumentError extends RequestError {}

function wrapDocumentErrors<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw error instanceof RequestError ? new DocumentError(error.errors) : error;
  }
}

function attempt<T>(run: () => T): { value: T } | { error: unknown } {
  try {
    return { value: run() };
  } catch (error) {
    return { error };
  }
}

function readBody(request: FastifyRequest): unknown {
  if (request.method === 'POST') return request.body;
  const { variables, extensions, ...rest } = request.query as Record<string, string | string[]>;
  return {
    ...rest,
    ...(variables === undefined ? {} : { variables: parseParameter('variables', variables) }),
    ...(extensions === undefined ? {} : { extensions: parseParameter('extensions', extensions) }),
  };
}

function parseParameter(field: string, text: string | string[]): unknown {
  if (typeof text !== 'string') throw refuse(field, 'must not be repeated');
  if (text === '') return null;
  try {
    return parseJsonBody(Buffer.from(text));
  } catch (error) {
    if (error instanceof WeftError) throw refuse(field, 'must be a JSON object as text');
    throw error;
  }
}

function send(reply: FastifyReply, status: number, response: FormattedResponse): FastifyReply {
  const media = readAccepted(reply.request);
  const type = media === 'application/graphql-response+json' ? media : 'application/json';
  return reply.code(status).type(`${type}; charset=utf-8`).send(JSON.stringify(response));
}

function sendFailure(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  if (error instanceof RequestError) {
    const asJson =
      error instanceof DocumentError && readAccepted(request) !== 'application/graphql-response+json';
    void send(reply, asJson ? 200 : 400, { errors: error.errors });
    return;
  }
  keepConnectionForBody(request, reply);
  const known = toKnownError(error, request);
  if (known === null || known.code === 'INTERNAL_ERROR') request.log.error({ err: error }, 'request failed');
  const shown = known ?? new WeftError('INTERNAL_ERROR');
  if (shown.code === 'UNAUTHORIZED') reply.header('www-authenticate', 'Bearer realm="weft"');
  const retryAfter = shown.details['retry_after'];
  if (typeof retryAfter === 'number') reply.header('retry-after', String(retryAfter));
  const errors: FormattedError[] = [formatWeftError(shown)];
  void send(reply, shown.status, { errors });
}
