/** Maximum number of counted addresses; the oldest one is removed first. */
const MAX_ADDRESSES = 50_000;

/**
 * Counts the requests of each address in windows that begin with its first request. `hit` returns null below
 * the limit, or the seconds until the window ends.
 */
export type AddressLimit = { hit(address: string): number | null };

export function createAddressLimit(limit: number, windowMs: number, now: () => number): AddressLimit {
  const windows = new Map<string, { ends: number; count: number }>();
  return {
    hit(address) {
      const at = now();
      const window = windows.get(address);
      // A window that lies in the future, because the clock was set back, is discarded.
      if (window !== undefined && window.ends > at && window.ends - at <= windowMs) {
        window.count++;
        return window.count > limit ? Math.ceil((window.ends - at) / 1000) : null;
      }
      windows.delete(address);
      windows.set(address, { ends: at + windowMs, count: 1 });
      if (windows.size > MAX_ADDRESSES) {
        const oldest = windows.keys().next().value;
        if (oldest !== undefined) windows.delete(oldest);
      }
      return null;
    },
  };
}
