import type { Principal, RequestOrigin } from '../../contract/principal.ts';
import type { TraceContext } from '../../lib/network/trace-context.ts';
import type { Clock } from '../../ports/clock.ts';
import type { RequestContext } from './request-context.ts';
import { createDataLoaders } from './operations/dataloaders.ts';
import { createTimeBudget } from './run.ts';
import type { GraphqlServices } from './services.ts';

/** Creates a new context for each operation, so that no operation sees data that was loaded for another. */
export type RequestContexts = {
  make(
    principal: Principal | null,
    origin: RequestOrigin,
    bearer: string | null,
    traceContext: TraceContext | null,
  ): RequestContext;
};

export function createRequestContexts(services: GraphqlServices, clock: Clock): RequestContexts {
  return {
    make: (principal, origin, bearer, traceContext) => ({
      principal,
      origin,
      bearer,
      traceContext,
      loaders: createDataLoaders(services, principal, (run) => clock.soon(run)),
      time: createTimeBudget(() => clock.now()),
    }),
  };
}
