import type { DragEvent } from 'react';

const MIME_TYPE = 'application/x-weft-node-type';

/** Drag data cannot be read before the drop, so the dragged type is kept here. */
let dragged: string | null = null;

export function startDrag(event: DragEvent, type: string): void {
  dragged = type;
  event.dataTransfer.setData(MIME_TYPE, type);
  event.dataTransfer.effectAllowed = 'copy';
}

export function endDrag(): void {
  dragged = null;
}

/** The dragged node type of a drag or drop event. */
export function readDraggedType(event: DragEvent): string | null {
  if (!event.dataTransfer.types.includes(MIME_TYPE)) return null;
  const type = event.dataTransfer.getData(MIME_TYPE);
  return type === '' ? dragged : type;
}
