import { createValidationError, type WeftError } from '../../../contract/errors.ts';
import type { PartialText } from './streamed-texts.ts';

const POSITION = /^(\d{1,15})\.(\d{1,15})$/;
const PARTIAL_TEXT = /^([^,]{1,2000}),(\d{1,9}),([0-9a-f]{16})$/;

/** The number of an event of the journal, and a position among what follows from it. */
type Position = readonly [number, number];

/** Where a client is in the stream: after the event at `position`, with parts of `texts`. */
export type StreamPosition = { readonly position: Position; readonly texts: readonly PartialText[] };

/** Reads `Last-Event-ID`; null without one. @throws {WeftError} VALIDATION_ERROR */
export function readStreamPosition(lastEventId: unknown): StreamPosition | null {
  if (lastEventId === undefined) return null;
  const found = typeof lastEventId === 'string' ? parseId(lastEventId) : null;
  if (found === null) throw createPositionError();
  return found;
}

export const createPositionError = (): WeftError =>
  createValidationError([{ field: 'Last-Event-ID', issue: 'must be the id of an event of this stream' }]);

export const formatPosition = ({ position }: StreamPosition): string => position.join('.');

export const formatPartialText = ({ path, length, digest }: PartialText): string =>
  `~${encodeURIComponent(path)},${length},${digest}`;

export function isAfter(id: string, [number, index]: Position): boolean {
  const [ownNumber, ownIndex] = parseId(id)?.position ?? [0, 0];
  return ownNumber > number || (ownNumber === number && ownIndex > index);
}

function parseId(id: string): StreamPosition | null {
  const [first = '', ...rest] = id.split('~');
  const match = POSITION.exec(first);
  if (match === null) return null;
  const texts: PartialText[] = [];
  for (const part of rest) {
    const [, path = '', length = '', digest = ''] = PARTIAL_TEXT.exec(part) ?? [];
    if (path === '') return null;
    texts.push({ path: decodePath(path), length: Number(length), digest });
  }
  return { position: [Number(match[1]), Number(match[2])], texts };
}

function decodePath(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
