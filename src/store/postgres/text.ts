/*
 * PostgreSQL's text cannot contain NUL. Names from users may contain one, and must be returned unchanged, so
 * a NUL is stored as an escape. JSON never contains a raw NUL, so almost nothing is ever escaped.
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
