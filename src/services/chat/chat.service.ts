import type { ModelUsage } from '../../contract/ai/models.ts';
import { createNotFoundError, WeftError } from '../../contract/errors.ts';
import type { Principal } from '../../contract/principal.ts';
import type { ExecutionEnd } from '../../engine/engine-api.ts';
import { onAbort } from '../../lib/async/abort.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { addUsage, NO_USAGE } from '../../nodes/ai/model-run.ts';
import type { FileStore } from '../../ports/files.ts';
import type { Ids } from '../../ports/ids.ts';
import { limits } from '../../ports/limits.ts';
import type { ExecutionStore } from '../../ports/store/executions.ts';
import { requireScope } from '../authorize.ts';
import type { ExecutionStreams } from '../executions/streams/execution-streams.ts';
import { startCall, type StartCallDeps } from '../triggers/start-call.ts';
import { IncomingFiles } from '../webhooks/webhook-files.ts';
import type { ChatRegistry } from './chat-registry.ts';
import { createChatInput, readChatRequest, type ChatRequest } from './chat-request.ts';
import { readChatMessage, type ChatMessage } from './chat-response.ts';
import { ChatText } from './chat-text.ts';

/** A chat whose execution is on disk. `createdAt`: when it was requested, in epoch ms. */
export type StartedChat = Pick<ChatRequest, 'model' | 'isStreamed' | 'includesUsage'> & {
  readonly executionId: string;
  readonly createdAt: number;
  readonly finalNodes: ReadonlyMap<string, string>;
};

/** The response of a workflow. `usage` is that of all models that it called. */
export type ChatCompletion = { readonly message: ChatMessage; readonly usage: ModelUsage };

export type FollowChatOptions = {
  /** Receives the text while models write it. The pieces together are the text of the response. */
  readonly onText?: (text: string) => void;
  /** Resolves when the client can receive more. */
  readonly ready?: () => Promise<void>;
  /** Ends the wait, not the execution. */
  readonly signal: AbortSignal;
};

export type ChatDeps = StartCallDeps & {
  registry: Pick<ChatRegistry, 'list' | 'find'>;
  executions: Pick<ExecutionStore, 'get'>;
  streams: Pick<ExecutionStreams, 'open'>;
  ids: Ids;
  files: Pick<FileStore, 'put'>;
};

/** Active workflows as models. Each request is an execution, which does not depend on its client. */
export function createChat(deps: ChatDeps) {
  return {
    /**
     * A page of the names of the caller's models. `after`: the name that the page before returned as `next`.
     */
    async list(principal: Principal, after: string): Promise<{ models: string[]; next: string | null }> {
      requireChatScopes(principal);
      const { values, next } = await deps.registry.list(principal.userId, after, limits.chatModelPage);
      return { models: values.map(({ name }) => name), next };
    },

    /** @throws {WeftError} NOT_FOUND */
    async requireModel(principal: Principal, name: string): Promise<void> {
      requireChatScopes(principal);
      await deps.registry.find(principal.userId, name);
    },

    /**
     * Starts an execution, or returns the one that the same key started.
     * @throws {WeftError} VALIDATION_ERROR; NOT_FOUND for an unknown model; CONFLICT for a key with another
     * request
     */
    async start(principal: Principal, body: unknown, key: string | null): Promise<StartedChat> {
      requireChatScopes(principal);
      const files = new IncomingFiles(deps);
      const request = readChatRequest(body, files.take);
      const { model, isStreamed, includesUsage } = request;
      const endpoint = await deps.registry.find(principal.userId, model);
      const executionId = await startCall(deps, endpoint, {
        kind: 'chat',
        input: createChatInput(request),
        key: key === null ? null : { field: 'Idempotency-Key', value: key },
        // The input contains the ids of files, which differ.
        content: body as JsonObject,
        storeFiles: files.isEmpty ? undefined : () => files.store(),
      });
      const { finalNodes } = endpoint.value;
      return { model, isStreamed, includesUsage, executionId, createdAt: deps.clock.now(), finalNodes };
    },

    /**
     * Waits for the response; null if `signal` aborted before.
     * @throws {WeftError} EXECUTION_FAILED; NOT_FOUND if the execution was deleted; CONFLICT if a text that
     * was sent is not part of the response
     */
    async follow(
      principal: Principal,
      { executionId, finalNodes }: StartedChat,
      { onText, ready = () => Promise.resolve(), signal }: FollowChatOptions,
    ): Promise<ChatCompletion | null> {
      const row = await deps.executions.get(principal.userId, executionId);
      if (row === null) throw createNotFoundError('execution');
      const text = onText === undefined ? null : new ChatText(finalNodes, onText);
      let usage = NO_USAGE;
      let isConsistent = true;
      let end: ExecutionEnd | null = null;
      let wake = (): void => {};
      const ignoreAbort = onAbort(signal, () => wake());
      try {
        const follow = await deps.streams.open(row, null);
        await follow({
          event(streamed) {
            const { event } = streamed;
            if (event.type === 'done') end = event;
            else if (event.type === 'usage') usage = addUsage(usage, { ...NO_USAGE, ...event.usage });
            isConsistent &&= text?.receive(streamed) ?? true;
            if (!isConsistent) wake();
          },
          ready,
          isClosed: () => signal.aborted || !isConsistent,
          onClose: (run) => (wake = run),
        });
      } finally {
        ignoreAbort();
      }
      if (!isConsistent) throw changedText(executionId);
      if (end === null) {
        if (signal.aborted) return null;
        throw createNotFoundError('execution');
      }
      const message = readChatMessage(requireCompleted(end, executionId));
      if (text?.complete(message.text) === false) throw changedText(executionId);
      return { message, usage };
    },
  };
}

export type Chat = ReturnType<typeof createChat>;

/** A chat runs a workflow, and returns what its execution does. */
function requireChatScopes(principal: Principal): void {
  requireScope(principal, 'executions:write');
  requireScope(principal, 'executions:read');
}

function requireCompleted({ status, output, error }: ExecutionEnd, executionId: string): Json {
  if (status === 'completed') return output;
  const message =
    status === 'stopped' || error === null
      ? `The execution ${executionId} was stopped.`
      : `The execution ${executionId} failed at the node ${error.node_id}: ${error.message}`;
  throw new WeftError('EXECUTION_FAILED', message, { execution_id: executionId, status });
}

function changedText(executionId: string): WeftError {
  return new WeftError(
    'CONFLICT',
    `The text that was sent is not part of the response: it began anew, or the workflow has another output. Read the execution ${executionId}, or send the request without stream.`,
    { execution_id: executionId },
  );
}
