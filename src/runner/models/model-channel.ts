import type { HttpRequest, HttpResponse } from '../../contract/node-type.ts';
import type { Receive } from '../http/egress-client.ts';

/** What a call of a model uses: the secrets and the egress policy of one attempt. */
export type ModelChannel = {
  /** Aborted when the attempt ends. */
  readonly signal: AbortSignal;
  /** Rejects with HttpFailure. */
  send(request: HttpRequest, receive: Receive): Promise<HttpResponse>;
};
