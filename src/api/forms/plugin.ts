import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { WeftError } from '../../contract/errors.ts';
import { clientNetwork } from '../../lib/network/client-network.ts';
import type { FormRequest, Forms } from '../../services/forms/forms.service.ts';
import { withRetryAfter } from '../../services/executions/overload.ts';
import { keepConnectionForBody, knownError } from '../http/errors.ts';
import { createAddressLimit } from '../oauth/address-limit.ts';
import { notePage, type Page } from '../oauth/pages.ts';
import { finalPage, formPage } from './pages.ts';

const MINUTE_MS = 60_000;
/** Requests from one address. */
const REQUESTS_PER_MINUTE = 120;
const PREFIX = '/v1/forms/';
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
    if (contentType === undefined || !FORM_TYPE.test(contentType))
      return sendPage(
        reply,
        415,
        notePage('This is not a form', 'Send multipart/form-data or application/x-www-form-urlencoded.', ''),
      );
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
    return sendPage(reply, 200, finalPage(form));
  }

  return (app) => {
    app.setErrorHandler(sendFailure);
    app.get('/forms/*', { onRequest: admit }, show);
    app.post('/forms/*', { onRequest: admit }, submit);
  };
}

function readRequest(request: FastifyRequest): FormRequest {
  const [path = '', query = ''] = (request.raw.url ?? request.url).split(/\?(.*)/s, 2);
  return { path: path.slice(PREFIX.length).replace(/\/$/, ''), query };
}

const NOTES: Readonly<Partial<Record<string, readonly [title: string, text: string]>>> = {
  NOT_FOUND: ['This form is not available', 'The address is wrong, or the form was closed.'],
  RATE_LIMITED: [
    'Too many requests',
    'Go back in a minute and submit the form again. What you entered is kept by your browser.',
  ],
  PAYLOAD_TOO_LARGE: ['The files are too large', 'Go back and choose smaller files: at most 16 MB in total.'],
  VALIDATION_ERROR: ['The form could not be read', 'Open the form again: it may have changed.'],
};

function sendFailure(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const known = knownError(withRetryAfter(error), request) ?? new WeftError('INTERNAL_ERROR');
  if (known.status >= 500) request.log.error({ err: error }, 'form request failed');
  const wait = known.details['retry_after'];
  if (typeof wait === 'number') reply.header('retry-after', String(wait));
  keepConnectionForBody(request, reply);
  const [title, text] = NOTES[known.code] ?? [
    'The form could not be submitted',
    'This is an error of the service. Go back and submit the form again.',
  ];
  sendPage(
    reply,
    known.status,
    notePage(title, text, known.code === 'VALIDATION_ERROR' ? known.message : ''),
  );
}

function sendPage(reply: FastifyReply, status: number, page: Page): FastifyReply {
  return reply.code(status).headers(page.headers).send(page.html);
}
