import { getAbortReason } from '../abort.ts';
import { SlowReaderError, isTemporary, type WeftError } from '../errors.ts';
import type { DecisionChange, ExecutionUpdate, Notification } from '../generated/types.ts';
import { createExecutionWatch, type ExecutionReader } from './watch-execution.ts';
import type { LiveListener, WebSocketHub } from './websocket-hub.ts';

export type LiveOptions = {
  readonly signal?: AbortSignal | undefined;
  /** Limits the updates to this workflow. */
  readonly workflowId?: string | undefined;
  /** Limits the updates to one execution: from its current state to its final status. */
  readonly executionId?: string | undefined;
};

/** The maximum number of updates queued for a slow reader. */
const MAX_WAITING = 10_000;
/** ms between attempts to read missed updates while connected. */
const REREAD_DELAY_MS = 1_000;

export type Live = ReturnType<typeof createLive>;

/** Live updates over the hub's connection. `hub` throws where WebSocket is not available. */
export function createLive(hub: () => WebSocketHub, reader: ExecutionReader) {
  return {
    /**
     * Yields every change of the matching executions. For a single execution, only the newest state is queued
     * for a slow reader: intermediate states may be skipped, the last never is. After a reconnection the
     * current state is read, and yielded if it differs. @throws {ConnectionError} when there is no connection
     * for the client's `giveUpAfter`, {UnauthorizedError}, {NotFoundError} when `executionId` does not exist,
     * {SlowReaderError}.
     */
    async *executions(options: LiveOptions = {}): AsyncGenerator<ExecutionUpdate, void, undefined> {
      const { workflowId, executionId, signal } = options;
      const watch = createExecutionWatch(reader, { workflowId, executionId }, MAX_WAITING);
      const inbox = createInbox(signal);
      let reading: Promise<void> | null = null;
      let isReadWanted = false;
      const readMissed = async (): Promise<void> => {
        while (isReadWanted) {
          isReadWanted = false;
          try {
            await watch.read(inbox.signal);
          } catch (error) {
            if (!isTemporary(error)) {
              inbox.fail(error as WeftError);
              return;
            }
            isReadWanted = true;
            await new Promise((resolve) => setTimeout(resolve, REREAD_DELAY_MS));
          }
          inbox.wake();
        }
      };
      const leave = hub().add({
        narrowing:
          workflowId === undefined && executionId === undefined
            ? null
            : {
                ...(workflowId === undefined ? {} : { workflow_id: workflowId }),
                ...(executionId === undefined ? {} : { execution_id: executionId }),
              },
        update(update) {
          if (!watch.offer(update)) inbox.fail(createSlowReaderError());
          inbox.wake();
        },
        ready() {
          isReadWanted = true;
          reading ??= readMissed().finally(() => {
            reading = null;
          });
        },
        lost() {
          isReadWanted = false;
        },
        failed: (error) => inbox.fail(error),
      });
      try {
        for (;;) {
          for (let next = watch.take(); next !== null; next = watch.take()) {
            // No update follows the end of the requested execution, and the reader may not call `next` again.
            if (watch.isOver()) leave();
            yield next;
            if (watch.isOver()) return;
          }
          await inbox.waitForWake();
        }
      } finally {
        isReadWanted = false;
        leave();
        inbox.close();
      }
    },

    /** Yields notifications for the user. Those sent while disconnected are lost, since none are stored. */
    notifications: (
      options: Pick<LiveOptions, 'signal'> = {},
    ): AsyncGenerator<Notification, void, undefined> =>
      queueEvents(hub, options.signal, (notification) => ({ notification })),

    /**
     * Yields changes of decisions that the user is asked for, or that executions of the user ask for. Changes
     * while disconnected are not repeated: `client.decisions.list` returns the current state.
     */
    decisions: (options: Pick<LiveOptions, 'signal'> = {}): AsyncGenerator<DecisionChange, void, undefined> =>
      queueEvents(hub, options.signal, (decision) => ({ decision })),
  };
}

/** Yields the events that the listener's part passes to `put`, in order. */
async function* queueEvents<T>(
  hub: () => WebSocketHub,
  signal: AbortSignal | undefined,
  listen: (put: (event: T) => void) => Pick<LiveListener, 'notification' | 'decision'>,
): AsyncGenerator<T, void, undefined> {
  const waiting: T[] = [];
  const inbox = createInbox(signal);
  const leave = hub().add({
    narrowing: null,
    update() {},
    ...listen((event) => {
      if (waiting.length >= MAX_WAITING) inbox.fail(createSlowReaderError());
      else waiting.push(event);
      inbox.wake();
    }),
    ready() {},
    lost() {},
    failed: (error) => inbox.fail(error),
  });
  try {
    for (;;) {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) yield next;
      await inbox.waitForWake();
    }
  } finally {
    leave();
    inbox.close();
  }
}

function createSlowReaderError(): SlowReaderError {
  return new SlowReaderError({ message: `More than ${MAX_WAITING} updates wait for their reader.` });
}

/** Lets a generator wait for the next item, its end, or its signal. `signal` ends with the generator. */
function createInbox(outer: AbortSignal | undefined) {
  const controller = new AbortController();
  let problem: Error | null = null;
  let isAwake = false;
  let resume: (() => void) | null = null;
  const wake = (): void => {
    isAwake = true;
    resume?.();
  };
  const fail = (error: Error): void => {
    problem ??= error;
    wake();
  };
  const onAbort = (): void => fail(getAbortReason(outer!));
  if (outer?.aborted === true) onAbort();
  outer?.addEventListener('abort', onAbort, { once: true });
  return {
    signal: controller.signal,
    wake,
    fail,
    /** Resolves after the next `wake`. @throws the error passed to `fail`. */
    async waitForWake(): Promise<void> {
      if (!isAwake) {
        await new Promise<void>((resolve) => {
          resume = resolve;
        });
      }
      resume = null;
      isAwake = false;
      if (problem !== null) throw problem;
    },
    close(): void {
      outer?.removeEventListener('abort', onAbort);
      controller.abort(new DOMException('The updates are no longer read.', 'AbortError'));
    },
  };
}
