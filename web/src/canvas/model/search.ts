/** Something that is found by typing: a node type, a kind of trigger, or a node of the workflow. */
export type Searchable = {
  readonly id: string;
  readonly title: string;
  readonly detail: string;
  /** Other words for it, most important first. */
  readonly keywords: readonly string[];
};

/** Words without meaning for the search, unless there are no others. */
const STOP_WORDS = new Set(
  'a an and as at by do for from in is it my node of on or something the to with workflow'.split(' '),
);

/** Ranks of a match; lower is better. Keywords of one item rank by their order, at a fraction of a rank. */
const rank = {
  title: 0,
  titleStart: 1,
  keyword: 2,
  titlePrefix: 3,
  words: 10,
  typo: 30,
  detail: 100,
} as const;

/** Ranks from here on are less than the start of a title's word or a keyword. */
const WEAK = rank.words + 2;
/** Added for each word of the text that does not match. */
const MISSING = 1_000;

/**
 * The items that match a text, best first: by title, keyword, words and word stems, then by words with one
 * wrong letter, then by words of the description. Each word of the text must match the start of a word; only where
 * no item has all of them, some are enough. Typing errors count only when nothing matches well.
 */
export function search<T extends Searchable>(items: readonly T[], text: string): T[] {
  const query = queryOf(text);
  if (query === null) return [...items];
  let found = rankAll(items, query, false);
  if (!found.some(({ score }) => score < WEAK)) found = rankAll(items, query, true);
  const all = found.filter(({ score }) => score < MISSING);
  return (all.length > 0 ? all : found).toSorted((a, b) => a.score - b.score).map(({ item }) => item);
}

type Query = { readonly text: string; readonly words: readonly string[] };

/** Null: nothing to search for. */
function queryOf(text: string): Query | null {
  const all = wordsOf(text);
  if (all.length === 0) return null;
  const words = all.filter((word) => !STOP_WORDS.has(word) && !/^\d+$/.test(word));
  return { text: all.join(' '), words: words.length === 0 ? all : words };
}

function rankAll<T extends Searchable>(
  items: readonly T[],
  query: Query,
  hasTypos: boolean,
): { item: T; score: number }[] {
  return items.flatMap((item) => {
    const score = scoreOf(termsOf(item), query, hasTypos);
    return score === null ? [] : [{ item, score }];
  });
}

type Words = { readonly plain: readonly string[]; readonly stems: ReadonlySet<string> };
type Terms = {
  readonly names: readonly string[];
  /** The names without spaces: `foreach`. */
  readonly joined: readonly string[];
  readonly phrases: readonly string[];
  readonly title: Words;
  readonly keywords: Words;
  readonly detail: Words;
};

const remembered = new WeakMap<Searchable, Terms>();

function termsOf(item: Searchable): Terms {
  let terms = remembered.get(item);
  if (terms === undefined) {
    const phrases = item.keywords.map((keyword) => wordsOf(keyword).join(' '));
    const names = [item.title, item.id].map((name) => wordsOf(name).join(' '));
    terms = {
      names,
      joined: names.map((name) => name.replaceAll(' ', '')),
      phrases,
      title: indexWords([...names, splitCase(item.title)].join(' ')),
      keywords: indexWords(phrases.join(' ')),
      detail: indexWords(item.detail),
    };
    remembered.set(item, terms);
  }
  return terms;
}

/** Prepares items for the search, which otherwise does it when they are first searched. */
export function indexItems(items: readonly Searchable[]): void {
  for (const item of items) termsOf(item);
}

function indexWords(text: string): Words {
  const plain = [...new Set(wordsOf(text))];
  return { plain, stems: new Set(plain.map(stemOf)) };
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** `exchangeRate` → `exchange Rate` */
function splitCase(text: string): string {
  return text.replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2');
}

function scoreOf(terms: Terms, { text, words }: Query, hasTypos: boolean): number | null {
  if (terms.names.includes(text) || terms.joined.includes(text)) return rank.title;
  if (terms.names.some((name) => name.startsWith(`${text} `))) return rank.titleStart;
  const phrase = terms.phrases.indexOf(text);
  if (phrase !== -1) return rank.keyword + phrase / 100;
  if (terms.names.some((name) => name.startsWith(text))) return rank.titlePrefix;
  const scores = words.map((word) => scoreOfWord(terms, word, hasTypos) ?? MISSING);
  const sum = scores.reduce((total, score) => total + score, rank.words);
  const isFound = scores.every((score) => score < MISSING) || scores.some((score) => score < rank.typo);
  return isFound ? sum : null;
}

function scoreOfWord({ title, keywords, detail }: Terms, word: string, hasTypos: boolean): number | null {
  if (title.plain.includes(word)) return 0;
  const stem = stemOf(word);
  if (hasPrefix(title, word) || title.stems.has(stem)) return 1;
  const at = keywords.plain.indexOf(word);
  if (at !== -1) return 1 + at / 100;
  if (keywords.stems.has(stem)) return 2;
  if (word.length >= 2 && hasPrefix(keywords, word)) return 3;
  if (hasPartOfForm(title, word) || hasPartOfForm(keywords, word)) return 4;
  if (hasTypos && hasTypo(title, word)) return rank.typo;
  if (hasTypos && hasTypo(keywords, word)) return rank.typo + 1;
  if (detail.plain.includes(word) || detail.stems.has(stem)) return rank.detail;
  return word.length >= 3 && hasPrefix(detail, word) ? rank.detail + 1 : null;
}

function hasPrefix({ plain }: Words, prefix: string): boolean {
  return plain.some((word) => word.startsWith(prefix));
}

const SUFFIXES = [
  'ations',
  'ation',
  'ating',
  'ated',
  'ator',
  'ate',
  'ional',
  'ion',
  'ing',
  'ed',
  'er',
  'or',
  'al',
  'e',
];

/** The part of a word that its forms have in common: `valid` of validate, validating, validator, validation. */
export function stemOf(word: string): string {
  let stem = word.replace(/ies$/, 'y').replace(/(?<=ss|sh|ch|x)es$|(?<![su])s$/, '');
  for (const suffix of SUFFIXES)
    if (stem.endsWith(suffix) && stem.length - suffix.length >= 3) {
      stem = stem.slice(0, -suffix.length);
      break;
    }
  return stem.replace(/([^aeiou\d])\1$/, '$1');
}

/** Whether a word is being typed that will be another form of one of these: `validatin` of validate. */
function hasPartOfForm({ stems }: Words, word: string): boolean {
  for (let length = 3; length < word.length; length++) {
    const rest = word.slice(length);
    const isForm = (part: string): boolean => SUFFIXES.some((suffix) => suffix.startsWith(part));
    const isDoubled = rest[0] === word[length - 1];
    if (stems.has(word.slice(0, length)) && (isForm(rest) || (isDoubled && isForm(rest.slice(1)))))
      return true;
  }
  return false;
}

function hasTypo({ plain }: Words, word: string): boolean {
  return word.length >= 4 && plain.some((other) => isTypo(word, other) || isTypoOfStart(word, other));
}

/** Whether a word is the start of another one, with one wrong letter after the first one: `condtio` of condition. */
function isTypoOfStart(word: string, other: string): boolean {
  if (word.length < 6 || word[0] !== other[0]) return false;
  return [-1, 0, 1].some((by) => isTypo(word, other.slice(0, word.length + by)));
}

/** Whether one letter is inserted, missing or wrong, or two neighbours are swapped. */
export function isTypo(word: string, other: string): boolean {
  if (Math.abs(word.length - other.length) > 1) return false;
  let start = 0;
  while (start < word.length && word[start] === other[start]) start++;
  const a = word.slice(start);
  const b = other.slice(start);
  if (a.slice(1) === b.slice(1) || a.slice(1) === b || a === b.slice(1)) return true;
  return a.length > 1 && a[0] === b[1] && a[1] === b[0] && a.slice(2) === b.slice(2);
}
