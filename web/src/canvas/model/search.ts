/** A searchable item: a node type, a kind of trigger, or a node of the workflow. */
export type Searchable = {
  readonly id: string;
  readonly title: string;
  readonly detail: string;
  /** Synonyms, most important first. */
  readonly keywords: readonly string[];
};

/** Words without meaning for the search, unless there are no others. */
const STOP_WORDS = new Set(
  [
    'a an and as at by do for from in is it my node of on or something the to with workflow',
    'auf aus bei das dem den der die ein eine einen einer eines für im mit oder und vom von zu zum zur',
  ].flatMap((words) => words.split(' ')),
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
const WEAK_SCORE = rank.words + 2;
/** Added for each word of the text that does not match. */
const MISSING_WORD_PENALTY = 1_000;

/**
 * The items that match a text, best first: by title, keyword, words and stems, then with one typo, then by
 * words of the description. Each word of the text must be the prefix of a word. If no item matches all words,
 * some are enough; typos count only if nothing else matches well.
 */
export function search<T extends Searchable>(items: readonly T[], text: string): T[] {
  const query = parseQuery(text);
  if (query === null) return [...items];
  let found = rankAll(items, query, false);
  if (!found.some(({ score }) => score < WEAK_SCORE)) found = rankAll(items, query, true);
  const all = found.filter(({ score }) => score < MISSING_WORD_PENALTY);
  return (all.length > 0 ? all : found).toSorted((a, b) => a.score - b.score).map(({ item }) => item);
}

type Query = { readonly text: string; readonly words: readonly string[] };

/** Null: nothing to search for. */
function parseQuery(text: string): Query | null {
  const all = splitWords(text);
  if (all.length === 0) return null;
  const words = all.filter((word) => !STOP_WORDS.has(word) && !/^\d+$/.test(word));
  return { text: all.join(' '), words: words.length === 0 ? all : words };
}

/** The words of an item. */
type SearchTerms = {
  readonly names: readonly string[];
  /** The names without spaces: `foreach`. */
  readonly joined: readonly string[];
  readonly phrases: readonly string[];
  readonly title: readonly string[];
  readonly keywords: readonly string[];
  readonly detail: readonly string[];
};

const cache = new WeakMap<Searchable, SearchTerms>();

function getTerms(item: Searchable): SearchTerms {
  let terms = cache.get(item);
  if (terms === undefined) {
    const { title, id, keywords, detail } = item;
    const phrases = keywords.map((keyword) => splitWords(keyword).join(' '));
    const names = [title, id].map((name) => splitWords(name).join(' '));
    terms = {
      names,
      joined: names.map((name) => name.replaceAll(' ', '')),
      phrases,
      title: uniqueWords([...names, splitCase(title)].join(' ')),
      keywords: uniqueWords(phrases.join(' ')),
      detail: uniqueWords(detail),
    };
    cache.set(item, terms);
  }
  return terms;
}

/** Reads the words of items, a part of the work that the first search in a list otherwise does. */
export function readWords(items: readonly Searchable[]): void {
  for (const item of items) getTerms(item);
}

/** Prepares a list for the search. */
export function indexItems(items: readonly Searchable[]): void {
  getIndex(items);
}

/** The positions of the items that contain a word, by the part that contains it. */
type Postings = {
  readonly title: number[];
  /** Pairs of an item and the position of the word among its keywords. */
  readonly keywords: [item: number, index: number][];
  readonly detail: number[];
};

/** The words of a list, so that the work for a text depends on the number of different words. */
type Index = {
  readonly terms: readonly SearchTerms[];
  readonly words: ReadonlyMap<string, Postings>;
  readonly stems: ReadonlyMap<string, Postings>;
};

const indexes = new WeakMap<readonly Searchable[], Index>();

function getIndex(items: readonly Searchable[]): Index {
  let index = indexes.get(items);
  if (index === undefined) indexes.set(items, (index = createIndex(items)));
  return index;
}

function createIndex(items: readonly Searchable[]): Index {
  const terms = items.map(getTerms);
  const words = new Map<string, Postings>();
  const stems = new Map<string, Postings>();
  const stemOfWord = new Map<string, string>();
  const both = (word: string): readonly Postings[] => {
    let stem = stemOfWord.get(word);
    if (stem === undefined) stemOfWord.set(word, (stem = stemWord(word)));
    return [getPostings(words, word), getPostings(stems, stem)];
  };
  terms.forEach(({ title, keywords, detail }, item) => {
    for (const word of title) for (const postings of both(word)) postings.title.push(item);
    keywords.forEach((word, index) => {
      for (const postings of both(word)) postings.keywords.push([item, index]);
    });
    for (const word of detail) for (const postings of both(word)) postings.detail.push(item);
  });
  return { terms, words, stems };
}

function getPostings(all: Map<string, Postings>, word: string): Postings {
  let postings = all.get(word);
  if (postings === undefined) all.set(word, (postings = { title: [], keywords: [], detail: [] }));
  return postings;
}

function rankAll<T extends Searchable>(
  items: readonly T[],
  { text, words }: Query,
  hasTypos: boolean,
): { item: T; score: number }[] {
  const index = getIndex(items);
  const ofWords = words.map((word) => scoreWord(index, word, hasTypos));
  return items.flatMap((item, i) => {
    const score = scoreName(index.terms[i]!, text) ?? sumScores(ofWords.map((scores) => scores[i]!));
    return score === null ? [] : [{ item, score }];
  });
}

/** Null: the text is neither a name, nor the start of one, nor a keyword. */
function scoreName({ names, joined, phrases }: SearchTerms, text: string): number | null {
  if (names.includes(text) || joined.includes(text)) return rank.title;
  if (names.some((name) => name.startsWith(`${text} `))) return rank.titleStart;
  const phrase = phrases.indexOf(text);
  if (phrase !== -1) return rank.keyword + phrase / 100;
  return names.some((name) => name.startsWith(text)) ? rank.titlePrefix : null;
}

function sumScores(scores: readonly number[]): number | null {
  const isFound =
    scores.every((score) => score < MISSING_WORD_PENALTY) || scores.some((score) => score < rank.typo);
  return isFound ? scores.reduce((total, score) => total + score, rank.words) : null;
}

/** The score of each item for one word of the text. */
function scoreWord({ terms, words, stems }: Index, word: string, hasTypos: boolean): Float64Array {
  const scores = new Float64Array(terms.length).fill(MISSING_WORD_PENALTY);
  const improve = (items: readonly number[], score: number): void => {
    for (const item of items) if (score < scores[item]!) scores[item] = score;
  };
  const improveKeywords = ({ keywords }: Postings, scoreAt: (index: number) => number): void => {
    for (const [item, index] of keywords) if (scoreAt(index) < scores[item]!) scores[item] = scoreAt(index);
  };
  const exact = words.get(word);
  if (exact !== undefined) {
    improve(exact.title, 0);
    improveKeywords(exact, (index) => 1 + index / 100);
    improve(exact.detail, rank.detail);
  }
  const sameStem = stems.get(stemWord(word));
  if (sameStem !== undefined) {
    improve(sameStem.title, 1);
    improveKeywords(sameStem, () => 2);
    improve(sameStem.detail, rank.detail);
  }
  for (const stem of listPossibleStems(word)) {
    const postings = stems.get(stem);
    if (postings === undefined) continue;
    improve(postings.title, 4);
    improveKeywords(postings, () => 4);
  }
  for (const [other, postings] of words) {
    if (other.startsWith(word)) {
      improve(postings.title, 1);
      if (word.length >= 2) improveKeywords(postings, () => 3);
      if (word.length >= 3) improve(postings.detail, rank.detail + 1);
    } else if (hasTypos && word.length >= 4 && (isTypo(word, other) || isTypoOfStart(word, other))) {
      improve(postings.title, rank.typo);
      improveKeywords(postings, () => rank.typo + 1);
    }
  }
  return scores;
}

function uniqueWords(text: string): string[] {
  return [...new Set(splitWords(text))];
}

const JAPANESE = /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u;
/** Particles and endings, which have no meaning for the search. */
const PARTICLE = /^\p{Script=Hiragana}{1,2}$/u;
const japaneseWords = new Intl.Segmenter('ja', { granularity: 'word' });

function splitWords(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.flatMap((word) => (JAPANESE.test(word) ? splitJapanese(word) : [word]));
}

/** Japanese has no spaces between words. */
function splitJapanese(text: string): string[] {
  const words = [...japaneseWords.segment(text)].map(({ segment }) => segment);
  const found = words.filter((word) => !PARTICLE.test(word));
  return found.length === 0 ? words : found;
}

/** `exchangeRate` → `exchange Rate` */
function splitCase(text: string): string {
  return text.replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2');
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

/** The stem of a word: `valid` of validate, validating, validator, validation. */
export function stemWord(word: string): string {
  let stem = word.replace(/ies$/, 'y').replace(/(?<=ss|sh|ch|x)es$|(?<![su])s$/, '');
  for (const suffix of SUFFIXES)
    if (stem.endsWith(suffix) && stem.length - suffix.length >= 3) {
      stem = stem.slice(0, -suffix.length);
      break;
    }
  return stem.replace(/([^aeiou\d])\1$/, '$1');
}

/** The stems that a word may become another form of while it is typed: `valid` of `validatin`. */
function listPossibleStems(word: string): string[] {
  const found: string[] = [];
  for (let length = 3; length < word.length; length++) {
    const rest = word.slice(length);
    const isForm = (part: string): boolean => SUFFIXES.some((suffix) => suffix.startsWith(part));
    const isDoubled = rest[0] === word[length - 1];
    if (isForm(rest) || (isDoubled && isForm(rest.slice(1)))) found.push(word.slice(0, length));
  }
  return found;
}

/** Whether a word is a prefix of another one with one typo after the first letter: `condtio` of condition. */
function isTypoOfStart(word: string, other: string): boolean {
  if (word.length < 6 || word[0] !== other[0]) return false;
  return [-1, 0, 1].some((by) => isTypo(word, other.slice(0, word.length + by)));
}

/** Whether one letter is inserted, missing or wrong, or two neighbors are swapped. */
export function isTypo(word: string, other: string): boolean {
  if (Math.abs(word.length - other.length) > 1) return false;
  let start = 0;
  while (start < word.length && word[start] === other[start]) start++;
  const a = word.slice(start);
  const b = other.slice(start);
  if (a.slice(1) === b.slice(1) || a.slice(1) === b || a === b.slice(1)) return true;
  return a.length > 1 && a[0] === b[1] && a[1] === b[0] && a.slice(2) === b.slice(2);
}
