/** Addresses that are counted at once; the one that was seen first makes room. */
const MAX_ADDRESSES = 50_000;

/**
 * Counts requests of one address in windows that begin with its first one. `hit` gives null while there is room, else the
 * seconds until there is.
 */
export type AddressLimit = { hit(address: string): number | null };

export function createAddressLimit(limit: number, windowMs: number, now: () => number): AddressLimit {
  const windows = new Map<string, { ends: number; count: number }>();
  return {
    hit(address) {
      const at = now();
      const window = windows.get(address);
      // A clock that was set back must not keep a window open.
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
