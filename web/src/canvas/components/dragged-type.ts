import type { DragEvent } from 'react';

const FORMAT = 'application/x-weft-node-type';

/** What is dragged cannot be read before it is dropped, so its kind is kept here meanwhile. */
let dragged: string | null = null;

export function startDrag(event: DragEvent, type: string): void {
  dragged = type;
  event.dataTransfer.setData(FORMAT, type);
  event.dataTransfer.effectAllowed = 'copy';
}

export function endDrag(): void {
  dragged = null;
}

/** The node type that is being dragged over something, or dropped on it. */
export function readDraggedType(event: DragEvent): string | null {
  if (!event.dataTransfer.types.includes(FORMAT)) return null;
  const type = event.dataTransfer.getData(FORMAT);
  return type === '' ? dragged : type;
}
