import i18next from 'i18next';
import { createElement, Fragment, type ReactNode } from 'react';
import { language, type Language } from './language.ts';

export { language, LANGUAGES, locale } from './language.ts';

type Catalog = { default: Record<string, string> };
type Values = Record<string, string | number>;

const UI: Record<Exclude<Language, 'en'>, () => Promise<Catalog>> = {
  de: () => import('./de.json'),
  ja: () => import('./ja.json'),
};

const NODES: typeof UI = {
  de: () => import('./nodes.de.json'),
  ja: () => import('./nodes.ja.json'),
};

// The English text is the key, so English needs no catalog.
void i18next.init({
  lng: language,
  initAsync: false,
  resources: {},
  fallbackLng: false,
  keySeparator: false,
  nsSeparator: false,
  defaultNS: 'ui',
  // React escapes texts.
  interpolation: { escapeValue: false },
});

/** Loads the catalog of the language. Must end before a module that calls `t` is evaluated. */
export async function loadLanguage(): Promise<void> {
  if (language !== 'en') i18next.addResourceBundle(language, 'ui', (await UI[language]()).default);
}

type SearchWords = Readonly<Record<string, readonly string[]>>;

const SEARCH_WORDS: Record<Exclude<Language, 'en'>, () => Promise<{ default: SearchWords }>> = {
  de: () => import('./search-words.de.json'),
  ja: () => import('./search-words.ja.json'),
};

let searchWords: SearchWords = {};

/** Loads the texts and search words of the built-in node types. Other texts are returned unchanged. */
export async function loadNodeTexts(): Promise<(text: string) => string> {
  if (language === 'en') return (text) => text;
  const [{ default: texts }, words] = await Promise.all([NODES[language](), SEARCH_WORDS[language]()]);
  searchWords = words.default;
  return (text) => (Object.hasOwn(texts, text) ? texts[text]! : text);
}

/**
 * The words of the language for which the node picker finds an entry, besides its English words. Empty in
 * English and before `loadNodeTexts` has ended.
 */
export function getSearchWords(entryId: string): readonly string[] {
  return Object.hasOwn(searchWords, entryId) ? searchWords[entryId]! : [];
}

/**
 * The translation of an English text. `{{name}}` in the text stands for `values.name`. A `context`
 * distinguishes meanings of the same English text.
 */
export function t(text: string, values: Values = {}): string {
  return i18next.t(text, values);
}

/** The form for `count`, which is also the value of `{{count}}`. The key in the catalog is `other`. */
export function tPlural(count: number, one: string, other: string, values: Values = {}): string {
  return i18next.t(other, { ...values, count, defaultValue_one: one, defaultValue_other: other });
}

/** A translated text in which `{{name}}` stands for the element `elements.name`. */
export function tElements(text: string, elements: Record<string, ReactNode>): ReactNode {
  const parts = i18next.t(text, { skipInterpolation: true }).split(/\{\{(\w+)\}\}/);
  return parts.map((part, index) =>
    createElement(Fragment, { key: index }, index % 2 === 0 ? part : elements[part]),
  );
}

/** A title inside a sentence: lower-case in English, unchanged in other languages. */
export function toSentenceCase(title: string): string {
  return language === 'en' ? title.toLowerCase() : title;
}
