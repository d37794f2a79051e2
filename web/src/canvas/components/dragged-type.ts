import type { DragEvent } from 'react';

const FORMAT = 'application/x-weft-node-type';

/** Drag data cannot be read before the drop, so the dragged type is kept here. */
let dragged: string | null = null;

export function startDrag(event: DragEvent, type: string): void {
  dragged = type;
  event.dataTransfer.setData(FORMAT, type);
  event.dataTransfer.effectAllowed = 'copy';
}

export function endDrag(): void {
  dragged = null;
}

/** The dragged node type of a drag or drop event. */
export function readDraggedType(event: DragEvent): string | null {
  if (!event.dataTransfer.types.includes(FORMAT)) return null;
  const type = event.dataTransfer.getData(FORMAT);
  return type === '' ? dragged : type;
}
