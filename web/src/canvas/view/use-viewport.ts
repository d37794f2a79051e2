import { getViewportForBounds, useReactFlow, useStoreApi } from '@xyflow/react';
import { useEffect, useMemo, type RefObject } from 'react';
import type { Actions, Viewport } from '../editor/actions.ts';
import { boundsOf, type Box } from '../model/boxes.ts';
import type { Point } from '../model/document.ts';

const NEAREST = 1;
const READABLE = 0.6;
const PADDING = 0.08;

/** The part of the canvas in sight, for what moves it. */
export function useViewport(): { toCanvas: (screen: Point) => Point } {
  const { screenToFlowPosition } = useReactFlow();
  return useMemo(
    () => ({ toCanvas: (screen) => screenToFlowPosition(screen, { snapToGrid: false }) }),
    [screenToFlowPosition],
  );
}

/** Hands the viewport to the actions for as long as the canvas is there. */
export function useAttachedViewport(
  actions: Actions,
  canvas: RefObject<HTMLElement | null>,
  pointer: RefObject<Point | null>,
): void {
  const flow = useReactFlow();
  const store = useStoreApi();
  useEffect(() => {
    const duration = matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : 220;
    const size = (): { width: number; height: number } => {
      const { width, height } = store.getState();
      return { width, height };
    };
    const toCanvas = (screen: Point): Point => flow.screenToFlowPosition(screen, { snapToGrid: false });
    const viewport: Viewport = {
      toCanvas,
      middle() {
        const { left = 0, top = 0, width = 0, height = 0 } = canvas.current?.getBoundingClientRect() ?? {};
        return toCanvas({ x: left + width / 2, y: top + height / 2 });
      },
      pointer: () => (pointer.current === null ? null : toCanvas(pointer.current)),
      toScreen: (point) => flow.flowToScreenPosition(point),
      show(boxes, how) {
        const bounds = boundsOf(boxes);
        if (bounds === null) return;
        const { width, height } = size();
        const { x, y, zoom } = flow.getViewport();
        if (how === 'reveal') {
          const isReadable = zoom >= READABLE - 0.01;
          if (isReadable && isInside(bounds, { x, y, zoom }, width, height)) return;
          const near = Math.max(zoom, READABLE);
          if (bounds.width * near < width && bounds.height * near < height) {
            void flow.setCenter(bounds.x + bounds.width / 2, bounds.y + bounds.height / 2, {
              zoom: near,
              duration,
            });
            return;
          }
        }
        void flow.setViewport(getViewportForBounds(bounds, width, height, 0.05, NEAREST, PADDING), {
          duration,
        });
      },
      zoom(to) {
        if (to === 'one') void flow.zoomTo(1, { duration });
        else if (to === 'in') void flow.zoomIn({ duration });
        else void flow.zoomOut({ duration });
      },
      focus: () => canvas.current?.focus({ preventScroll: true }),
    };
    actions.attach(viewport);
    return () => actions.attach(null);
  }, [actions, canvas, flow, pointer, store]);
}

function isInside(
  box: Box,
  at: { x: number; y: number; zoom: number },
  width: number,
  height: number,
): boolean {
  const left = box.x * at.zoom + at.x;
  const top = box.y * at.zoom + at.y;
  const margin = 24;
  return (
    left >= margin &&
    top >= margin &&
    left + box.width * at.zoom <= width - margin &&
    top + box.height * at.zoom <= height - margin
  );
}
