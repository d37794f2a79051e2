import type { Call } from '../../support/service.ts';
import type { CallInput } from '../clients.ts';

export type ApiName = 'rest' | 'graphql';
export type Variables = Record<string, string>;

export type Case = {
  readonly operation: string;
  readonly title: string;
  /** Creates what the call needs through REST, as the same caller. `say` can use the returned names. */
  prepare?(call: Call, api: ApiName): Promise<Variables>;
  say(vars: Variables, api: ApiName): CallInput;
  /** The messages differ because GraphQL validates types itself. Code and field are equal. */
  readonly typed?: true;
  /** The caller; default: the member. `nobody`: without a credential. */
  readonly as?: 'admin' | 'nobody';
};
