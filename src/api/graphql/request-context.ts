import { WeftError } from '../../contract/errors.ts';
import type { Principal, RequestOrigin } from '../../contract/principal.ts';
import type { TraceContext } from '../../lib/network/trace-context.ts';
import type { DataLoaders } from './operations/dataloaders.ts';

/** The caller and the state of one operation, passed to every resolver. */
export type RequestContext = {
  /** Null for a public operation without a valid credential. */
  readonly principal: Principal | null;
  /** Where the request came from, for login throttling and the audit log. */
  readonly origin: RequestOrigin;
  /** The token of the Authorization header; null without one. */
  readonly bearer: string | null;
  /** The trace context of the HTTP request. */
  readonly traceContext: TraceContext | null;
  readonly loaders: DataLoaders;
  readonly time: TimeBudget;
};

/** The time that an operation has left. */
export type TimeBudget = {
  /** @throws {WeftError} when no time is left. Every change checks this before it begins. */
  requireTime(): void;
  /** Runs a call that waits on purpose, without counting its time. */
  runUntimed<T>(run: () => Promise<T>): Promise<T>;
};

/** @throws {WeftError} UNAUTHORIZED */
export function requirePrincipal(caller: RequestContext): Principal {
  if (caller.principal === null) throw new WeftError('UNAUTHORIZED');
  return caller.principal;
}
