import { useLayoutEffect, useState, type RefObject } from 'react';

export type VirtualRows = { readonly from: number; readonly to: number };

/** Overscan rows above and below the visible ones, for scrolling and for the Tab key. */
const AROUND = 30;

/**
 * The rows of a long list to render: the visible ones and an overscan. Every row is `height` px high.
 * `list` is the element that starts with the first row.
 */
export function useVirtualRows(
  list: RefObject<HTMLElement | null>,
  count: number,
  height: number,
): VirtualRows {
  const [{ from, to }, setRows] = useState<VirtualRows>({ from: 0, to: 2 * AROUND });
  const hasRows = count > 0;
  useLayoutEffect(() => {
    const { current: element } = list;
    const frame = element === null ? null : findScroller(element);
    if (element === null || frame === null) return;
    const look = (): void => {
      const above = frame.getBoundingClientRect().top - element.getBoundingClientRect().top;
      const first = Math.floor(above / height);
      const last = Math.ceil((above + frame.clientHeight) / height);
      setRows((known) => {
        const isFar = first - known.from < AROUND / 2 && known.from > 0;
        const isNear = known.to - last < AROUND / 2;
        const isWide = known.to - known.from > last - first + 4 * AROUND;
        if (!isFar && !isNear && !isWide) return known;
        return { from: Math.max(0, first - AROUND), to: last + AROUND };
      });
    };
    look();
    frame.addEventListener('scroll', look, { passive: true });
    const size = new ResizeObserver(look);
    size.observe(frame);
    return () => {
      frame.removeEventListener('scroll', look);
      size.disconnect();
    };
  }, [list, height, hasRows]);
  return { from: Math.min(from, count), to: Math.min(to, count) };
}

function findScroller(element: HTMLElement): HTMLElement | null {
  let at = element.parentElement;
  while (at !== null && !/auto|scroll/.test(getComputedStyle(at).overflowY)) at = at.parentElement;
  return at;
}
