import type { FastifyInstance, FastifyReply } from 'fastify';
import { WeftError } from '../../contract/errors.ts';
import type { AuthorizationResult } from '../../services/credentials/authorizations.ts';
import { readOrigin } from '../http/request-origin.ts';
import type { Connections } from '../../services/credentials/connections.service.ts';
import { createAddressLimit } from '../../lib/limits/address-limit.ts';
import { renderNotePage, type Page } from '../oauth/pages.ts';
import { getClientNetwork } from '../../lib/network/client-network.ts';

const MINUTE_MS = 60_000;
/** Requests from one address; each user returns once. */
const REQUESTS_PER_MINUTE = 60;
/** Maximum length of a parameter; providers send far shorter ones. */
const MAX_PARAMETER_LENGTH = 8_192;
const PARAMETER_NAMES = ['state', 'code', 'error', 'error_description'] as const;

/**
 * The redirect endpoint of OAuth providers, below `/v1`: it identifies the connection by `state` and shows a
 * page or redirects.
 */
export function connectionCallbackPlugin(options: {
  readonly connections: Pick<Connections, 'handleCallback'>;
  readonly now: () => number;
}): (app: FastifyInstance) => void {
  const arrivals = createAddressLimit(REQUESTS_PER_MINUTE, MINUTE_MS, options.now);
  return (app) => {
    // Without HEAD, because a preview must not use up the state.
    app.get('/connections/callback', { exposeHeadRoute: false }, async (request, reply) => {
      const wait = arrivals.hit(getClientNetwork(request.ip));
      if (wait !== null) {
        reply.header('retry-after', wait);
        throw new WeftError('RATE_LIMITED', undefined, { reason: 'capacity' });
      }
      const query = request.query as Readonly<Record<string, unknown>>;
      const parameters: Partial<Record<(typeof PARAMETER_NAMES)[number], string>> = {};
      for (const name of PARAMETER_NAMES) {
        const value = query[name];
        if (typeof value === 'string' && value.length <= MAX_PARAMETER_LENGTH) parameters[name] = value;
      }
      return sendResult(reply, await options.connections.handleCallback(parameters, readOrigin(request)));
    });
  };
}

function sendResult(reply: FastifyReply, { name, returnTo, error }: AuthorizationResult): FastifyReply {
  if (name === null)
    return sendPage(
      reply.code(400),
      renderNotePage(
        'This link is not valid',
        'It was used before, has expired, or was not created by this Weft. Request a new link and try again.',
        '',
      ),
    );
  if (returnTo !== null) {
    const url = new URL(returnTo, 'http://weft.invalid');
    url.searchParams.set('connection', name);
    if (error === null) url.searchParams.set('status', 'connected');
    else url.searchParams.set('error', error);
    return reply
      .code(303)
      .headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
      .header('location', `${url.pathname}${url.search}${url.hash}`)
      .send('');
  }
  return error === null
    ? sendPage(
        reply.code(200),
        renderNotePage(
          'Connected',
          `Workflows can now use the connection ${name}. You can close this page.`,
          '',
        ),
      )
    : sendPage(
        reply.code(400),
        renderNotePage('Not connected', `The connection ${name} was not connected.`, error),
      );
}

function sendPage(reply: FastifyReply, page: Page): FastifyReply {
  // The URL of this page contains a code, so no referrer is sent.
  return reply.headers({ ...page.headers, 'referrer-policy': 'no-referrer' }).send(page.html);
}
