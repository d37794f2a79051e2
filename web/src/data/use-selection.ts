import { useMemo, useState } from 'react';

export type Selection<T> = {
  readonly items: readonly T[];
  readonly has: (id: string) => boolean;
  readonly set: (items: readonly T[], isSelected: boolean) => void;
  readonly clear: () => void;
};

/** The selected items of a list, of all pages. `current`: their newest state, as far as it is on the page. */
export function useSelection<T extends { readonly id: string }>(
  current: readonly T[] | undefined,
): Selection<T> {
  const [selected, setSelected] = useState<ReadonlyMap<string, T>>(new Map());
  return useMemo(() => {
    const newest = new Map((current ?? []).map((one) => [one.id, one]));
    return {
      items: [...selected.values()].map((one) => newest.get(one.id) ?? one),
      has: (id) => selected.has(id),
      set: (items, isSelected) =>
        setSelected((before) => {
          const next = new Map(before);
          for (const item of items) {
            if (isSelected) next.set(item.id, item);
            else next.delete(item.id);
          }
          return next;
        }),
      clear: () => setSelected(new Map()),
    };
  }, [selected, current]);
}
