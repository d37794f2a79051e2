/** ISO 8601: a date, and optionally a time and an offset. */
const ISO =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s*(Z|[+-]\d{2}:?\d{2})?)?$/i;
/** The format of email and HTTP: `Tue, 15 Nov 1994 08:12:31 GMT`. */
const INTERNET =
  /^(?:[A-Z][a-z]{2}, )?\d{1,2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}(?::\d{2})? (?:GMT|UTC|[+-]\d{4})$/;
/**
 * Numbers below this are seconds since 1970, others milliseconds: 10^11 is the year 5138 in seconds and 1973
 * in milliseconds.
 */
const SECONDS_BELOW = 1e11;
const MAX_TEXT_LENGTH = 60;

/** Milliseconds since 1970, from a number of seconds or of milliseconds. */
export function timeOfNumber(value: number): number {
  return Math.abs(value) < SECONDS_BELOW ? Math.round(value * 1000) : Math.round(value);
}

/**
 * Milliseconds since 1970, from ISO 8601 or the format of email and HTTP; NaN for any other text. `place`
 * converts a local time without an offset (milliseconds as if it were UTC); without it, the text is in UTC.
 */
export function timeOfText(text: string, placeAt: (wall: number) => number = (wall) => wall): number {
  if (text.length > MAX_TEXT_LENGTH) return Number.NaN;
  const iso = ISO.exec(text);
  if (iso === null) return INTERNET.test(text) ? Date.parse(text) : Number.NaN;
  const [, day = '', time = '00:00', seconds = '00', fraction = '0', zone] = iso;
  const offset =
    zone === undefined || zone.toUpperCase() === 'Z' ? 'Z' : zone.replace(/(\d{2}):?(\d{2})$/, '$1:$2');
  const ms = Date.parse(`${day}T${time}:${seconds}.${fraction.padEnd(3, '0').slice(0, 3)}${offset}`);
  // JavaScript parses 30 February as 1 March.
  if (Number.isNaN(ms) || !new Date(`${day}T00:00:00Z`).toISOString().startsWith(day)) return Number.NaN;
  return zone === undefined ? placeAt(ms) : ms;
}
