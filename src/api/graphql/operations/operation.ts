import type { GraphQLArgumentConfig, GraphQLOutputType } from 'graphql';
import { WeftError } from '../../../contract/errors.ts';
import type { Principal } from '../../../contract/principal.ts';
import type { Scope } from '../../../contract/scopes.ts';
import type { RequestContext } from '../request-context.ts';
import type { CostRule } from '../limits/cost-rule.ts';

/** Arguments as they came: camelCase, not yet checked but for their GraphQL types. */
export type Args = Readonly<Record<string, unknown>>;

type Base = {
  readonly kind: 'query' | 'mutation';
  readonly name: string;
  readonly description: string;
  readonly args?: Readonly<Record<string, GraphQLArgumentConfig>>;
  readonly type: GraphQLOutputType;
  /** Without one: 1 for a query, 10 for a mutation. */
  readonly cost?: CostRule;
};
/** Needs no credential. */
export type PublicOperation = Base & {
  readonly scope: 'public';
  resolve(args: Args, caller: RequestContext): unknown;
};
/** `scope` is as in the table of REST: the service enforces it, the row declares it for the description and the tests. */
export type GuardedOperation = Base & {
  readonly scope: Scope | 'session' | 'any';
  resolve(args: Args, principal: Principal, caller: RequestContext): unknown;
};
/** A root field of Query or Mutation. */
export type Operation = PublicOperation | GuardedOperation;

/** What is missing, or somebody else's, is null where the interface says so. */
export async function orNull<T>(value: Promise<T>): Promise<T | null> {
  try {
    return await value;
  } catch (error) {
    if (error instanceof WeftError && error.code === 'NOT_FOUND') return null;
    throw error;
  }
}

/** The text of an argument that its type guarantees. */
export function text(args: Args, name: string): string {
  const value = args[name];
  return typeof value === 'string' ? value : '';
}
