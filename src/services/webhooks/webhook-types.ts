import type { ExecutionResponse } from '../../contract/execution.ts';
import type { Json } from '../../lib/json/json.ts';
import type { TraceContext } from '../../lib/network/trace-context.ts';
import type { FollowStream } from '../executions/streams/execution-streams.ts';
import type { StreamPosition } from '../executions/streams/stream-position.ts';
import type { CallHeaders } from './signed-content.ts';

/** A webhook call. `path` is the still-encoded part after `/webhooks/`; `query` has no question mark. */
export type WebhookRequest = {
  method: string;
  path: string;
  query: string;
  headers: CallHeaders;
  body: Buffer;
  /** The URL as the caller sent it; some senders sign it. */
  url(): string;
  /**
   * Replaces the trace context of the headers: the span of the request becomes the parent of the execution.
   */
  traceContext?: TraceContext;
};

/** The response to the caller. `body` is sent as JSON unless `response` says otherwise. */
export type WebhookResponse =
  | { kind: 'json'; executionId: string; body: Json }
  /** The response to a handshake, by which a sender verifies the endpoint; no execution was started. */
  | { kind: 'handshake'; body: Json }
  /** The same as plain text, or as headers only. */
  | { kind: 'handshake_text'; text: string; headers: Record<string, string> }
  /** Any other response to a handshake. */
  | { kind: 'handshake_response'; response: ExecutionResponse }
  | { kind: 'response'; executionId: string; response: ExecutionResponse }
  /** The stream of the execution after a position (null: from the beginning) until it ends. */
  | {
      kind: 'stream';
      executionId: string;
      ownerId: string;
      open(this: void, after: StreamPosition | null): Promise<FollowStream>;
    };
