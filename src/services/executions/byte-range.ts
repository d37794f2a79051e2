export type ByteRange = { start: number; end: number };

/**
 * What a Range header asks for of so many bytes (RFC 9110 §14): from `start` to before `end`. Null: the whole, as for anything
 * but one range of bytes, which a server may ignore. `outside`: nothing of it is there.
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
