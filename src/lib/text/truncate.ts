/** Ends a truncated text. Redaction looks before it for the beginning of a secret. */
export const ELLIPSIS = '…';

/** At most `most` characters of a text, with an ellipsis when it was truncated. */
export function truncateText(text: string, most: number): string {
  return text.length <= most ? text : text.slice(0, most) + ELLIPSIS;
}
