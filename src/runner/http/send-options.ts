import type { HttpRequest } from '../../contract/node-type.ts';
import type { Receive } from './egress-client.ts';

/** The request ends with `signal` instead of with the attempt, and `receive` streams its response. */
export type SendOptions = { readonly signal: AbortSignal; readonly receive: Receive };

/** Time for a request that is sent after the end of an attempt, ms. */
const CLEAN_UP_TIMEOUT_MS = 10_000;

/** Undefined: the request ends with the attempt. */
export function createSendOptions({ afterEnd }: HttpRequest): SendOptions | undefined {
  return afterEnd === true
    ? { signal: AbortSignal.timeout(CLEAN_UP_TIMEOUT_MS), receive: () => null }
    : undefined;
}
