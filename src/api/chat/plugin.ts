import { finished } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { CredentialExpiryWatcher } from '../../auth/credential-expiry-watcher.ts';
import { createConflictError, createValidationError, WeftError } from '../../contract/errors.ts';
import type { Principal } from '../../contract/principal.ts';
import { isObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import type { Clock } from '../../ports/clock.ts';
import { limits } from '../../ports/limits.ts';
import type { Chat, StartedChat } from '../../services/chat/chat.service.ts';
import type { Admission } from '../http/admission.ts';
import { toKnownError } from '../http/errors.ts';
import type { OpenStreams } from '../http/event-stream.ts';
import { createAdmit } from '../http/request-handler.ts';
import { createRequestSlots } from '../http/request-slots.ts';
import { EventStream, type EventSink } from '../rest/route.ts';
import {
  presentChatError,
  presentChunk,
  presentCompletion,
  presentLastChunks,
  presentModel,
  sendChatError,
} from './chat-format.ts';

/** How long a request without a stream waits for the end of the execution, ms: as long as most clients do. */
const MAX_WAIT_MS = 600_000;
const LAST_LINE = '[DONE]';

export type ChatPluginOptions = {
  readonly chat: Chat;
  readonly admission: Admission;
  /** Ends requests whose credential expires or is revoked. */
  readonly credentials: CredentialExpiryWatcher;
  readonly clock: Pick<Clock, 'after'>;
};

/**
 * OpenAI's protocol of chat completions: workflows with a trigger of the kind `chat` are its models. An API
 * key is a Bearer credential here, because the clients of the protocol send it so.
 */
export function chatPlugin(options: ChatPluginOptions): (app: FastifyInstance, streams: OpenStreams) => void {
  const { chat, credentials, clock } = options;
  const stopping = new AbortController();
  const slots = createRequestSlots({
    total: limits.chats,
    perUser: limits.chatsPerUser,
    message: 'Too many chat completions are open.',
  });

  async function complete(
    request: FastifyRequest,
    reply: FastifyReply,
    streams: OpenStreams,
  ): Promise<FastifyReply> {
    const principal = requirePrincipal(request);
    const leave = slots.enter(principal);
    finished(reply.raw, leave);
    // Checked before anything is stored.
    const refusal = wantsStream(request.body) ? streams.findRefusal(principal.userId) : null;
    if (refusal !== null) throw refusal;
    const started = await chat.start(principal, request.body, readKey(request));
    reply.header('x-weft-execution-id', started.executionId);
    try {
      return await respond(principal, started, request, reply, streams);
    } catch (error) {
      throw nameExecution(error, started, request);
    }
  }

  async function respond(
    principal: Principal,
    started: StartedChat,
    request: FastifyRequest,
    reply: FastifyReply,
    streams: OpenStreams,
  ): Promise<FastifyReply> {
    if (!started.isStreamed) return waitForEnd(principal, started, reply);
    const stream = new EventStream(
      (sink) => sendChunks(principal, started, request, sink),
      (sink) => sink.send(presentChatError(createRunningError(started, 'The service stops.'))),
    );
    streams.serve(stream, principal.userId, request, reply);
    return reply;
  }

  async function waitForEnd(
    principal: Principal,
    started: StartedChat,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const ended = new AbortController();
    let refusal: WeftError | null = null;
    const stopWatching = credentials.watch(principal, (error) => {
      refusal = error;
      ended.abort();
    });
    const cancel = clock.after(MAX_WAIT_MS, () => ended.abort());
    finished(reply.raw, () => ended.abort());
    const signal = AbortSignal.any([ended.signal, stopping.signal]);
    try {
      const completion = await chat.follow(principal, started, { signal });
      if (completion === null)
        throw (
          refusal ??
          createRunningError(
            started,
            stopping.signal.aborted ? 'The service stops.' : 'The time limit passed.',
          )
        );
      return reply.header('cache-control', 'no-store').send(presentCompletion(started, completion));
    } finally {
      cancel();
      stopWatching();
    }
  }

  async function sendChunks(
    principal: Principal,
    started: StartedChat,
    request: FastifyRequest,
    sink: EventSink,
  ): Promise<void> {
    const closed = new AbortController();
    sink.onClose(() => closed.abort());
    const stopWatching = credentials.watch(principal, (error) => {
      sink.send(presentChatError(error));
      sink.close();
    });
    sink.onClose(stopWatching);
    try {
      sink.send(presentChunk(started, { role: 'assistant', content: '' }));
      const completion = await chat.follow(principal, started, {
        onText: (content) => sink.send(presentChunk(started, { content })),
        ready: () => sink.ready(),
        signal: closed.signal,
      });
      if (completion === null) return;
      for (const chunk of presentLastChunks(started, completion)) sink.send(chunk as unknown as Json);
      sink.sendLine(LAST_LINE);
    } catch (error) {
      sink.send(presentChatError(nameExecution(error, started, request)));
    }
    sink.close();
  }

  return (app, streams) => {
    const admit = createAdmit(options.admission, false, true);
    const hooks = { onRequest: admit, errorHandler: sendChatError };
    app.addHook('preClose', (done) => {
      stopping.abort();
      done();
    });
    app.post('/v1/chat/completions', hooks, (request, reply) => complete(request, reply, streams));
    app.get('/v1/models', hooks, async (request, reply) => {
      const { models, next } = await chat.list(requirePrincipal(request), readAfter(request.query));
      return reply.header('cache-control', 'no-store').send({
        object: 'list',
        data: models.map(presentModel),
        has_more: next !== null,
        last_id: models.at(-1) ?? null,
      });
    });
    app.get('/v1/models/:model', hooks, async (request, reply) => {
      const { model } = request.params as { model: string };
      await chat.requireModel(requirePrincipal(request), model);
      return reply.header('cache-control', 'no-store').send(presentModel(model));
    });
    for (const [url, methods] of [
      ['/v1/chat/completions', 'POST, OPTIONS'],
      ['/v1/models', 'GET, HEAD, OPTIONS'],
      ['/v1/models/:model', 'GET, HEAD, OPTIONS'],
    ] as const)
      app.options(url, (_request, reply) => reply.header('allow', methods).code(200).send(''));
  };
}

function requirePrincipal({ principal }: FastifyRequest): Principal {
  if (principal === null) throw new WeftError('UNAUTHORIZED');
  return principal;
}

const wantsStream = (body: unknown): boolean =>
  isObject(body as Json) && (body as JsonObject)['stream'] === true;

function readKey({ headers }: FastifyRequest): string | null {
  const key = headers['idempotency-key'];
  return typeof key === 'string' ? key : null;
}

/** `after` is the id of the last model of the page before. */
function readAfter(query: unknown): string {
  const { after = '' } = query as Record<string, string | string[]>;
  if (typeof after !== 'string')
    throw createValidationError([{ field: 'after', issue: 'must be one model' }]);
  return after;
}

/**
 * Adds the execution to an error after its start: a client that repeats the request would start another one.
 * Logs an error that is not a WeftError.
 */
function nameExecution(error: unknown, { executionId }: StartedChat, request: FastifyRequest): WeftError {
  const known = toKnownError(error, request);
  if (known === null) request.log.error({ err: error }, 'chat completion failed');
  const { code, message, details } = known ?? new WeftError('INTERNAL_ERROR');
  // The store says that nothing was written, but the execution was.
  const shown =
    code === 'STORAGE_UNAVAILABLE' || code === 'INTERNAL_ERROR'
      ? `The execution ${executionId} was started, but could not be read.`
      : message;
  return new WeftError(code, shown, { ...details, execution_id: executionId });
}

function createRunningError({ executionId }: StartedChat, reason: string): WeftError {
  return createConflictError(`${reason} The execution ${executionId} has not ended, and continues.`, {
    execution_id: executionId,
  });
}
