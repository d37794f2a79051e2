import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { WeftError } from '../../contract/errors.ts';
import { limits } from '../../ports/limits.ts';
import type { WebhookCall, WebhookReply } from '../../services/webhooks/webhook-call.ts';
import { withRetryAfter } from '../../services/executions/capacity.ts';
import type { StraightAnswer, StraightWay } from '../rest/straight-way.ts';
import { writeAnswer } from './answer.ts';
import { allowOrigin, answerPreflight, type AllowedOrigin } from './cors.ts';

const PREFIX = '/v1';
const NOTHING = Buffer.alloc(0);
const EXECUTION_ID = 'x-weft-execution-id';

type Receiver = { receive(call: WebhookCall): Promise<WebhookReply>; allowedOrigin?: AllowedOrigin };

/**
 * The webhook door: one route for all endpoints, which the service finds in its own table, and one for the test addresses of
 * `listen`. It is the hot path of the whole service, so the answer is written as it is, without the framework's serialisation.
 */
export function webhookDoor(
  webhooks: Receiver,
  listen: Receiver,
): (app: FastifyInstance, straight: StraightWay | null) => void {
  return (app, straight) => {
    if (straight !== null) goStraight(app, '/webhooks/', webhooks, straight);
    addRoute(app, '/webhooks/', webhooks);
    addRoute(app, '/listen/', listen);
  };
}

/** Calls that come straight to the receiver, and what they failed with to the framework. */
function goStraight(app: FastifyInstance, prefix: string, receiver: Receiver, straight: StraightWay): void {
  const start = PREFIX.length + prefix.length;
  straight.open(`${PREFIX}${prefix}`, async ({ url, headers, body }) => {
    return written(await receiver.receive({ method: 'POST', ...split(url, start), headers, body }));
  });
  app.addHook('onRequest', (request, reply, done) => {
    const failure = straight.failureOf(request.raw);
    done(failure === undefined ? undefined : (known(withRetryAfter(failure.error), reply) as Error));
  });
}

function addRoute(app: FastifyInstance, prefix: string, receiver: Receiver): void {
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
      const { path, query } = split(request.raw.url ?? request.url, start);
      if (allowedOrigin !== undefined && request.headers.origin !== undefined) {
        if (request.method === 'OPTIONS') return answerPreflight(request, reply, path, allowedOrigin);
        await allowOrigin(request, reply, path, allowedOrigin);
      }
      const body = Buffer.isBuffer(request.body) ? request.body : NOTHING;
      let answer: WebhookReply;
      try {
        answer = await receiver.receive({
          method: request.method,
          path,
          query,
          headers: request.headers,
          body,
        });
      } catch (error) {
        throw known(withRetryAfter(error), reply);
      }
      write(request, reply, answer);
      return reply;
    },
  });
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

function write(request: FastifyRequest, reply: FastifyReply, answer: WebhookReply): void {
  const { status, headers, body } = written(answer);
  const all = Object.assign(reply.getHeaders() as Record<string, string>, headers);
  const { raw } = reply.hijack();
  raw.writeHead(status, all);
  raw.end(request.method === 'HEAD' ? undefined : body);
}

function written(answer: WebhookReply): StraightAnswer {
  const { status, headers, body } =
    answer.kind !== 'answer'
      ? {
          status: 200,
          headers: { 'content-type': 'application/json; charset=utf-8' } as Record<string, string>,
          body: JSON.stringify(answer.body),
        }
      : writeAnswer(answer.answer);
  if (answer.kind !== 'handshake') headers[EXECUTION_ID] = answer.executionId;
  // These statuses have no body; a length beside them would be waited for by some callers.
  const isBodiless = status === 204 || status === 205 || status === 304;
  if (isBodiless) delete headers['content-type'];
  else headers['content-length'] = String(Buffer.byteLength(body));
  return { status, headers, body: isBodiless ? undefined : body };
}
