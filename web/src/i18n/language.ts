import { browserStorage } from '../data/browser-storage.ts';

export type Language = 'en' | 'de' | 'ja';

/** The languages of the editor, each with its own name. */
export const LANGUAGES: readonly { value: Language; name: string }[] = [
  { value: 'en', name: 'English' },
  { value: 'de', name: 'Deutsch' },
  { value: 'ja', name: '日本語' },
];

export const LANGUAGE_KEY = 'weft.language';

const getBaseLanguage = (tag: string): string => tag.split('-')[0]!.toLowerCase();
const find = (tag: string | null): Language | undefined =>
  tag === null ? undefined : LANGUAGES.find(({ value }) => value === getBaseLanguage(tag))?.value;

/** The stored choice, else the first supported language of the browser, else English. */
export function pickLanguage(stored: string | null, preferred: readonly string[]): Language {
  return find(stored) ?? preferred.map(find).find((found) => found !== undefined) ?? 'en';
}

/** The locale for `Intl`: the browser's own when it is of the language, for example `en-GB`. */
export function pickLocale(selected: Language, preferred: readonly string[]): string {
  return preferred.find((tag) => getBaseLanguage(tag) === selected) ?? selected;
}

export const language: Language = pickLanguage(browserStorage.get(LANGUAGE_KEY), navigator.languages);
export const locale: string = pickLocale(language, navigator.languages);
