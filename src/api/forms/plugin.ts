import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { WeftError } from '../../contract/errors.ts';
import { getClientNetwork } from '../../lib/network/client-network.ts';
import type { FormRequest, Forms } from '../../services/forms/forms.service.ts';
import { createAddressLimit } from '../../lib/limits/address-limit.ts';
import { isFormType, readTexts, sendFailure, sendFormPage, sendNote, sendSubmitted } from './responses.ts';
import { renderFormPage } from './pages.ts';

const MINUTE_MS = 60_000;
/** Requests from one address. */
const REQUESTS_PER_MINUTE = 120;
const PREFIX = '/v1/forms/';
const EMPTY_BODY = Buffer.alloc(0);

/** The pages of forms, at `/v1/forms/`, also for errors. Only a POST of the last page starts an execution. */
export function formsPlugin(options: {
  readonly forms: Pick<Forms, 'show' | 'submit'>;
  readonly now: () => number;
  /** The user of the session cookie of a request; null without a valid one. */
  readonly signedIn: (request: IncomingMessage) => Promise<{ userId: string; email: string } | null>;
  /** The URL of the editor, where people log in. */
  readonly editorUrl: () => string;
}): (app: FastifyInstance) => void {
  const { forms } = options;
  const arrivals = createAddressLimit(REQUESTS_PER_MINUTE, MINUTE_MS, options.now);

  function admit(request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void): void {
    const wait = arrivals.hit(getClientNetwork(request.ip));
    if (wait === null) return done();
    done(new WeftError('RATE_LIMITED', undefined, { reason: 'capacity', retry_after: wait }));
  }

  async function show(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    return sendFormPage(reply, 200, renderFormPage(await forms.show(readRequest(request, options.signedIn))));
  }

  async function submit(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const contentType = request.headers['content-type'];
    const texts = readTexts(request);
    if (!isFormType(contentType)) return sendNote(reply, 415, texts, texts.notes.wrongType);
    const body = Buffer.isBuffer(request.body) ? request.body : EMPTY_BODY;
    const result = await forms.submit(readRequest(request, options.signedIn), { contentType, body });
    if (result.kind === 'page')
      return sendFormPage(reply, result.view.errors.length > 0 ? 400 : 200, renderFormPage(result.view));
    return sendSubmitted(reply, result.form, texts);
  }

  return (app) => {
    app.setErrorHandler((error, request, reply) => sendFailure(error, request, reply, options.editorUrl()));
    app.get('/forms/*', { onRequest: admit }, show);
    app.post('/forms/*', { onRequest: admit }, submit);
  };
}

function readRequest(
  request: FastifyRequest,
  signedIn: (request: IncomingMessage) => Promise<{ userId: string; email: string } | null>,
): FormRequest {
  const [path = '', query = ''] = (request.raw.url ?? request.url).split(/\?(.*)/s, 2);
  return {
    path: path.slice(PREFIX.length).replace(/\/$/, ''),
    query,
    texts: readTexts(request),
    signedIn: () => signedIn(request.raw),
  };
}
