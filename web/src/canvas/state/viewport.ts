import type { Box } from '../model/layout/boxes.ts';
import type { Point } from '../model/document.ts';

/** The visible part of the canvas. Set when the canvas is mounted. */
export type Viewport = {
  toCanvas(screen: Point): Point;
  /** The center of the visible part, in canvas coordinates. */
  middle(): Point;
  /** The pointer in canvas coordinates; null outside of the canvas. */
  pointer(): Point | null;
  /** In screen coordinates. */
  toScreen(point: Point): Point;
  /** Moves the viewport so that boxes are visible and readable. */
  show(boxes: readonly Box[], how: 'fit' | 'reveal'): void;
  zoom(to: 'in' | 'out' | 'one'): void;
  focus(): void;
};
