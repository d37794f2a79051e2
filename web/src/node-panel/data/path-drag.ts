import type { DragEvent } from 'react';
import { PATH_MIME_TYPE, toTemplate, type PathSegments } from '../model/insert-path.ts';

/** Starts to drag a path. Template fields insert it; other text fields receive the template as text. */
export function startPathDrag(event: DragEvent, segments: PathSegments): void {
  event.dataTransfer.effectAllowed = 'copy';
  event.dataTransfer.setData(PATH_MIME_TYPE, JSON.stringify(segments));
  event.dataTransfer.setData('text/plain', toTemplate(segments));
}

export function isPathDrag(event: DragEvent): boolean {
  return event.dataTransfer.types.includes(PATH_MIME_TYPE);
}

export function readDroppedPath(event: DragEvent): PathSegments {
  return JSON.parse(event.dataTransfer.getData(PATH_MIME_TYPE)) as PathSegments;
}

/** The text offset below the pointer; null if the browser does not support it. */
export function findDropOffset(event: DragEvent<HTMLTextAreaElement>): number | null {
  const position = document.caretPositionFromPoint?.(event.clientX, event.clientY) ?? null;
  return position?.offsetNode === event.currentTarget ? position.offset : null;
}
