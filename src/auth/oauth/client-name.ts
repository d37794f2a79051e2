const MAX_NAME_LENGTH = 100;
/** Control characters, invisible characters and characters that reorder text: they could disguise a name. */
const INVISIBLE_CHARACTERS =
  /[\p{Cc}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}]/u;

/** Returns what is wrong with the name of a client; null when it is valid. */
export function checkClientName(name: unknown): string | null {
  if (typeof name !== 'string' || name.trim() === '') return 'must be a non-empty string';
  if (name.length > MAX_NAME_LENGTH) return `must have at most ${MAX_NAME_LENGTH} characters`;
  return INVISIBLE_CHARACTERS.test(name) ? 'must have no invisible characters' : null;
}
