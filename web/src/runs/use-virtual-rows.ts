import { useLayoutEffect, useState, type RefObject } from 'react';

export type VirtualRows = { readonly from: number; readonly to: number };

/** Overscan rows above and below the visible ones, for scrolling and for the Tab key. */
const OVERSCAN_ROWS = 30;

/**
 * The rows of a long list to render: the visible ones and an overscan. Every row is `height` px high.
 * `list` is the element that starts with the first row.
 */
export function useVirtualRows(
  list: RefObject<HTMLElement | null>,
  count: number,
  height: number,
): VirtualRows {
  const [{ from, to }, setRows] = useState<VirtualRows>({ from: 0, to: 2 * OVERSCAN_ROWS });
  const hasRows = count > 0;
  useLayoutEffect(() => {
    const { current: element } = list;
    const frame = element === null ? null : findScroller(element);
    if (element === null || frame === null) return;
    const update = (): void => {
      const above = frame.getBoundingClientRect().top - element.getBoundingClientRect().top;
      const first = Math.floor(above / height);
      const last = Math.ceil((above + frame.clientHeight) / height);
      setRows((current) => {
        const isFar = first - current.from < OVERSCAN_ROWS / 2 && current.from > 0;
        const isNear = current.to - last < OVERSCAN_ROWS / 2;
        const isWide = current.to - current.from > last - first + 4 * OVERSCAN_ROWS;
        if (!isFar && !isNear && !isWide) return current;
        return { from: Math.max(0, first - OVERSCAN_ROWS), to: last + OVERSCAN_ROWS };
      });
    };
    update();
    frame.addEventListener('scroll', update, { passive: true });
    const size = new ResizeObserver(update);
    size.observe(frame);
    return () => {
      frame.removeEventListener('scroll', update);
      size.disconnect();
    };
  }, [list, height, hasRows]);
  return { from: Math.min(from, count), to: Math.min(to, count) };
}

function findScroller(element: HTMLElement): HTMLElement | null {
  let ancestor = element.parentElement;
  while (ancestor !== null && !/auto|scroll/.test(getComputedStyle(ancestor).overflowY))
    ancestor = ancestor.parentElement;
  return ancestor;
}
