import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { WeftError } from '../../contract/errors.ts';
import { limits } from '../../ports/limits.ts';
import type { WebhookRequest, WebhookResponse } from '../../services/webhooks/webhook-types.ts';
import { addRetryAfter } from '../../services/executions/overload.ts';
import type { OpenStreams } from '../http/event-stream.ts';
import { EventStream } from '../rest/route.ts';
import { createStreamReader } from '../serializers/stream.ts';
import { readStreamPosition } from '../../services/executions/streams/stream-position.ts';
import { ISOLATION_HEADERS, writeResponse, type CookieScope } from './response.ts';
import { allowOrigin, sendPreflight, type AllowedOrigin } from './cors.ts';

const PREFIX = '/v1';
const EMPTY_BODY = Buffer.alloc(0);
const OCTET_STREAM = 'application/octet-stream';
const MEDIA_TYPE = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(?:;|$)/;
const EXECUTION_ID_HEADER = 'x-weft-execution-id';

type Receiver = { receive(call: WebhookRequest): Promise<WebhookResponse>; allowedOrigin?: AllowedOrigin };

/**
 * The webhook routes: one for all endpoints, which the service looks up, one for triggers of packs, and one for the test
 * URLs of `listen`. `baseUrl` is the public URL, ending with /v1. This is the hottest path of the service, so
 * responses bypass Fastify's serialization.
 */
export function webhookPlugin(
  webhooks: Receiver,
  listen: Receiver,
  packWebhooks: Receiver,
  baseUrl: () => string,
): (app: FastifyInstance, streams: OpenStreams) => void {
  return (app, streams) => {
    // Errors also get these headers, because their messages may contain text from a workflow.
    app.addHook('onRequest', (request, reply, done) => {
      reply.headers(ISOLATION_HEADERS);
      const type = request.headers['content-type'];
      // Fastify rejects a malformed content type with 415. Here all bodies are bytes, and the service sees
      // the original header.
      if (type !== undefined && !MEDIA_TYPE.test(type)) request.headers = { 'content-type': OCTET_STREAM };
      done();
    });
    const serveStream = createStreamServer(streams);
    addRoute(
      app,
      '/webhooks/',
      webhooks,
      baseUrl,
      createResponseWriter('/webhooks/', baseUrl, false),
      serveStream,
    );
    const writePacks = createResponseWriter('/pack-webhooks/', baseUrl, false);
    addRoute(app, '/pack-webhooks/', packWebhooks, baseUrl, writePacks, serveStream);
    addRoute(app, '/listen/', listen, baseUrl, createResponseWriter('/listen/', baseUrl, true), serveStream);
  };
}

/** `body` is undefined for statuses without a body. Header names are in lower case. */
type HttpResponse = { status: number; headers: Record<string, string>; body: string | undefined };
type ResponseWriter = (response: Exclude<WebhookResponse, { kind: 'stream' }>, path: string) => HttpResponse;
type StreamResponse = Extract<WebhookResponse, { kind: 'stream' }>;
/** Returns false if too many streams are open. */
type StreamServer = (
  response: StreamResponse,
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<boolean>;

/** The execution is stored, so an error would make the caller start another one. */
function toStartedResponse({ executionId }: StreamResponse): Exclude<WebhookResponse, StreamResponse> {
  return { kind: 'json', executionId, body: { execution_id: executionId } };
}

/**
 * Sends the stream of an execution. A call with the same idempotency key and `Last-Event-ID` continues it.
 */
function createStreamServer(streams: OpenStreams): StreamServer {
  return async ({ executionId, ownerId, open }, request, reply) => {
    const follow = await open(readStreamPosition(request.headers['last-event-id']));
    const key = `webhook ${ownerId}`;
    if (streams.findRefusal(key) !== null) return false;
    reply.header(EXECUTION_ID_HEADER, executionId);
    const stream = new EventStream(async (sink) => {
      await follow(createStreamReader(sink));
      sink.close();
    });
    streams.serve(stream, key, request, reply);
    return true;
  };
}

/** Scopes cookies to the first segment of the path, which is fixed and belongs to one owner. */
function createResponseWriter(prefix: string, baseUrl: () => string, isTest: boolean): ResponseWriter {
  return (response, path) => {
    const [segment = ''] = path.split('/', 1);
    return toHttpResponse(response, () => ({
      path: `${new URL(baseUrl()).pathname}${prefix}${segment}`,
      isTest,
    }));
  };
}

function addRoute(
  app: FastifyInstance,
  prefix: string,
  receiver: Receiver,
  baseUrl: () => string,
  write: ResponseWriter,
  serveStream: StreamServer,
): void {
  const start = PREFIX.length + prefix.length;
  const { allowedOrigin } = receiver;
  app.route({
    method: [
      'GET',
      'HEAD',
      'POST',
      'PUT',
      'PATCH',
      'DELETE',
      ...(allowedOrigin === undefined ? [] : ['OPTIONS']),
    ],
    url: `${prefix}*`,
    exposeHeadRoute: false,
    bodyLimit: limits.webhookBodyBytes,
    async handler(request, reply) {
      const target = request.raw.url ?? request.url;
      const { path, query } = splitUrl(target, start);
      if (allowedOrigin !== undefined && request.headers.origin !== undefined) {
        if (request.method === 'OPTIONS') return sendPreflight(request, reply, path, allowedOrigin);
        await allowOrigin(request, reply, path, allowedOrigin);
      }
      const body = Buffer.isBuffer(request.body) ? request.body : EMPTY_BODY;
      let response: HttpResponse;
      try {
        const { method } = request;
        const { headers } = request.raw;
        const url = (): string => publicUrl(baseUrl(), target);
        const result = await receiver.receive({ method, path, query, headers, body, url });
        if (result.kind !== 'stream') response = write(result, path);
        else if (await serveStream(result, request, reply)) return reply;
        else response = write(toStartedResponse(result), path);
      } catch (error) {
        throw prepareError(addRetryAfter(error), reply);
      }
      send(request, reply, response);
      return reply;
    },
  });
}

/** The URL that the caller used, which some senders include in their signature. */
function publicUrl(baseUrl: string, target: string): string {
  return baseUrl + target.slice(PREFIX.length);
}

function splitUrl(url: string, start: number): { path: string; query: string } {
  const queryStart = url.indexOf('?');
  const end = queryStart < 0 ? url.length : queryStart;
  const query = queryStart < 0 ? '' : url.slice(queryStart + 1);
  return { path: url.slice(start, url.charCodeAt(end - 1) === 47 ? end - 1 : end), query };
}

/** Sets the response headers of an error. */
function prepareError(error: unknown, reply: FastifyReply): unknown {
  if (!(error instanceof WeftError)) return error;
  const { execution_id: executionId, authentication } = error.details;
  if (typeof executionId === 'string') reply.header(EXECUTION_ID_HEADER, executionId);
  if (error.code === 'UNAUTHORIZED') {
    reply.header(
      'www-authenticate',
      authentication === 'basic' ? 'Basic realm="weft"' : 'Bearer realm="weft"',
    );
    return new WeftError('UNAUTHORIZED', error.message);
  }
  return error;
}

function send(request: FastifyRequest, reply: FastifyReply, { status, headers, body }: HttpResponse): void {
  const commonHeaders = reply.getHeaders() as Record<string, string>;
  const all = Object.assign({}, commonHeaders, headers);
  // Responses to cross-origin requests vary by origin in addition to what the workflow declares.
  if (commonHeaders['vary'] !== undefined && headers['vary'] !== undefined)
    all['vary'] = `${commonHeaders['vary']}, ${headers['vary']}`;
  const { raw } = reply.hijack();
  raw.writeHead(status, all);
  raw.end(request.method === 'HEAD' ? undefined : body);
}

function toHttpResponse(
  response: Exclude<WebhookResponse, StreamResponse>,
  cookies: () => CookieScope,
): HttpResponse {
  const { status, headers, body } =
    response.kind === 'handshake_text'
      ? { status: 200, headers: { ...response.headers }, body: response.text }
      : response.kind !== 'response' && response.kind !== 'handshake_response'
        ? {
            status: 200,
            headers: { 'content-type': 'application/json; charset=utf-8' } as Record<string, string>,
            body: JSON.stringify(response.body),
          }
        : writeResponse(response.response, response.kind === 'response' ? response.executionId : '', cookies);
  Object.assign(headers, ISOLATION_HEADERS);
  if ('executionId' in response) headers[EXECUTION_ID_HEADER] = response.executionId;
  // These statuses have no body, and some callers would wait for one if a length were sent.
  const isBodiless = status === 204 || status === 205 || status === 304;
  if (isBodiless) delete headers['content-type'];
  else headers['content-length'] = String(Buffer.byteLength(body));
  return { status, headers, body: isBodiless ? undefined : body };
}
