import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { WeftError } from '../../contract/errors.ts';
import { limits } from '../../ports/limits.ts';
import type { WebhookRequest, WebhookResponse } from '../../services/webhooks/webhook-types.ts';
import { withRetryAfter } from '../../services/executions/overload.ts';
import { ISOLATION_HEADERS, writeResponse, type CookieScope } from './response.ts';
import { allowOrigin, answerPreflight, type AllowedOrigin } from './cors.ts';

const PREFIX = '/v1';
const NOTHING = Buffer.alloc(0);
const OCTETS = 'application/octet-stream';
const MEDIA_TYPE = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(?:;|$)/;
const EXECUTION_ID = 'x-weft-execution-id';

type Receiver = { receive(call: WebhookRequest): Promise<WebhookResponse>; allowedOrigin?: AllowedOrigin };

/**
 * The webhook door: one route for all endpoints, which the service finds in its own table, and one for the test addresses of
 * `listen`. `baseUrl` is the address that callers see, ending with /v1. It is the hot path of the whole service, so the answer is written as it is, without the framework's serialisation.
 */
export function webhookPlugin(
  webhooks: Receiver,
  listen: Receiver,
  baseUrl: () => string,
): (app: FastifyInstance) => void {
  return (app) => {
    // Errors as well: their messages may hold text of a workflow.
    app.addHook('onRequest', (request, reply, done) => {
      reply.headers(ISOLATION_HEADERS);
      const type = request.headers['content-type'];
      // Fastify answers 415 to a malformed type. Here every body is taken as bytes; the service sees the header as it came.
      if (type !== undefined && !MEDIA_TYPE.test(type)) request.headers = { 'content-type': OCTETS };
      done();
    });
    addRoute(app, '/webhooks/', webhooks, baseUrl, createWriter('/webhooks/', baseUrl, false));
    addRoute(app, '/listen/', listen, baseUrl, createWriter('/listen/', baseUrl, true));
  };
}

/** `body` is undefined where the status has none. Header names are in lower case. */
type HttpAnswer = { status: number; headers: Record<string, string>; body: string | undefined };
type Writer = (answer: WebhookResponse, path: string) => HttpAnswer;

/** Cookies belong below the first segment of the address: it is fixed text, and belongs to one owner. */
function createWriter(prefix: string, baseUrl: () => string, isTest: boolean): Writer {
  return (answer, path) => {
    const [segment = ''] = path.split('/', 1);
    return written(answer, () => ({ path: `${new URL(baseUrl()).pathname}${prefix}${segment}`, isTest }));
  };
}

function addRoute(
  app: FastifyInstance,
  prefix: string,
  receiver: Receiver,
  baseUrl: () => string,
  write: Writer,
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
    bodyLimit: limits.webhookBody,
    async handler(request, reply) {
      const target = request.raw.url ?? request.url;
      const { path, query } = split(target, start);
      if (allowedOrigin !== undefined && request.headers.origin !== undefined) {
        if (request.method === 'OPTIONS') return answerPreflight(request, reply, path, allowedOrigin);
        await allowOrigin(request, reply, path, allowedOrigin);
      }
      const body = Buffer.isBuffer(request.body) ? request.body : NOTHING;
      let answer: HttpAnswer;
      try {
        const { method } = request;
        const { headers } = request.raw;
        const url = (): string => publicUrl(baseUrl(), target);
        answer = write(await receiver.receive({ method, path, query, headers, body, url }), path);
      } catch (error) {
        throw known(withRetryAfter(error), reply);
      }
      send(request, reply, answer);
      return reply;
    },
  });
}

/** The address that the caller used, for senders that sign it. */
function publicUrl(baseUrl: string, target: string): string {
  return baseUrl + target.slice(PREFIX.length);
}

function split(url: string, start: number): { path: string; query: string } {
  const mark = url.indexOf('?');
  const end = mark < 0 ? url.length : mark;
  const query = mark < 0 ? '' : url.slice(mark + 1);
  return { path: url.slice(start, url.charCodeAt(end - 1) === 47 ? end - 1 : end), query };
}

/** What the error's answer carries beside its body. */
function known(error: unknown, reply: FastifyReply): unknown {
  if (!(error instanceof WeftError)) return error;
  const { execution_id: executionId, authentication } = error.details;
  if (typeof executionId === 'string') reply.header(EXECUTION_ID, executionId);
  if (error.code === 'UNAUTHORIZED') {
    reply.header(
      'www-authenticate',
      authentication === 'basic' ? 'Basic realm="weft"' : 'Bearer realm="weft"',
    );
    return new WeftError('UNAUTHORIZED', error.message);
  }
  return error;
}

function send(request: FastifyRequest, reply: FastifyReply, { status, headers, body }: HttpAnswer): void {
  const standing = reply.getHeaders() as Record<string, string>;
  const all = Object.assign({}, standing, headers);
  // An answer to a page of another origin differs by that origin, whatever else it differs by.
  if (standing['vary'] !== undefined && headers['vary'] !== undefined)
    all['vary'] = `${standing['vary']}, ${headers['vary']}`;
  const { raw } = reply.hijack();
  raw.writeHead(status, all);
  raw.end(request.method === 'HEAD' ? undefined : body);
}

function written(answer: WebhookResponse, cookies: () => CookieScope): HttpAnswer {
  const { status, headers, body } =
    answer.kind === 'handshake_text'
      ? { status: 200, headers: { ...answer.headers }, body: answer.text }
      : answer.kind !== 'answer'
        ? {
            status: 200,
            headers: { 'content-type': 'application/json; charset=utf-8' } as Record<string, string>,
            body: JSON.stringify(answer.body),
          }
        : writeResponse(answer.answer, answer.executionId, cookies);
  Object.assign(headers, ISOLATION_HEADERS);
  if ('executionId' in answer) headers[EXECUTION_ID] = answer.executionId;
  // These statuses have no body; a length beside them would be waited for by some callers.
  const isBodiless = status === 204 || status === 205 || status === 304;
  if (isBodiless) delete headers['content-type'];
  else headers['content-length'] = String(Buffer.byteLength(body));
  return { status, headers, body: isBodiless ? undefined : body };
}
