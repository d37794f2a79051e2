import { linkSignal, pause, getAbortReason } from './abort.ts';
import { TimeoutError, isTemporary } from './errors.ts';
import { isSettled } from './streams/watch-execution.ts';
import type { ExecutionDetail } from './generated/types.ts';
import type { WebSocketHub } from './streams/websocket-hub.ts';
import type { RequestOptions } from './request.ts';

export type WaitOptions = {
  /** Timeout in ms, default one hour; `Infinity` is allowed. The execution continues after a timeout. */
  readonly timeout?: number | undefined;
  readonly signal?: AbortSignal | undefined;
};

const DEFAULT_TIMEOUT_MS = 3_600_000;
/** Polling intervals in ms: first, longest, with live updates. Each poll counts against the rate limit. */
const FIRST_POLL_MS = 100;
const MAX_POLL_MS = 15_000;
const LIVE_POLL_MS = 60_000;
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Resolves with the execution once it has ended. Uses live updates where they work and polls in any case, so
 * neither is required. @throws {TimeoutError} after `timeout`; request errors, except those that pass within
 * `giveUpAfter` ms.
 */
export async function waitFor(
  get: (id: string, options: RequestOptions) => Promise<ExecutionDetail>,
  hub: (() => WebSocketHub) | null,
  giveUpAfter: number,
  id: string,
  options: WaitOptions = {},
): Promise<ExecutionDetail> {
  const { timeout = DEFAULT_TIMEOUT_MS } = options;
  const link = linkSignal(options.signal);
  const late = new TimeoutError({ message: `The execution ${id} has not ended within ${timeout} ms.` });
  const timer = timeout > MAX_TIMER_MS ? undefined : setTimeout(() => link.abort(late), timeout);
  let isLive = false;
  let isAwake = false;
  let resume = (): void => {};
  const wake = (): void => {
    isAwake = true;
    resume();
  };
  const leave = hub?.().add({
    narrowing: { execution_id: id },
    update(update) {
      if (update.execution_id === id && isSettled(update.status)) wake();
    },
    ready() {
      isLive = true;
      wake();
    },
    lost() {
      isLive = false;
      wake();
    },
    // Without live updates, polling still works.
    failed() {
      isLive = false;
      wake();
    },
  });
  try {
    let failingSince: number | null = null;
    for (let poll = FIRST_POLL_MS; ; poll = Math.min(MAX_POLL_MS, poll * 1.5)) {
      isAwake = false;
      try {
        const execution = await get(id, { signal: link.signal });
        if (isSettled(execution.status)) return execution;
        failingSince = null;
      } catch (error) {
        if (link.signal.aborted) throw getAbortReason(link.signal);
        if (!isTemporary(error)) throw error;
        failingSince ??= performance.now();
        if (performance.now() - failingSince > giveUpAfter) throw error;
      }
      if (isAwake) continue;
      const nap = linkSignal(link.signal);
      resume = () => nap.abort(null);
      // A wake-up ends the pause; an abort does too, and the next request throws its reason.
      await pause(isLive ? LIVE_POLL_MS : poll, nap.signal).catch(() => {});
      resume = () => {};
      nap.free();
    }
  } finally {
    clearTimeout(timer);
    link.free();
    leave?.();
  }
}
