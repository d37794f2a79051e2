const UNITS = ['bytes', 'kB', 'MB', 'GB'] as const;
const STEP = 1_000;

/** A number of bytes for people, such as `48.2 kB`. */
export function formatByteSize(size: number): string {
  let value = size;
  let unit = 0;
  // 999.95 would be printed as 1000.0.
  while (value >= STEP - 0.05 && unit < UNITS.length - 1) {
    value /= STEP;
    unit++;
  }
  if (unit === 0) return size === 1 ? '1 byte' : `${size} bytes`;
  return `${value.toFixed(1)} ${UNITS[unit]}`;
}
