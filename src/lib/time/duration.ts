/** The maximum duration in milliseconds: 366 days. */
export const MAX_DURATION_MS = 366 * 86_400_000;

const UNITS = new Map([
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
]);

const DURATION = /^(\d{1,15}(?:\.\d{1,9})?)(ms|s|m|h|d)$/;

/**
 * Parses a duration with a unit: `500ms`, `5s`, `1.5m`, `1h`, `1d`. Returns whole milliseconds, or null when
 * the text is not a duration or is longer than 366 days.
 */
export function parseDuration(text: string): number | null {
  const match = DURATION.exec(text);
  if (match === null) return null;
  const ms = Math.round(Number(match[1]) * (UNITS.get(match[2] ?? '') ?? Number.NaN));
  return ms <= MAX_DURATION_MS ? ms : null;
}

/** The same for an optional setting: null when it is absent. */
export function parseOptionalDuration(text: string | undefined): number | null {
  return text === undefined ? null : parseDuration(text);
}

/**
 * Formats whole milliseconds in the largest unit that divides them: 90000 is `90s`, 120000 is `2m`. Parsing
 * it returns the same value.
 */
export function formatDuration(ms: number): string {
  const whole = Math.max(0, Math.round(ms));
  if (whole === 0) return '0ms';
  let text = `${whole}ms`;
  for (const [unit, size] of UNITS) {
    if (whole % size !== 0) break;
    text = `${whole / size}${unit}`;
  }
  return text;
}
