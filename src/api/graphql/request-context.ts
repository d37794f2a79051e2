import { WeftError } from '../../contract/errors.ts';
import type { Principal } from '../../contract/principal.ts';
import type { TraceContext } from '../../lib/network/trace-context.ts';
import type { DataLoaders } from './operations/dataloaders.ts';

/** Who asks, and what belongs to this one operation: the context of every resolver. */
export type RequestContext = {
  /** Null when a public operation is asked for without a valid credential. */
  readonly principal: Principal | null;
  /** For the throttle of logins. */
  readonly address: string;
  /** The token of the Authorization header; null without one. */
  readonly bearer: string | null;
  /** The trace context of the HTTP request. */
  readonly traceContext: TraceContext | null;
  readonly loaders: DataLoaders;
  readonly time: TimeBudget;
};

/** How long an operation may still take. */
export type TimeBudget = {
  /** @throws {WeftError} when it is used up. Nothing that changes something begins after that. */
  requireTime(): void;
  /** Runs something whose waiting was asked for: it does not count. */
  exempt<T>(run: () => Promise<T>): Promise<T>;
};

/** @throws {WeftError} UNAUTHORIZED */
export function principalOf(caller: RequestContext): Principal {
  if (caller.principal === null) throw new WeftError('UNAUTHORIZED');
  return caller.principal;
}
