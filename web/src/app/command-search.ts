import type { Command } from '../data/commands.ts';

type Searched = Pick<Command, 'title' | 'detail' | 'words'>;

const EXACT_SCORE = 120;
const PREFIX_SCORE = 100;
const INITIALS_SCORE = 40;
/** A match in the detail or in the further words counts less than one in the title. */
const SECONDARY_FIELD_WEIGHT = 0.5;

/** The commands that match a text, best first; all in their order for an empty text. */
export function searchCommands<C extends Searched>(commands: readonly C[], text: string): C[] {
  const tokens = splitWords(text);
  if (tokens.length === 0) return [...commands];
  return commands
    .map((command) => ({ command, score: computeScore(command, tokens) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ command }) => command);
}

/** 0 if a word of the text does not match. */
function computeScore({ title, detail, words = '' }: Searched, tokens: readonly string[]): number {
  const main = splitWords(title);
  const rest = splitWords(`${words} ${detail}`);
  let sum = 0;
  for (const token of tokens) {
    const score = Math.max(tokenScore(main, token), tokenScore(rest, token) * SECONDARY_FIELD_WEIGHT);
    if (score === 0) return 0;
    sum += score;
  }
  return sum;
}

/** The rank of a typed word: the prefix of a word, or the initials of several, as “nw” of “New workflow”. */
function tokenScore(words: readonly string[], token: string): number {
  const exact = words.indexOf(token);
  if (exact !== -1) return EXACT_SCORE - exact;
  const prefix = words.findIndex((word) => word.startsWith(token));
  if (prefix !== -1) return PREFIX_SCORE - Math.min(prefix, PREFIX_SCORE - INITIALS_SCORE - 1);
  const first = words.findIndex((_word, index) => isMadeOfBeginnings(words, index, token));
  return first === -1 ? 0 : INITIALS_SCORE - Math.min(first, INITIALS_SCORE - 1);
}

function isMadeOfBeginnings(words: readonly string[], index: number, token: string): boolean {
  const word = words[index] ?? '';
  for (let length = Math.min(word.length, token.length); length > 0; length--) {
    if (!word.startsWith(token.slice(0, length))) continue;
    const left = token.slice(length);
    if (left === '') return true;
    for (let next = index + 1; next < words.length; next++)
      if (isMadeOfBeginnings(words, next, left)) return true;
  }
  return false;
}

function splitWords(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}
