import { useCallback } from 'react';
import { useSearchParams } from 'wouter';

/** Filters in the URL: a link shows the same list, and Back restores the previous filters. */
export function useUrlState() {
  const [query, setQuery] = useSearchParams();
  const page = Math.max(1, Math.trunc(Number(query.get('page') ?? '1')) || 1);
  const set = useCallback(
    (changes: Readonly<Record<string, string>>) => {
      setQuery(
        (before) => {
          const next = new URLSearchParams(before);
          // A new filter resets the page number.
          if (!('page' in changes)) next.delete('page');
          for (const [name, value] of Object.entries(changes)) {
            if (value === '' || (name === 'page' && value === '1')) next.delete(name);
            else next.set(name, value);
          }
          return next;
        },
        { replace: !('page' in changes) },
      );
    },
    [setQuery],
  );
  return {
    page,
    get: useCallback((name: string): string => query.get(name) ?? '', [query]),
    set,
    /** The URL of the page with these changes, for a link. */
    hrefWith: useCallback(
      (changes: Readonly<Record<string, string>>): string => {
        const next = new URLSearchParams(query);
        for (const [name, value] of Object.entries(changes)) next.set(name, value);
        return `?${next}`;
      },
      [query],
    ),
    setPage: useCallback((to: number) => set({ page: String(to) }), [set]),
  };
}
