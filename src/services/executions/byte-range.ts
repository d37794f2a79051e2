export type ByteRange = { start: number; end: number };

/**
 * Parses a Range header (RFC 9110 §14): from `start` to before `end`. Returns null for the whole file, also
 * for anything but one byte range, which a server may ignore; `outside` when the range is not satisfiable.
 */
export function readByteRange(header: string | undefined, size: number): ByteRange | 'outside' | null {
  const [, first, last] = /^bytes=[\t ]*(\d{0,15})-(\d{0,15})[\t ]*$/i.exec(header ?? '') ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return null;
  if (first === '') {
    const count = Math.min(Number(last), size);
    return count === 0 ? 'outside' : { start: size - count, end: size };
  }
  if (last !== '' && Number(last) < Number(first)) return null;
  if (Number(first) >= size) return 'outside';
  return { start: Number(first), end: last === '' ? size : Math.min(Number(last) + 1, size) };
}
