import { browserStorage } from '../data/browser-storage.ts';
import { language, LANGUAGE_KEY, type Language } from './language.ts';

/** Stores the language and reloads the page in it. */
export function chooseLanguage(chosen: Language): void {
  if (chosen === language) return;
  browserStorage.set(LANGUAGE_KEY, chosen);
  location.reload();
}
