/** Signs that begin an inline element, a table cell or an entity, or that are an escape. */
const INLINE = /[\\`*~[\]<|]|_(?![A-Za-z0-9])|(?<![A-Za-z0-9])_|&(?=[#A-Za-z]|$)/g;
/** Signs that begin a block, or that make a block of the line before. */
const BLOCK = /^([ \t]*)([=:>]|[#+-](?=[\s#+-]|$))/gm;
const NUMBER_OF_LIST = /^([ \t]*\d{0,9})([.)])(?=\s|$)/gm;
/**
 * What joins an element of the surrounding text: the target of a link before it, or the mark of an image
 * after it.
 */
const EDGES = /^\(|!$/g;
const ESCAPED = /\\([!-/:-@[-`{-~])/g;

/** Escapes a text, so that it is shown as it is in Markdown: it cannot become a link, a heading or a list. */
export function escapeMarkdown(text: string): string {
  return text
    .replace(INLINE, '\\$&')
    .replace(BLOCK, '$1\\$2')
    .replace(NUMBER_OF_LIST, '$1\\$2')
    .replace(EDGES, '\\$&');
}

/**
 * Redacts a Markdown text in which values are escaped. If a secret is found only without the escapes, the
 * whole text becomes plain text.
 */
export function redactMarkdown(markdown: string, redact: (text: string) => string): string {
  const redacted = redact(markdown);
  const plain = redacted.replace(ESCAPED, '$1');
  const redactedPlain = redact(plain);
  return redactedPlain === plain ? redacted : escapeMarkdown(redactedPlain);
}
