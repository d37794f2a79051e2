import type { Box } from '../model/layout/boxes.ts';
import type { Point } from '../model/document.ts';

/** The part of the canvas that is in sight. The canvas sets it once it is there. */
export type Viewport = {
  toCanvas(screen: Point): Point;
  /** The middle of what is in sight, on the canvas. */
  middle(): Point;
  /** Where the pointer is, on the canvas; null while it is elsewhere. */
  pointer(): Point | null;
  /** On the screen. */
  toScreen(point: Point): Point;
  /** Brings boxes into sight, near enough to be read. */
  show(boxes: readonly Box[], how: 'fit' | 'reveal'): void;
  zoom(to: 'in' | 'out' | 'one'): void;
  focus(): void;
};
