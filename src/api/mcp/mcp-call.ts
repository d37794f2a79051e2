import { ProtocolError, ProtocolErrorCode, type ServerContext } from '@modelcontextprotocol/server';
import type { Principal } from '../../contract/principal.ts';
import { isObject, type Json } from '../../lib/json/json.ts';

/** The extension with which a call can become a task (SEP-2663). */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';
/** `_meta` of a call: the same key and arguments return the same execution for 24 h. */
const IDEMPOTENCY_KEY = 'weft/idempotencyKey';
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';

/** A request of a client, with what the client supports. */
export type McpCall = {
  readonly principal: Principal;
  /** Of a version before 2026-07-28, where a call names the task that it wants. */
  readonly isEarlier: boolean;
  readonly supportsTasks: boolean;
  /** Whether the client shows forms to its user. */
  readonly supportsElicitation: boolean;
  /** Aborts when the client leaves or the service stops. */
  readonly signal: AbortSignal;
  readonly idempotencyKey: string | null;
  /** What the client responds to the questions of an execution, by key. */
  readonly inputResponses: unknown;
  /** Undefined if the client does not want progress. */
  readonly onProgress: ((count: number, message: string) => void) | undefined;
};

/**
 * Reads the context of a request. Versions before 2026-07-28 declare nothing with a request.
 * @throws {ProtocolError} for an idempotency key that is not a string
 */
export function readCall(
  principal: Principal,
  { mcpReq }: Pick<ServerContext, 'mcpReq'>,
  isEarlier: boolean,
  stopping: AbortSignal,
): McpCall {
  const envelope = (mcpReq.envelope ?? {}) as Readonly<Record<string, Json>>;
  const declared = isObject(envelope[CAPABILITIES]) ? envelope[CAPABILITIES] : {};
  const { extensions } = declared;
  const token = mcpReq._meta?.progressToken;
  const key = mcpReq._meta?.[IDEMPOTENCY_KEY] ?? null;
  if (key !== null && typeof key !== 'string')
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `_meta.${IDEMPOTENCY_KEY} must be a string`);
  return {
    principal,
    isEarlier,
    supportsTasks: isObject(extensions) && isObject(extensions[TASKS_EXTENSION]),
    supportsElicitation: isObject(declared['elicitation']),
    signal: AbortSignal.any([mcpReq.signal, stopping]),
    inputResponses: mcpReq.inputResponses,
    idempotencyKey: key,
    onProgress:
      token === undefined
        ? undefined
        : (progress, message) => {
            const params = { progressToken: token, progress, message };
            // A client that has left needs no progress.
            mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {});
          },
  };
}
