const DAY_MS = 86_400_000;
const two = Array.from({ length: 60 }, (_, n) => String(n).padStart(2, '0'));

/** The last formatted day: the times of a list are mostly of one day. */
let day = Number.NaN;
let text = '';

/**
 * ISO 8601 in UTC with milliseconds and `Z`, as Date formats ms since the epoch, but faster for lists.
 * @throws {RangeError} when it is not a valid time.
 */
export function formatIsoTime(time: number): string {
  const at = Math.floor(time / DAY_MS);
  if (at !== day) {
    text = new Date(time).toISOString().slice(0, -13);
    day = at;
  }
  const ms = Math.trunc(time) - at * DAY_MS;
  const seconds = Math.floor(ms / 1_000);
  const minutes = Math.floor(seconds / 60);
  const rest = ms - seconds * 1_000;
  const hours = Math.floor(minutes / 60);
  return `${text}${two[hours]}:${two[minutes - hours * 60]}:${two[seconds - minutes * 60]}.${rest < 10 ? `00${rest}` : rest < 100 ? `0${rest}` : rest}Z`;
}

export function formatIsoTimeOrNull(time: number | null): string | null {
  return time === null ? null : formatIsoTime(time);
}
