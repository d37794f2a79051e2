import type { HttpAnswer } from '../../contract/execution.ts';
import type { Json } from '../../lib/json/json.ts';
import type { TraceContext } from '../../lib/network/trace-context.ts';
import type { CallHeaders } from './signed-content.ts';

/** A call as it came. `path` is what stands behind `/webhooks/`, still encoded; `query` without the question mark. */
export type WebhookRequest = {
  method: string;
  path: string;
  query: string;
  headers: CallHeaders;
  body: Buffer;
  /** The address as the caller sent it; signatures of some senders cover it. */
  url(): string;
  /** Replaces the trace context of the headers: the span of the request is then the parent of the execution. */
  traceContext?: TraceContext;
};

/** What the caller gets; `body` goes out as JSON unless `answer` says otherwise. */
export type WebhookResponse =
  | { kind: 'json'; executionId: string; body: Json }
  /** To a sender that asks whether this is the right address: nothing was started. */
  | { kind: 'handshake'; body: Json }
  /** The same as plain text, or with headers alone. */
  | { kind: 'handshake_text'; text: string; headers: Record<string, string> }
  | { kind: 'answer'; executionId: string; answer: HttpAnswer };
