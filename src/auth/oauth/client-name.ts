const MAX_NAME = 100;
/** Controls, and marks that change the order of text or cannot be seen: a name must read as what it is. */
const TRICKS =
  /[\p{Cc}\p{Cs}\p{Co}\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\u{e0000}-\u{e0fff}]/u;

/** What is wrong with the name of a client; null: nothing. */
export function clientNameFault(name: unknown): string | null {
  if (typeof name !== 'string' || name.trim() === '') return 'must be a text that is not empty';
  if (name.length > MAX_NAME) return `must have at most ${MAX_NAME} characters`;
  return TRICKS.test(name) ? 'must have no invisible characters' : null;
}
