/** Stands where a text was cut. A mask for secrets looks in front of it for the beginning of one. */
export const ELLIPSIS = '…';

/** At most `most` characters of a text, with a sign behind them when that is not all. */
export function truncateText(text: string, most: number): string {
  return text.length <= most ? text : text.slice(0, most) + ELLIPSIS;
}
