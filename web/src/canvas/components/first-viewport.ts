import { getViewportForBounds, type Viewport } from '@xyflow/react';
import { computeBounds, computeBoxes } from '../model/layout/boxes.ts';
import type { Catalogue } from '../model/catalogue.ts';
import type { Doc } from '../model/document.ts';

const SMALLEST = 0.45;
/** px, below which there is no overview anyway: what is shown of it is to be read. */
const NARROW = 640;
const READABLE = 0.75;
const MARGIN = 48;

/** Where a workflow opens: all of it when it can be read then, else its beginning. */
export function firstViewport(doc: Doc, catalogue: Catalogue, width: number, height: number): Viewport {
  const bounds = computeBounds([...computeBoxes(doc, catalogue).values(), ...doc.notes.values()]);
  if (bounds === null) return { x: width / 2, y: height / 2, zoom: 1 };
  const whole = getViewportForBounds(bounds, width, height, SMALLEST, 1, 0.12);
  const fits = bounds.width * whole.zoom <= width && bounds.height * whole.zoom <= height;
  if (fits) return whole;
  const zoom = width < NARROW ? READABLE : SMALLEST;
  const margin = width < NARROW ? MARGIN / 2 : MARGIN;
  return { x: margin - bounds.x * zoom, y: margin - bounds.y * zoom, zoom };
}
