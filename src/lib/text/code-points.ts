/* A surrogate pair is one character; counting UTF-16 units would split it. */

const SURROGATE = /[\uD800-\uDFFF]/;

export function countCharacters(text: string): number {
  if (!SURROGATE.test(text)) return text.length;
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** `length` characters from index `start`; a negative `start` counts from the end. */
export function sliceCharacters(text: string, start: number, length: number): string {
  const isPlain = !SURROGATE.test(text);
  const from = start < 0 ? Math.max(0, (isPlain ? text.length : countCharacters(text)) + start) : start;
  if (isPlain) return text.slice(from, from + length);
  const begin = advance(text, from, 0);
  return text.slice(begin, advance(text, length, begin));
}

/** The offset of the character `count` characters after offset `at`. */
function advance(text: string, count: number, at: number): number {
  let end = at;
  for (let i = 0; i < count && end < text.length; i++) end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  return end;
}
