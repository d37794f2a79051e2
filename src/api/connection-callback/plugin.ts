import type { FastifyInstance, FastifyReply } from 'fastify';
import { WeftError } from '../../contract/errors.ts';
import type { Connections, Return } from '../../services/credentials/connections.service.ts';
import { createAddressLimit } from '../oauth/address-limit.ts';
import { notePage, type Page } from '../oauth/pages.ts';
import { clientNetwork } from '../../lib/network/client-network.ts';

const MINUTE = 60_000;
/** Of one address: everyone comes back once. */
const PER_MINUTE = 60;
/** Characters of a parameter; what a provider sends is far shorter. */
const MAX_PARAMETER = 8_192;
const NAMES = ['state', 'code', 'error', 'error_description'] as const;

/** Where browsers come back to from a provider: it says who they are by the `state`, and shows or redirects. Below `/v1`. */
export function connectionCallbackPlugin(options: {
  readonly connections: Pick<Connections, 'returned'>;
  readonly now: () => number;
}): (app: FastifyInstance) => void {
  const arrivals = createAddressLimit(PER_MINUTE, MINUTE, options.now);
  return (app) => {
    // Without HEAD: whoever only looks must not use the state up.
    app.get('/connections/callback', { exposeHeadRoute: false }, async (request, reply) => {
      const wait = arrivals.hit(clientNetwork(request.ip));
      if (wait !== null) {
        reply.header('retry-after', wait);
        throw new WeftError('RATE_LIMITED', undefined, { reason: 'capacity' });
      }
      const query = request.query as Readonly<Record<string, unknown>>;
      const given: Partial<Record<(typeof NAMES)[number], string>> = {};
      for (const name of NAMES) {
        const value = query[name];
        if (typeof value === 'string' && value.length <= MAX_PARAMETER) given[name] = value;
      }
      return answer(reply, await options.connections.returned(given));
    });
  };
}

function answer(reply: FastifyReply, { name, returnTo, error }: Return): FastifyReply {
  if (name === null)
    return show(
      reply.code(400),
      notePage(
        'This address does not work',
        'It was used before, it is too old, or it was not made here. Ask for a new one, and begin again.',
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
    ? show(
        reply.code(200),
        notePage('Connected', `Workflows can use the connection ${name} now. You can close this page.`, ''),
      )
    : show(reply.code(400), notePage('Not connected', `The connection ${name} was not connected.`, error));
}

function show(reply: FastifyReply, page: Page): FastifyReply {
  // The address of this page holds a code: it goes to nobody.
  return reply.headers({ ...page.headers, 'referrer-policy': 'no-referrer' }).send(page.html);
}
