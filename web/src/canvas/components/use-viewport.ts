import {
  getViewportForBounds,
  useReactFlow,
  useStoreApi,
  type Viewport as FlowViewport,
} from '@xyflow/react';
import { useEffect, useMemo, type RefObject } from 'react';
import type { Viewport } from '../state/viewport.ts';
import type { UiState } from '../state/ui-state.ts';
import { boundsOf, boxesOf, type Box } from '../model/boxes.ts';
import type { Point } from '../model/document.ts';
import { useCanvas } from './canvas-context.ts';

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

type Insets = {
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  readonly left: number;
};

/** px of the canvas that the tools on it cover. */
function insetsOf({ isMapOpen, isPaletteOpen }: UiState): Insets {
  const isWide = innerWidth > 864;
  return {
    top: 24,
    right: 24,
    bottom: isMapOpen && isWide ? 164 : 68,
    left: isPaletteOpen && isWide ? 268 : 24,
  };
}

/** Hands the viewport to the actions for as long as the canvas is there. */
export function useAttachedViewport(
  canvas: RefObject<HTMLElement | null>,
  pointer: RefObject<Point | null>,
): void {
  const { actions, editor, ui } = useCanvas();
  const flow = useReactFlow();
  const store = useStoreApi();
  useEffect(() => {
    const duration = matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : 220;
    const toCanvas = (screen: Point): Point => flow.screenToFlowPosition(screen, { snapToGrid: false });
    const reveal = (bounds: Box): boolean => {
      const { width, height } = store.getState();
      const next = revealed(bounds, flow.getViewport(), width, height, insetsOf(ui.get()));
      if (next !== null) void flow.setViewport(next, { duration });
      return next !== null;
    };
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
        if (how === 'reveal') return void reveal(bounds);
        const { width, height } = store.getState();
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
    // When the panel opens, it must not hide what it is about.
    let last = store.getState();
    const unwatch = store.subscribe((state) => {
      if (state.width === last.width && state.height === last.height) return;
      const isSmaller = state.width < last.width || state.height < last.height;
      last = state;
      const { nodes } = editor.selection();
      const [id] = nodes;
      const box = id === undefined ? undefined : boxesOf(editor.doc(), editor.catalogue).get(id);
      if (isSmaller && nodes.size === 1 && box !== undefined) reveal(box);
    });
    return () => {
      unwatch();
      actions.attach(null);
    };
  }, [actions, canvas, editor, flow, pointer, store, ui]);
}

/** The nearest viewport in which a box can be seen and read; null when it is so already. */
function revealed(
  box: Box,
  at: FlowViewport,
  width: number,
  height: number,
  insets: Insets,
): FlowViewport | null {
  const room = { width: width - insets.left - insets.right, height: height - insets.top - insets.bottom };
  const zoom = Math.max(at.zoom, READABLE);
  const isFitting = box.width * zoom <= room.width && box.height * zoom <= room.height;
  const middle = { x: insets.left + room.width / 2, y: insets.top + room.height / 2 };
  if (zoom !== at.zoom || !isFitting) {
    // From far away, or of something large: its beginning, or the whole in the middle.
    const x = isFitting ? middle.x - (box.x + box.width / 2) * zoom : insets.left - box.x * zoom;
    const y = isFitting ? middle.y - (box.y + box.height / 2) * zoom : insets.top - box.y * zoom;
    return Math.abs(x - at.x) + Math.abs(y - at.y) + Math.abs(zoom - at.zoom) < 1 ? null : { x, y, zoom };
  }
  const left = box.x * zoom + at.x;
  const top = box.y * zoom + at.y;
  const dx = Math.max(insets.left - left, 0) || Math.min(width - insets.right - (left + box.width * zoom), 0);
  const dy = Math.max(insets.top - top, 0) || Math.min(height - insets.bottom - (top + box.height * zoom), 0);
  return dx === 0 && dy === 0 ? null : { x: at.x + dx, y: at.y + dy, zoom };
}
