import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { WeftError } from '../../contract/errors.ts';
import { chooseTexts } from '../../contract/forms/texts/choose-texts.ts';
import type { FormTexts } from '../../contract/forms/texts/form-texts.ts';
import { clientNetwork } from '../../lib/network/client-network.ts';
import type { Decisions } from '../../services/decisions/decisions.service.ts';
import { createAddressLimit } from '../oauth/address-limit.ts';
import type { Page } from '../oauth/pages.ts';
import { readOrigin } from '../http/request-origin.ts';
import { decisionPage, listFieldIssues, readResponse, unknownLinkPage } from './pages.ts';

const MINUTE_MS = 60_000;
/** Requests from one address. */
const REQUESTS_PER_MINUTE = 120;
const BODY_LIMIT_BYTES = 1024 * 1024;

const readTexts = (request: FastifyRequest): FormTexts => chooseTexts(request.headers['accept-language']);

type LinkRequest = FastifyRequest<{ Params: { token: string } }>;

/** The page behind the link of one person to one decision, below `/v1`. Only a POST responses. */
export function decisionPagesPlugin(options: {
  readonly decisions: Pick<Decisions, 'findByLink' | 'respondByLink'>;
  readonly now: () => number;
}): (app: FastifyInstance) => void {
  const { decisions } = options;
  const arrivals = createAddressLimit(REQUESTS_PER_MINUTE, MINUTE_MS, options.now);

  function admit(request: FastifyRequest, reply: FastifyReply): void {
    const wait = arrivals.hit(clientNetwork(request.ip));
    if (wait === null) return;
    reply.header('retry-after', wait);
    throw new WeftError('RATE_LIMITED', undefined, { reason: 'capacity' });
  }

  async function show(request: LinkRequest, reply: FastifyReply): Promise<FastifyReply> {
    admit(request, reply);
    const texts = readTexts(request);
    try {
      const decision = await decisions.findByLink(request.params.token, readOrigin(request));
      return sendPage(reply, 200, decisionPage(decision, texts));
    } catch (error) {
      return sendFailure(reply, error, texts);
    }
  }

  async function respond(request: LinkRequest, reply: FastifyReply): Promise<FastifyReply> {
    admit(request, reply);
    const { token } = request.params;
    const origin = readOrigin(request);
    const texts = readTexts(request);
    const body = new URLSearchParams(typeof request.body === 'string' ? request.body : '');
    try {
      const input = readResponse(await decisions.findByLink(token, origin), body);
      try {
        return sendPage(
          reply,
          200,
          decisionPage(await decisions.respondByLink(token, input, origin, texts), texts),
        );
      } catch (error) {
        if (!(error instanceof WeftError) || error.code === 'NOT_FOUND') throw error;
        const { comment, values = {} } = input;
        const refused = { comment, values, issue: error.message, fields: listFieldIssues(error) };
        return sendPage(
          reply,
          error.status,
          decisionPage(await decisions.findByLink(token, origin), texts, refused),
        );
      }
    } catch (error) {
      return sendFailure(reply, error, texts);
    }
  }

  return (app) => {
    app.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: BODY_LIMIT_BYTES },
      (_request, body, done) => done(null, body),
    );
    app.get('/decide/:token', show);
    app.post('/decide/:token', { bodyLimit: BODY_LIMIT_BYTES }, respond);
  };
}

function sendFailure(reply: FastifyReply, error: unknown, texts: FormTexts): FastifyReply {
  if (error instanceof WeftError && error.code === 'NOT_FOUND')
    return sendPage(reply, 404, unknownLinkPage(texts));
  throw error;
}

function sendPage(reply: FastifyReply, status: number, page: Page): FastifyReply {
  // The URL of this page is a credential, so no referrer is sent.
  return reply
    .code(status)
    .headers({ ...page.headers, 'referrer-policy': 'no-referrer' })
    .send(page.html);
}
