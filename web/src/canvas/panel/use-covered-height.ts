import { useLayoutEffect, type RefObject } from 'react';
import type { Ui } from '../state/ui-state.ts';

/** Keeps the height of the canvas that an open panel covers when it lies over it, as on a narrow screen. */
export function useCoveredHeight(panel: RefObject<HTMLElement | null>, ui: Ui, isOpen: boolean): void {
  useLayoutEffect(() => {
    const { current: element } = panel;
    if (!isOpen || element === null || getComputedStyle(element).position !== 'fixed') return;
    const { bottom } = element.parentElement!.getBoundingClientRect();
    ui.show({ coveredHeight: Math.max(0, bottom - element.getBoundingClientRect().top) });
    return () => ui.show({ coveredHeight: 0 });
  }, [panel, ui, isOpen]);
}
