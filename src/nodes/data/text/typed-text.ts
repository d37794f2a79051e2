/** Numbers as JSON writes them. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d{1,3})?$/;
/** A number keeps so many digits for certain; what has more is a text, such as the number of an account. */
const MAX_DIGITS = 15;

/** A text as what it plainly is: a number, a boolean, null when it is empty, or itself (`007`, `1,5`, `NaN`). */
export function typedText(text: string): string | number | boolean | null {
  if (text === '') return null;
  if (/^true$/i.test(text)) return true;
  if (/^false$/i.test(text)) return false;
  if (text.length > 40 || !NUMBER.test(text)) return text;
  if (text.replace(/[eE].*$/, '').replace(/\D/g, '').length > MAX_DIGITS) return text;
  const value = Number(text);
  return Number.isFinite(value) ? value : text;
}
