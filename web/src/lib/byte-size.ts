import { locale } from '../i18n/index.ts';

const UNIT_FACTOR = 1_000;
const units = (['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const).map((unit, i) => {
  const digits = i === 0 ? 0 : 1;
  return new Intl.NumberFormat(locale, {
    style: 'unit',
    unit,
    unitDisplay: i === 0 ? 'long' : 'short',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
});

/** A number of bytes for people, such as `48.2 kB`. */
export function formatByteSize(size: number): string {
  let value = size;
  let unit = 0;
  // 999.95 would be printed as 1000.0.
  while (value >= UNIT_FACTOR - 0.05 && unit < units.length - 1) {
    value /= UNIT_FACTOR;
    unit++;
  }
  return units[unit]?.format(value) ?? '';
}
