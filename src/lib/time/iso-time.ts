const DAY = 86_400_000;
const two = Array.from({ length: 60 }, (_, n) => String(n).padStart(2, '0'));

/** The day that was printed last: times that are shown together are mostly of one. */
let day = Number.NaN;
let text = '';

/**
 * ISO 8601 in UTC with milliseconds and `Z`, as Date has it, for ms since the epoch. Lists print many.
 * Throws a RangeError for what is no time.
 */
export function isoTime(time: number): string {
  const at = Math.floor(time / DAY);
  if (at !== day) {
    text = new Date(time).toISOString().slice(0, -13);
    day = at;
  }
  const ms = Math.trunc(time) - at * DAY;
  const seconds = Math.floor(ms / 1_000);
  const minutes = Math.floor(seconds / 60);
  const rest = ms - seconds * 1_000;
  const hours = Math.floor(minutes / 60);
  return `${text}${two[hours]}:${two[minutes - hours * 60]}:${two[seconds - minutes * 60]}.${rest < 10 ? `00${rest}` : rest < 100 ? `0${rest}` : rest}Z`;
}

export function isoOrNull(time: number | null): string | null {
  return time === null ? null : isoTime(time);
}
