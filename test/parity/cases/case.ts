import type { Call } from '../../support/service.ts';
import type { Said } from '../clients.ts';

export type Door = 'rest' | 'graphql';
export type Vars = Record<string, string>;

export type Case = {
  readonly operation: string;
  readonly title: string;
  /** Makes what the call needs, over REST as the caller of the door; the names it gives can be said. */
  prepare?(call: Call, door: Door): Promise<Vars>;
  say(vars: Vars, door: Door): Said;
  /** The two doors refuse in words of their own, where a type of GraphQL stands before the service: code and field are equal. */
  readonly typed?: true;
  /** Who calls; the member unless said. `nobody`: without a credential. */
  readonly as?: 'admin' | 'nobody';
};
