/** How many messages a client may still send: a bucket of `burst`, which `perSecond` refill. */
export type MessageRate = {
  /** Takes one. False: there is none. */
  take(): boolean;
};

export function createMessageRate(
  { burst, perSecond }: { readonly burst: number; readonly perSecond: number },
  now: () => number,
): MessageRate {
  let left = burst;
  let at = now();
  return {
    take() {
      const time = now();
      // A clock that was set back refills nothing, and takes nothing away.
      left = Math.min(burst, left + (Math.max(0, time - at) * perSecond) / 1000);
      at = time;
      if (left < 1) return false;
      left--;
      return true;
    },
  };
}
