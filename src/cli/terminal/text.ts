/**
 * Makes untrusted text safe for a terminal: characters that move the cursor, change colors or hide text are
 * escaped.
 */
export function toPlainText(text: string): string {
  return text.replaceAll(
    // oxlint-disable-next-line no-control-regex
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g,
    (one) => (one === '\r' ? '' : `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`),
  );
}

/** The same on one line. */
export function toOneLine(text: string): string {
  return toPlainText(text)
    .replaceAll(/\s*\n\s*/g, ' ')
    .replaceAll('\t', ' ');
}

/** Returns the number of columns that a text takes. */
export function measureWidth(text: string): number {
  let width = 0;
  for (const char of text) width += measureCharWidth(char.codePointAt(0)!);
  return width;
}

/** Truncates to a width, with … for the omitted part. */
export function cut(text: string, width: number): string {
  if (measureWidth(text) <= width) return text;
  let left = Math.max(0, width - 1);
  let end = 0;
  for (const char of text) {
    left -= measureCharWidth(char.codePointAt(0)!);
    if (left < 0) break;
    end += char.length;
  }
  return `${text.slice(0, end)}…`;
}

/** East Asian wide characters and emoji take two columns, combining marks none. */
function measureCharWidth(code: number): number {
  if ((code >= 0x300 && code <= 0x36f) || code === 0x200d || (code >= 0xfe00 && code <= 0xfe0f)) return 0;
  const isWide =
    (code >= 0x1100 && code <= 0x115f) ||
    (code >= 0x2e80 && code <= 0xa4cf) ||
    (code >= 0xac00 && code <= 0xd7a3) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0xfe30 && code <= 0xfe6f) ||
    (code >= 0xff00 && code <= 0xff60) ||
    (code >= 0x1f300 && code <= 0x1faff) ||
    (code >= 0x20000 && code <= 0x3fffd);
  return isWide ? 2 : 1;
}

/** `2026-03-01 14:05:09` in the local time zone; `-` for null. */
export function timeText(iso: string | null): string {
  if (iso === null) return '-';
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return toPlainText(iso);
  const two = (value: number): string => String(value).padStart(2, '0');
  return (
    `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ` +
    `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
  );
}

/** `12 ms`, `1.2 s`, `2 m 3 s`, `5 h 1 m`, `3 d 2 h`; `-` for null. */
export function formatDuration(ms: number | null): string {
  if (ms === null) return '-';
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  const [size, name, small, smallName] =
    ms < 3_600_000
      ? [60_000, 'm', 1_000, 's']
      : ms < 86_400_000
        ? [3_600_000, 'h', 60_000, 'm']
        : [86_400_000, 'd', 3_600_000, 'h'];
  return `${Math.floor(ms / size)} ${name} ${Math.floor((ms % size) / small)} ${smallName}`;
}
