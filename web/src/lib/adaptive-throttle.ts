/** The initial and the maximum delay in ms. */
const INITIAL_INTERVAL_MS = 1_500;
const MAX_DELAY_MS = 60_000;

/**
 * Throttles `work`: the delay grows while calls continue, so that a busy workflow does not use up the user's
 * rate limit, and is reset after a pause.
 */
export function createAdaptiveThrottle(work: () => void) {
  let pause = INITIAL_INTERVAL_MS;
  let lastRun = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    ask(): void {
      if (timer !== undefined) return;
      const since = Date.now() - lastRun;
      pause = since > pause * 3 ? INITIAL_INTERVAL_MS : Math.min(pause * 2, MAX_DELAY_MS);
      timer = setTimeout(
        () => {
          timer = undefined;
          lastRun = Date.now();
          work();
        },
        Math.max(INITIAL_INTERVAL_MS / 5, lastRun === 0 ? 0 : pause - since),
      );
    },
    stop(): void {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}
