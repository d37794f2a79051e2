/** Normalizes text for search: case and the composition of accents do not matter. */
export function searchText(text: string): string {
  // Upper case first, so that ß matches SS and a final sigma matches any sigma. A NUL would end SQLite's
  // pattern.
  const whole = text.toWellFormed().replaceAll('\0', '\ufffd');
  return whole.normalize('NFC').toUpperCase().toLowerCase().replaceAll('ς', 'σ');
}
