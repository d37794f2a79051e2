import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { readBearer, unauthorized } from '../../auth/authenticate.ts';
import type { Metrics } from '../../ports/metrics.ts';

export type MetricsPlugin = {
  readonly metrics: Metrics & { text(): Promise<string>; readonly contentType: string };
  /** What `GET /metrics` needs as Bearer; null: nothing. */
  readonly token: string | null;
};

const WEBHOOKS = '/v1/webhooks/*';

/** `GET /metrics`, at the root as Prometheus expects it, and what it tells of the requests to all routes of `app`. */
export function mountMetrics(app: FastifyInstance, { metrics, token }: MetricsPlugin): void {
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? null;
    metrics.requestAnswered(request.method, route, reply.raw.statusCode, reply.elapsedTime);
    if (route === WEBHOOKS) metrics.webhookAnswered(reply.raw.statusCode);
    done();
  });
  const wanted = token === null ? null : digest(token);
  app.get('/metrics', async (request, reply) => {
    if (wanted !== null) {
      const { authorization } = request.headers;
      if (authorization === undefined) throw unauthorized('The metrics need a token: Authorization: Bearer.');
      if (!timingSafeEqual(digest(readBearer(authorization)), wanted))
        throw unauthorized('The token is not valid.');
    }
    reply.header('cache-control', 'no-store').type(metrics.contentType);
    return metrics.text();
  });
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
