import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { bearerOf, unauthorized } from '../../auth/authenticate.ts';
import type { Metrics } from '../../ports/metrics.ts';

export type MetricsDoor = {
  readonly metrics: Metrics & { text(): Promise<string>; readonly contentType: string };
  /** What `GET /metrics` needs as Bearer; null: nothing. */
  readonly token: string | null;
};

const WEBHOOKS = '/v1/webhooks/*';

/** Tells of a request that was answered; of a webhook's, that it was one. */
export function tellAnswered(
  metrics: Metrics,
  method: string,
  route: string | null,
  status: number,
  ms: number,
): void {
  metrics.requestAnswered(method, route, status, ms);
  if (route === WEBHOOKS) metrics.webhookAnswered(status);
}

/** `GET /metrics`, at the root as Prometheus expects it, and what it tells of the requests to all routes of `app`. */
export function mountMetrics(
  app: FastifyInstance,
  { metrics, token }: MetricsDoor,
  spentBefore: (request: IncomingMessage) => number,
): void {
  app.addHook('onResponse', (request, reply, done) => {
    const ms = spentBefore(request.raw) + reply.elapsedTime;
    tellAnswered(metrics, request.method, request.routeOptions.url ?? null, reply.raw.statusCode, ms);
    done();
  });
  const wanted = token === null ? null : digest(token);
  app.get('/metrics', async (request, reply) => {
    if (wanted !== null) {
      const { authorization } = request.headers;
      if (authorization === undefined) throw unauthorized('The metrics need a token: Authorization: Bearer.');
      if (!timingSafeEqual(digest(bearerOf(authorization)), wanted))
        throw unauthorized('The token is not valid.');
    }
    reply.header('cache-control', 'no-store').type(metrics.contentType);
    return metrics.text();
  });
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
