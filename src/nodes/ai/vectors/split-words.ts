import { split } from 'llm-splitter';

/** In characters: what is split between two pauses. */
const SECTION = 32_768;
/** Letters of scripts that are written without spaces count as words. */
const UNSPACED = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}`;
/** A longer word counts as several, so that the length of a chunk is limited. */
const WORD = new RegExp(String.raw`[${UNSPACED}]|[^\s${UNSPACED}]{1,32}\s*`, 'gu');
/** Long runs of spaces would make chunks long, and the search for paragraphs slow. */
const SPACES = /[^\S\n]{17,}/g;
const BLANK_LINES = /\n[^\S\n]*(?:\n[^\S\n]*)+/g;

/**
 * Splits a text into chunks of at most `size` words, where possible between paragraphs. A chunk begins with
 * the last `overlap` words of the one before. Yields where it can pause.
 */
export function* splitWords(
  text: string,
  { size, overlap }: { size: number; overlap: number },
): Generator<undefined, string[]> {
  const clean = text.replaceAll('\r\n', '\n').replaceAll(SPACES, ' ').replaceAll(BLANK_LINES, '\n\n');
  const chunks: string[] = [];
  for (let at = 0; at < clean.length;) {
    const end = findEnd(clean, at);
    const found = split(clean.slice(at, end), {
      chunkSize: size,
      chunkOverlap: overlap,
      chunkStrategy: 'paragraph',
      splitter: (part) => part.match(WORD) ?? [],
    });
    for (const chunk of found) if (chunk.text.trim() !== '') chunks.push(chunk.text.trim());
    at = end;
    yield;
  }
  return chunks;
}

/** The end of the section that begins at `at`: after a paragraph, else after a word, else at its maximum. */
function findEnd(text: string, at: number): number {
  const most = at + SECTION;
  if (most >= text.length) return text.length;
  for (const separator of ['\n\n', '\n', ' ']) {
    const found = text.lastIndexOf(separator, most - separator.length);
    if (found > at) return found + separator.length;
  }
  // Not between the two halves of a character.
  return /[\uD800-\uDBFF]/.test(text[most - 1]!) ? most - 1 : most;
}
