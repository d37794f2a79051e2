const MAX_NAME = 100;
/** Controls, and marks that change the order of text or cannot be seen: a name must read as what it is. */
const TRICKS = /[\p{Cc}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}]/u;

/** What is wrong with the name of a client; null: nothing. */
export function checkClientName(name: unknown): string | null {
  if (typeof name !== 'string' || name.trim() === '') return 'must be a text that is not empty';
  if (name.length > MAX_NAME) return `must have at most ${MAX_NAME} characters`;
  return TRICKS.test(name) ? 'must have no invisible characters' : null;
}
