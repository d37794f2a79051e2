/** ms: the first pause, and the longest one. */
const FIRST = 1_500;
const LONGEST = 60_000;

/**
 * Runs `work` soon after it is asked to, however often it is asked: the pause grows while it goes on being asked, so that a busy
 * workflow does not use up the plan of its owner, and is short again after a quiet time.
 */
export function createAdaptiveThrottle(work: () => void) {
  let pause = FIRST;
  let lastRun = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    ask(): void {
      if (timer !== undefined) return;
      const since = Date.now() - lastRun;
      pause = since > pause * 3 ? FIRST : Math.min(pause * 2, LONGEST);
      timer = setTimeout(
        () => {
          timer = undefined;
          lastRun = Date.now();
          work();
        },
        Math.max(FIRST / 5, lastRun === 0 ? 0 : pause - since),
      );
    },
    stop(): void {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}
