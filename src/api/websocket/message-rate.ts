/** Limits the messages of a client with a token bucket of `burst` tokens, refilled with `perSecond`. */
export type MessageRate = {
  /** Takes a token; false when there is none. */
  tryConsume(): boolean;
};

export function createMessageRate(
  { burst, perSecond }: { readonly burst: number; readonly perSecond: number },
  now: () => number,
): MessageRate {
  let tokens = burst;
  let lastRefill = now();
  return {
    tryConsume() {
      const time = now();
      // A clock that is set back neither refills the bucket nor empties it.
      tokens = Math.min(burst, tokens + (Math.max(0, time - lastRefill) * perSecond) / 1000);
      lastRefill = time;
      if (tokens < 1) return false;
      tokens--;
      return true;
    },
  };
}
