import { getViewportForBounds, type Viewport } from '@xyflow/react';
import { computeBounds, computeBoxes } from '../model/layout/boxes.ts';
import type { Catalog } from '../model/catalog.ts';
import type { Doc } from '../model/document.ts';

const MIN_ZOOM = 0.45;
/** px, below which there is no overview anyway: what is shown of it is to be read. */
const NARROW_LAYOUT_PX = 640;
const READABLE_ZOOM = 0.75;
const MARGIN_PX = 48;

/** The initial viewport: the whole graph if it is readable then, otherwise its start. */
export function computeFirstViewport(doc: Doc, catalog: Catalog, width: number, height: number): Viewport {
  const bounds = computeBounds([...computeBoxes(doc, catalog).values(), ...doc.notes.values()]);
  if (bounds === null) return { x: width / 2, y: height / 2, zoom: 1 };
  const whole = getViewportForBounds(bounds, width, height, MIN_ZOOM, 1, 0.12);
  const fits = bounds.width * whole.zoom <= width && bounds.height * whole.zoom <= height;
  if (fits) return whole;
  const zoom = width < NARROW_LAYOUT_PX ? READABLE_ZOOM : MIN_ZOOM;
  const margin = width < NARROW_LAYOUT_PX ? MARGIN_PX / 2 : MARGIN_PX;
  return { x: margin - bounds.x * zoom, y: margin - bounds.y * zoom, zoom };
}
