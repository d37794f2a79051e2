/** Resolves after `ms`. @throws the signal's reason when it aborts first. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(getAbortReason(signal));
      return;
    }
    const timer = setTimeout(finish, ms);
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(getAbortReason(signal!));
    };
    function finish(): void {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

/** A signal that follows `parent` and can be aborted separately. Call `free` to release it from `parent`. */
export function linkSignal(parent: AbortSignal | undefined): {
  signal: AbortSignal;
  abort(reason: unknown): void;
  free(): void;
} {
  const controller = new AbortController();
  const follow = (): void => controller.abort(getAbortReason(parent!));
  if (parent?.aborted === true) follow();
  parent?.addEventListener('abort', follow, { once: true });
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    free: () => parent?.removeEventListener('abort', follow),
  };
}

/** The error to throw for an aborted signal. */
export function getAbortReason(signal: AbortSignal): Error {
  return signal.reason instanceof Error
    ? signal.reason
    : new DOMException(String(signal.reason), 'AbortError');
}
