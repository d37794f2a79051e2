import { listTexts } from '../../ports/store/journal-values.ts';
import { searchText } from '../../lib/text/search-text.ts';
import * as executions from '../queries/executions.ts';
import { selectAll, createPlaceholders, type Transaction } from '../statement.ts';
import { candidatePattern } from './candidate-pattern.ts';

/** Number of texts of one execution that are returned for a word. */
const TEXTS_PER_WORD = 10;

type Row = { readonly number: number; readonly bytes: number };

/**
 * Finds the executions whose values contain all words: texts that contain them, by number. Subtracts what is
 * parsed from `parsedBytes`.
 */
export function* findTexts(
  rows: readonly Row[],
  words: readonly string[],
  left: { parsedBytes: number },
): Transaction<Map<number, string[]>> {
  const found = new Map<number, string[]>();
  if (rows.length === 0) return found;
  const list = createPlaceholders(rows.map(({ number }) => number));
  const pattern = candidatePattern(words);
  const params = [...list.params, pattern];
  const candidates = yield* selectAll<{ number: number }>(
    executions.listWithValue(list.text),
    ...params,
    ...params,
  );
  if (candidates.length === 0) return found;
  const { text, params: numbers } = createPlaceholders([...new Set(candidates.map(({ number }) => number))]);
  const read = yield* selectAll<{ number: number; events: string }>(
    executions.listValues(text),
    ...numbers,
    ...numbers,
  );
  const wanted = words.map(searchText);
  for (const [number, journal] of Map.groupBy(read, (row) => row.number)) {
    const texts = wanted.map((): string[] => []);
    for (const { events } of journal) {
      left.parsedBytes -= events.length;
      for (const one of listTexts(events)) {
        const comparable = searchText(one);
        wanted.forEach((word, i) => {
          if (texts[i]!.length < TEXTS_PER_WORD && comparable.includes(word)) texts[i]!.push(one);
        });
      }
    }
    if (texts.every((ofWord) => ofWord.length > 0)) found.set(number, [...new Set(texts.flat())]);
  }
  return found;
}
