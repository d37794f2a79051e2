import type { LogLevel } from '../../contract/execution.ts';
import type { HttpRequest, HttpResponse } from '../../contract/node-type.ts';
import type { Json } from '../../lib/json/json.ts';
import type { Receive } from '../http/egress-client.ts';

/** What a client of an MCP server uses: the egress policy, the end and the log of one attempt. */
export type McpChannel = {
  readonly ownerId: string;
  /** Aborted when the attempt ends. */
  readonly signal: AbortSignal;
  /**
   * Sends a request with the secrets and the egress policy of the attempt, also after its end, until `signal`
   * aborts. Rejects with HttpFailure.
   */
  send(request: HttpRequest, signal: AbortSignal, receive: Receive): Promise<HttpResponse>;
  log(level: LogLevel, message: string, data: Json): void;
};
