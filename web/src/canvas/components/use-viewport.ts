import { useReactFlow, useStoreApi, type Viewport as FlowViewport } from '@xyflow/react';
import { useEffect, useMemo, type RefObject } from 'react';
import type { Viewport } from '../state/viewport.ts';
import type { NodeRunState } from '../state/run-overlay.ts';
import type { UiState } from '../state/ui-state.ts';
import { computeBounds, computeBoxes, type Box } from '../model/layout/boxes.ts';
import type { Size } from '../model/layout/geometry.ts';
import type { Point } from '../model/document.ts';
import { useCanvas } from './canvas-context.ts';

const MAX_FIT_ZOOM = 1;
const READABLE_ZOOM = 0.6;
/** The minimum zoom for showing the whole graph when the canvas shrinks. */
const OVERVIEW_ZOOM = 0.45;
const MIN_ZOOM = 0.05;

/** The viewport of the canvas, and the functions that move it. */
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

/** px by which the minimap is higher than the toolbar. */
export const MAP_INSET = 96;

/** px of the canvas that its toolbars cover. */
function getInsets({ isMapOpen, isPaletteOpen, coveredHeight }: UiState): Insets {
  const isWide = innerWidth > 864;
  return {
    top: 24,
    right: 24,
    bottom: coveredHeight > 0 ? coveredHeight + 24 : isMapOpen && isWide ? 68 + MAP_INSET : 68,
    left: isPaletteOpen && isWide ? 268 : 24,
  };
}

/**
 * Passes the viewport to the actions while the canvas is mounted. `firstSize` is the one for which the first
 * viewport was computed.
 */
export function useAttachedViewport(
  canvas: RefObject<HTMLElement | null>,
  pointer: RefObject<Point | null>,
  firstSize: Size,
): void {
  const { actions, editor, overlay, ui } = useCanvas();
  const flow = useReactFlow();
  const store = useStoreApi();
  useEffect(() => {
    const duration = matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : 220;
    const toCanvas = (screen: Point): Point => flow.screenToFlowPosition(screen, { snapToGrid: false });
    const reveal = (bounds: Box): boolean => {
      const { width, height } = store.getState();
      const next = revealed(bounds, flow.getViewport(), width, height, getInsets(ui.get()));
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
        const bounds = computeBounds(boxes);
        if (bounds === null) return;
        if (how === 'reveal') return void reveal(bounds);
        const { width, height } = store.getState();
        void flow.setViewport(fitted(bounds, width, height, getInsets(ui.get())), { duration });
      },
      zoom(to) {
        if (to === 'one') void flow.zoomTo(1, { duration });
        else if (to === 'in') void flow.zoomIn({ duration });
        else void flow.zoomOut({ duration });
      },
      focus: () => canvas.current?.focus({ preventScroll: true }),
    };
    /** When a panel opens or closes below: a graph that is in sight as a whole stays in the middle. */
    const centerInHeight = (width: number, height: number): boolean => {
      const whole = computeBounds(computeBoxes(editor.doc(), editor.catalog).values());
      const viewport = flow.getViewport();
      const insets = getInsets(ui.get());
      if (whole === null || !isInSight(whole, viewport, width, height, insets)) return false;
      const y = centeredY(whole, viewport.zoom, height, insets);
      if (Math.abs(y - viewport.y) >= 1) void flow.setViewport({ ...viewport, y }, { duration });
      return true;
    };
    /**
     * When a panel opens below: shows the whole graph if it stays readable, otherwise the nodes that run.
     * False if neither applies.
     */
    const keepInSight = (width: number, height: number): boolean => {
      const boxes = computeBoxes(editor.doc(), editor.catalog);
      const running = [...boxes].flatMap(([id, box]) => (isRunning(overlay.node(id)) ? [box] : []));
      const whole = computeBounds(boxes.values());
      if (whole === null) return false;
      const next = fitted(whole, width, height, getInsets(ui.get()));
      if (next.zoom >= OVERVIEW_ZOOM) void flow.setViewport(next, { duration });
      else if (running.length > 0) reveal(computeBounds(running)!);
      else return false;
      return true;
    };
    const revealSelected = (): void => {
      const { nodes } = editor.selection();
      const [id] = nodes;
      const box = id === undefined ? undefined : computeBoxes(editor.doc(), editor.catalog).get(id);
      if (nodes.size === 1 && box !== undefined) reveal(box);
    };
    actions.attach(viewport);
    // When a panel opens, it must not hide the graph or the selected node.
    let last = firstSize;
    const adapt = ({ width, height }: Size): void => {
      if (height === 0 || (width === last.width && height === last.height)) return;
      const isSmaller = width < last.width || height < last.height;
      const isLower = height < last.height;
      const isHigher = height > last.height;
      last = { width, height };
      if ((isLower || isHigher) && centerInHeight(width, height)) return;
      if (isLower && keepInSight(width, height)) return;
      if (isSmaller) revealSelected();
    };
    const unwatch = store.subscribe(adapt);
    adapt(store.getState());
    let { coveredHeight: lastCovered } = ui.get();
    const unwatchUi = ui.watch(() => {
      const { coveredHeight } = ui.get();
      if (coveredHeight > lastCovered) revealSelected();
      lastCovered = coveredHeight;
    });
    return () => {
      unwatch();
      unwatchUi();
      actions.attach(null);
    };
  }, [actions, canvas, editor, firstSize, flow, overlay, pointer, store, ui]);
}

function isRunning(state: NodeRunState | undefined): boolean {
  return state?.status === 'running' || state?.status === 'waiting';
}

/** Centers a box in the part without toolbars, at most at its real size. */
function fitted(box: Box, width: number, height: number, insets: Insets): FlowViewport {
  const available = {
    width: width - insets.left - insets.right,
    height: height - insets.top - insets.bottom,
  };
  const zoom = Math.max(
    MIN_ZOOM,
    Math.min(MAX_FIT_ZOOM, available.width / box.width, available.height / box.height),
  );
  return {
    x: insets.left + available.width / 2 - (box.x + box.width / 2) * zoom,
    y: centeredY(box, zoom, height, insets),
    zoom,
  };
}

/** The vertical offset of the viewport that centers a box in the part without toolbars. */
function centeredY(box: Box, zoom: number, height: number, insets: Insets): number {
  return (insets.top + height - insets.bottom) / 2 - (box.y + box.height / 2) * zoom;
}

function isInSight(box: Box, viewport: FlowViewport, width: number, height: number, insets: Insets): boolean {
  const left = box.x * viewport.zoom + viewport.x;
  const top = box.y * viewport.zoom + viewport.y;
  return (
    left >= insets.left &&
    top >= insets.top &&
    left + box.width * viewport.zoom <= width - insets.right &&
    top + box.height * viewport.zoom <= height - insets.bottom
  );
}

/** The nearest viewport in which a box is visible and readable; null if it already is. */
function revealed(
  box: Box,
  viewport: FlowViewport,
  width: number,
  height: number,
  insets: Insets,
): FlowViewport | null {
  const available = {
    width: width - insets.left - insets.right,
    height: height - insets.top - insets.bottom,
  };
  const zoom = Math.max(viewport.zoom, READABLE_ZOOM);
  const isFitting = box.width * zoom <= available.width && box.height * zoom <= available.height;
  const middle = { x: insets.left + available.width / 2, y: insets.top + available.height / 2 };
  if (zoom !== viewport.zoom || !isFitting) {
    // At low zoom, or for a large box: its start, or the whole box centered.
    const x = isFitting ? middle.x - (box.x + box.width / 2) * zoom : insets.left - box.x * zoom;
    const y = isFitting ? middle.y - (box.y + box.height / 2) * zoom : insets.top - box.y * zoom;
    return Math.abs(x - viewport.x) + Math.abs(y - viewport.y) + Math.abs(zoom - viewport.zoom) < 1
      ? null
      : { x, y, zoom };
  }
  const left = box.x * zoom + viewport.x;
  const top = box.y * zoom + viewport.y;
  const dx = Math.max(insets.left - left, 0) || Math.min(width - insets.right - (left + box.width * zoom), 0);
  const dy = Math.max(insets.top - top, 0) || Math.min(height - insets.bottom - (top + box.height * zoom), 0);
  return dx === 0 && dy === 0 ? null : { x: viewport.x + dx, y: viewport.y + dy, zoom };
}
