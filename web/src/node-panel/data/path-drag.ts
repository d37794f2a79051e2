import type { DragEvent } from 'react';
import { PATH_MIME_TYPE, toTemplate, type Steps } from '../model/insert-path.ts';

/** Starts to drag a path: a template field inserts it, every other text field receives the template as text. */
export function startPathDrag(event: DragEvent, steps: Steps): void {
  event.dataTransfer.effectAllowed = 'copy';
  event.dataTransfer.setData(PATH_MIME_TYPE, JSON.stringify(steps));
  event.dataTransfer.setData('text/plain', toTemplate(steps));
}

export function isPathDrag(event: DragEvent): boolean {
  return event.dataTransfer.types.includes(PATH_MIME_TYPE);
}

export function readDroppedPath(event: DragEvent): Steps {
  return JSON.parse(event.dataTransfer.getData(PATH_MIME_TYPE)) as Steps;
}

/** The position in a text field below the pointer; null where the browser cannot tell. */
export function dropOffset(event: DragEvent<HTMLTextAreaElement>): number | null {
  const position = document.caretPositionFromPoint?.(event.clientX, event.clientY) ?? null;
  return position?.offsetNode === event.currentTarget ? position.offset : null;
}
