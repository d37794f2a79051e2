/** Runs `work` at most once in so many ms however often it is asked to, and always a last time. */
export function throttle(ms: number, work: () => void): { ask(): void; stop(): void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    ask() {
      timer ??= setTimeout(() => {
        timer = undefined;
        work();
      }, ms);
    },
    stop() {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}
