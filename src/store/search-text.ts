/** Text in the form in which a search compares: case of any script does not matter, nor how accents are composed. */
export function searchText(text: string): string {
  // Through upper case first: ß meets SS, and a final sigma the other one.
  // A NUL would end SQLite's pattern.
  const whole = text.toWellFormed().replaceAll('\0', '\ufffd');
  return whole.normalize('NFC').toUpperCase().toLowerCase().replaceAll('ς', 'σ');
}

/** A LIKE pattern (escape character `\`) that finds `search` anywhere; `%` and `_` mean themselves. */
export function searchPattern(search: string): string {
  return `%${searchText(search).replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
}
