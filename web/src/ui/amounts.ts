import { locale } from '../i18n/index.ts';

const count = new Intl.NumberFormat(locale);
const dollars = new Intl.NumberFormat(locale, {
  style: 'currency',
  currency: 'USD',
  currencyDisplay: 'narrowSymbol',
  minimumFractionDigits: 2,
  maximumFractionDigits: 6,
});

export function countText(value: number): string {
  return count.format(value);
}

/** US dollars. */
export function formatCost(cost: number): string {
  return dollars.format(cost);
}
