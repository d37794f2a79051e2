/** What this browser keeps for us. Where it keeps nothing (storage switched off, or full), everything goes on without. */
export const browserStorage = {
  get(key: string): string | null {
    try {
      return localStorage.getItem(key);
    } catch {
      return null;
    }
  },
  set(key: string, value: string | null): void {
    try {
      if (value === null) localStorage.removeItem(key);
      else localStorage.setItem(key, value);
    } catch {
      // It holds until the page is closed.
    }
  },
};
