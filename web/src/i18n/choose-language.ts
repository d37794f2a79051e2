import { browserStorage } from '../data/browser-storage.ts';
import { language, LANGUAGE_KEY, type Language } from './language.ts';

/** Stores the language and reloads the page in it. */
export function chooseLanguage(selected: Language): void {
  if (selected === language) return;
  browserStorage.set(LANGUAGE_KEY, selected);
  location.reload();
}
