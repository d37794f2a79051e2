import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { CHAT_PARAMETER, MAX_CHAT_BYTES } from '../../contract/chat/chat-page.ts';
import { chooseChatTexts, type ChatTexts } from '../../contract/chat/chat-texts.ts';
import { WeftError } from '../../contract/errors.ts';
import { LINK_PARAMETER } from '../../contract/forms/form-access.ts';
import type { Json } from '../../lib/json/json.ts';
import { getClientNetwork } from '../../lib/network/client-network.ts';
import type { ChatPages } from '../../services/chat/chat-pages.service.ts';
import { readStreamPosition } from '../../services/executions/streams/stream-position.ts';
import { readTexts, sendFailure, sendNote } from '../forms/responses.ts';
import type { OpenStreams } from '../http/event-stream.ts';
import { createAddressLimit } from '../../lib/limits/address-limit.ts';
import { EventStream } from '../rest/route.ts';
import { createLoader } from './loader.ts';
import { renderChatPage } from './pages.ts';

const MINUTE_MS = 60_000;
/** Requests and messages from one address. */
const REQUESTS_PER_MINUTE = 240;
const MESSAGES_PER_MINUTE = 30;
/** Open streams from one address, so that it cannot take all of a page or of the service. */
const STREAMS_PER_ADDRESS = 20;
const RETRY_AFTER_S = 5;
const EMPTY_BODY = Buffer.alloc(0);
/** For the fields of the form and the borders of its parts. */
const FORM_OVERHEAD_BYTES = 128 * 1024;

type Params = { readonly id: string; readonly message: string };

/**
 * The pages of chats, at `/v1/chat-pages/`. Their scripts have no origin, so their requests are allowed from
 * any, and carry the token of the page instead of cookies.
 */
export function chatPagesPlugin(options: {
  readonly chatPages: ChatPages;
  readonly now: () => number;
  /** Returns a text with at least 128 bits of randomness. */
  readonly token: () => string;
  /** The user of the session cookie of a request; null without a valid one. */
  readonly signedIn: (request: IncomingMessage) => Promise<{ userId: string; email: string } | null>;
  /** The URL of the editor, where people log in. */
  readonly editorUrl: () => string;
  /** The base URL of webhooks and pages, ending with /v1. */
  readonly baseUrl: () => string;
}): (app: FastifyInstance, streams: OpenStreams) => void {
  const { chatPages } = options;
  const requests = createAddressLimit(REQUESTS_PER_MINUTE, MINUTE_MS, options.now);
  const messages = createAddressLimit(MESSAGES_PER_MINUTE, MINUTE_MS, options.now);

  const openStreams = new Map<string, number>();

  const admit =
    (...counters: (typeof requests)[]) =>
    (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void => {
      reply.header('access-control-allow-origin', '*');
      const address = getClientNetwork(request.ip);
      const waits = counters.map((counter) => counter.hit(address)).filter((wait) => wait !== null);
      if (waits.length === 0) return done();
      done(new WeftError('RATE_LIMITED', undefined, { reason: 'capacity', retry_after: Math.max(...waits) }));
    };

  async function show(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { id } = request.params as Params;
    const query = (request.raw.url ?? request.url).split(/\?(.*)/s, 2)[1] ?? '';
    const given = new URLSearchParams(query);
    const chat = given.get(CHAT_PARAMETER);
    const url = `${options.baseUrl()}/chat-pages/${encodeURIComponent(id)}`;
    const link = given.get(LINK_PARAMETER);
    const createUrl = (values: Record<string, string>): string => {
      const all = { ...values, ...(link !== null && { [LINK_PARAMETER]: link }) };
      const text = new URLSearchParams(all).toString();
      return `/v1/chat-pages/${encodeURIComponent(id)}${text === '' ? '' : `?${text}`}`;
    };
    if (chat === null) {
      // Before a page is opened, so that an address that is wrong shows its error.
      await chatPages.page(id);
      return reply
        .code(303)
        .headers({
          location: createUrl({ [CHAT_PARAMETER]: options.token() }),
          'cache-control': 'no-store',
          'referrer-policy': 'no-referrer',
        })
        .send();
    }
    const opened = await chatPages.open(
      { workflowId: id, query, signedIn: () => options.signedIn(request.raw) },
      chat,
    );
    const page = renderChatPage(opened, readChatTexts(request), { url, newChatUrl: createUrl({}) });
    return reply.code(200).headers(page.headers).send(page.html);
  }

  async function load(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { title } = await chatPages.page((request.params as Params).id);
    return reply
      .headers({
        'content-type': 'text/javascript; charset=utf-8',
        'cache-control': 'max-age=300',
        'cross-origin-resource-policy': 'cross-origin',
        'x-content-type-options': 'nosniff',
        vary: 'Accept-Language',
      })
      .send(createLoader(readChatTexts(request), title));
  }

  async function send(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { id } = request.params as Params;
    const body = Buffer.isBuffer(request.body) ? request.body : EMPTY_BODY;
    const sent = await chatPages.send(id, readToken(request), {
      contentType: request.headers['content-type'],
      body,
    });
    return reply.code(202).header('cache-control', 'no-store').send(sent);
  }

  async function follow(
    request: FastifyRequest,
    reply: FastifyReply,
    streams: OpenStreams,
  ): Promise<FastifyReply> {
    const { id, message } = request.params as Params;
    const after = readStreamPosition(request.headers['last-event-id']);
    const run = await chatPages.follow(id, readToken(request), message, after);
    const address = getClientNetwork(request.ip);
    if ((openStreams.get(address) ?? 0) >= STREAMS_PER_ADDRESS)
      throw new WeftError('RATE_LIMITED', undefined, { reason: 'capacity', retry_after: RETRY_AFTER_S });
    const stream = new EventStream(
      async (sink) => {
        openStreams.set(address, (openStreams.get(address) ?? 0) + 1);
        sink.onClose(() => {
          const rest = (openStreams.get(address) ?? 1) - 1;
          if (rest === 0) openStreams.delete(address);
          else openStreams.set(address, rest);
        });
        await run({
          event: (event, eventId) => sink.send(event as unknown as Json, event.type, eventId),
          ready: () => sink.ready(),
          isClosed: () => sink.closed,
          onClose: (listener) => sink.onClose(listener),
        });
        sink.close();
      },
      () => {},
    );
    // The pages of one workflow share the limit of one user.
    streams.serve(stream, `chat-page:${id}`, request, reply);
    return reply;
  }

  function preflight(_request: FastifyRequest, reply: FastifyReply): FastifyReply {
    return reply
      .code(204)
      .headers({
        'access-control-allow-methods': 'GET, POST',
        'access-control-allow-headers': 'Authorization, Content-Type, Last-Event-ID',
        'access-control-max-age': '600',
      })
      .send();
  }

  /** Pages show their errors as pages; their scripts read the status. */
  function fail(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const isPage = request.routeOptions.url?.endsWith('/:id') === true;
    const isMissing = error instanceof WeftError && error.code === 'NOT_FOUND';
    if (isPage && isMissing && error.details['reason'] === undefined) {
      sendNote(reply, 404, readTexts(request), readChatTexts(request).notFound);
      return;
    }
    sendFailure(error, request, reply, options.editorUrl());
  }

  return (app, streams) => {
    app.setErrorHandler(fail);
    const root = '/chat-pages/:id';
    const reading = { onRequest: admit(requests) };
    app.get(root, reading, show);
    app.get(`${root}/embed.js`, reading, load);
    app.post(
      `${root}/messages`,
      { onRequest: admit(requests, messages), bodyLimit: MAX_CHAT_BYTES + FORM_OVERHEAD_BYTES },
      send,
    );
    app.get(`${root}/messages/:message`, reading, (request, reply) => follow(request, reply, streams));
    for (const url of [`${root}/messages`, `${root}/messages/:message`]) app.options(url, reading, preflight);
  };
}

const readChatTexts = (request: FastifyRequest): ChatTexts =>
  chooseChatTexts(request.headers['accept-language']);

/** @throws {WeftError} UNAUTHORIZED */
function readToken({ headers }: FastifyRequest): string {
  const [, token] = /^Bearer (\S+)$/.exec(headers.authorization ?? '') ?? [];
  if (token === undefined) throw new WeftError('UNAUTHORIZED');
  return token;
}
