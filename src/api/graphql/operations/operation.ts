import type { GraphQLArgumentConfig, GraphQLOutputType } from 'graphql';
import { WeftError } from '../../../contract/errors.ts';
import type { Principal } from '../../../contract/principal.ts';
import type { Scope } from '../../../contract/scopes.ts';
import type { RequestContext } from '../request-context.ts';
import type { CostRule } from '../limits/cost-rule.ts';

/** Arguments as received: camelCase, checked only against their GraphQL types. */
export type Args = Readonly<Record<string, unknown>>;

type Base = {
  readonly kind: 'query' | 'mutation';
  readonly name: string;
  readonly description: string;
  readonly args?: Readonly<Record<string, GraphQLArgumentConfig>>;
  readonly type: GraphQLOutputType;
  /** Defaults to 1 for a query and 10 for a mutation. */
  readonly cost?: CostRule;
};
/** An operation without a credential. */
export type PublicOperation = Base & {
  readonly scope: 'public';
  resolve(args: Args, caller: RequestContext): unknown;
};
/**
 * `scope` is as in the REST routes: the service enforces it; it is declared here for the description and the
 * tests.
 */
export type GuardedOperation = Base & {
  readonly scope: Scope | 'session' | 'any';
  resolve(args: Args, principal: Principal, caller: RequestContext): unknown;
};
/** A root field of Query or Mutation. */
export type Operation = PublicOperation | GuardedOperation;

/** Converts NOT_FOUND, also for resources of other users, to null where the contract says so. */
export async function toNullIfMissing<T>(value: Promise<T>): Promise<T | null> {
  try {
    return await value;
  } catch (error) {
    if (error instanceof WeftError && error.code === 'NOT_FOUND') return null;
    throw error;
  }
}

/** Reads a text argument, which its GraphQL type guarantees. */
export function readText(args: Args, name: string): string {
  const value = args[name];
  return typeof value === 'string' ? value : '';
}
