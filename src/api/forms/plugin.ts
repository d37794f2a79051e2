import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { WeftError } from '../../contract/errors.ts';
import { chooseTexts } from '../../contract/forms/texts/choose-texts.ts';
import type { FormTexts, Note } from '../../contract/forms/texts/form-texts.ts';
import { clientNetwork } from '../../lib/network/client-network.ts';
import type { FormRequest, Forms } from '../../services/forms/forms.service.ts';
import { withRetryAfter } from '../../services/executions/overload.ts';
import { keepConnectionForBody, knownError } from '../http/errors.ts';
import { createAddressLimit } from '../oauth/address-limit.ts';
import { notePage, type Page } from '../oauth/pages.ts';
import { limits } from '../../ports/limits.ts';
import { finalPage, formPage } from './pages.ts';

const MINUTE_MS = 60_000;
/** Requests from one address. */
const REQUESTS_PER_MINUTE = 120;
const PREFIX = '/v1/forms/';
const BYTES_PER_MIB = 1024 * 1024;
const EMPTY_BODY = Buffer.alloc(0);
const FORM_TYPE = /^(?:multipart\/form-data|application\/x-www-form-urlencoded)\s*(?:;|$)/i;

/** The pages of forms, at `/v1/forms/`, also for errors. Only a POST of the last page starts an execution. */
export function formsPlugin(options: {
  readonly forms: Pick<Forms, 'show' | 'submit'>;
  readonly now: () => number;
}): (app: FastifyInstance) => void {
  const { forms } = options;
  const arrivals = createAddressLimit(REQUESTS_PER_MINUTE, MINUTE_MS, options.now);

  function admit(request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void): void {
    const wait = arrivals.hit(clientNetwork(request.ip));
    if (wait === null) return done();
    done(new WeftError('RATE_LIMITED', undefined, { reason: 'capacity', retry_after: wait }));
  }

  async function show(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    return sendPage(reply, 200, formPage(await forms.show(readRequest(request))));
  }

  async function submit(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const contentType = request.headers['content-type'];
    const texts = readTexts(request);
    if (contentType === undefined || !FORM_TYPE.test(contentType))
      return sendNote(reply, 415, texts, texts.notes.wrongType);
    const body = Buffer.isBuffer(request.body) ? request.body : EMPTY_BODY;
    const result = await forms.submit(readRequest(request), { contentType, body });
    if (result.kind === 'page')
      return sendPage(reply, result.view.errors.length > 0 ? 400 : 200, formPage(result.view));
    const { form } = result;
    if (form.redirect !== null)
      return reply
        .code(303)
        .headers({ location: new URL(form.redirect).href, 'cache-control': 'no-store' })
        .send();
    return sendPage(reply, 200, finalPage(form, texts));
  }

  return (app) => {
    app.setErrorHandler(sendFailure);
    app.get('/forms/*', { onRequest: admit }, show);
    app.post('/forms/*', { onRequest: admit }, submit);
  };
}

function readRequest(request: FastifyRequest): FormRequest {
  const [path = '', query = ''] = (request.raw.url ?? request.url).split(/\?(.*)/s, 2);
  return { path: path.slice(PREFIX.length).replace(/\/$/, ''), query, texts: readTexts(request) };
}

const readTexts = (request: FastifyRequest): FormTexts => chooseTexts(request.headers['accept-language']);

function sendFailure(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const known = knownError(withRetryAfter(error), request) ?? new WeftError('INTERNAL_ERROR');
  if (known.status >= 500) request.log.error({ err: error }, 'form request failed');
  const wait = known.details['retry_after'];
  if (typeof wait === 'number') reply.header('retry-after', String(wait));
  keepConnectionForBody(request, reply);
  const texts = readTexts(request);
  const isUnreadable = known.code === 'VALIDATION_ERROR' && known.details['unknown'] === undefined;
  const note = describeFailure(known, texts.notes);
  sendNote(reply, known.status, texts, note, isUnreadable ? known.message : '');
}

function describeFailure({ code, details }: WeftError, notes: FormTexts['notes']): Note {
  const { unknown } = details as { unknown?: readonly string[] };
  if (code === 'NOT_FOUND') return notes.notFound;
  if (code === 'RATE_LIMITED') return notes.rateLimited;
  if (code === 'PAYLOAD_TOO_LARGE') return notes.tooLarge(limits.webhookBody / BYTES_PER_MIB);
  if (code !== 'VALIDATION_ERROR') return notes.failed;
  return unknown === undefined ? notes.unreadable : notes.changed(unknown.join(', '));
}

function sendNote(
  reply: FastifyReply,
  status: number,
  { language }: FormTexts,
  [title, text]: Note,
  detail = '',
): FastifyReply {
  return sendPage(reply, status, notePage(title, text, detail, language));
}

function sendPage(reply: FastifyReply, status: number, page: Page): FastifyReply {
  return reply.code(status).headers(page.headers).send(page.html);
}
