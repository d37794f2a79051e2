import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { readBearer, createUnauthorizedError } from '../../auth/authenticate.ts';
import type { Metrics } from '../../ports/metrics.ts';

export type MetricsPlugin = {
  readonly metrics: Metrics & { text(): Promise<string>; readonly contentType: string };
  /** The Bearer token that `GET /metrics` requires; null when it is public. */
  readonly token: string | null;
};

const WEBHOOK_ROUTE = '/v1/webhooks/*';

/**
 * Adds `GET /metrics` at the root, where Prometheus expects it, and records the requests to all routes of
 * `app`.
 */
export function mountMetrics(app: FastifyInstance, { metrics, token }: MetricsPlugin): void {
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? null;
    metrics.requestCompleted(request.method, route, reply.raw.statusCode, reply.elapsedTime);
    if (route === WEBHOOK_ROUTE) metrics.webhookResponded(reply.raw.statusCode);
    done();
  });
  const expectedDigest = token === null ? null : digest(token);
  app.get('/metrics', async (request, reply) => {
    if (expectedDigest !== null) {
      const { authorization } = request.headers;
      if (authorization === undefined)
        throw createUnauthorizedError('The metrics require a token in the Authorization header (Bearer).');
      if (!timingSafeEqual(digest(readBearer(authorization)), expectedDigest))
        throw createUnauthorizedError('The token is not valid.');
    }
    reply.header('cache-control', 'no-store').type(metrics.contentType);
    return metrics.text();
  });
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
