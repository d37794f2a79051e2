import { chooseLanguage } from '../../../lib/text/accept-language.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import type { FormTexts } from './form-texts.ts';
import { ja } from './ja.ts';

const catalogs: ReadonlyMap<string, FormTexts> = new Map(
  [en, de, ja].map((texts) => [texts.language, texts]),
);

/** The texts in the language that a browser prefers; in English, if none of its languages is available. */
export function chooseTexts(acceptLanguage: string | undefined): FormTexts {
  return catalogs.get(chooseLanguage(acceptLanguage ?? '', [...catalogs.keys()])) ?? en;
}
