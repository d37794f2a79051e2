/*
 * PostgreSQL's text holds every character but NUL. Names that users give may hold one, and must come back as they were: a NUL
 * stands as an escape there. JSON never has one as it is, so next to nothing is ever escaped.
 */
const ESCAPE = '\u0001';
const NUL = '\0';
const ESCAPED_NUL = `${ESCAPE}\u0002`;
const ESCAPED_ESCAPE = `${ESCAPE}${ESCAPE}`;

export function toText(value: string): string {
  if (!value.includes(NUL) && !value.includes(ESCAPE)) return value;
  return value.replaceAll(ESCAPE, ESCAPED_ESCAPE).replaceAll(NUL, ESCAPED_NUL);
}

export function fromText(stored: string): string {
  if (!stored.includes(ESCAPE)) return stored;
  return stored
    .split(ESCAPED_ESCAPE)
    .map((piece) => piece.replaceAll(ESCAPED_NUL, NUL))
    .join(ESCAPE);
}
