import type { HttpRequest, HttpResponse } from '../../contract/node-type.ts';
import type { ModelCallSum } from '../../contract/ai/usage.ts';
import type { Receive } from '../http/egress-client.ts';

/** What a call of a model uses: the secrets and the egress policy of one attempt. */
export type ModelChannel = {
  /** Aborted when the attempt ends. */
  readonly signal: AbortSignal;
  readonly ownerId: string;
  readonly workflowId: string;
  /** The calls that the attempt completed. They are added here. */
  readonly calls: ModelCallSum[];
  /** Rejects with HttpFailure. */
  send(request: HttpRequest, receive: Receive): Promise<HttpResponse>;
};
