import { isObject, type Json } from './document.ts';
import { toList, formatValueText } from './summary-text.ts';
import { t } from '../../i18n/index.ts';

const SIGN_BY_OPERATOR: Readonly<Record<string, string>> = {
  equals: '=',
  not_equals: '≠',
  greater_than: '>',
  greater_or_equal: '≥',
  less_than: '<',
  less_or_equal: '≤',
};
const OPERATORS: Readonly<Record<string, string>> = {
  contains: t('contains'),
  not_contains: t('does not contain'),
  starts_with: t('starts with'),
  ends_with: t('ends with'),
  matches: t('matches'),
  in: t('in', { context: 'operator' }),
  not_in: t('not in', { context: 'operator' }),
};
/** Operators without a second operand. */
const UNARY_OPERATOR_TEXTS: Readonly<Record<string, string>> = {
  exists: t('exists'),
  not_exists: t('does not exist'),
  is_empty: t('is empty'),
  is_not_empty: t('is not empty'),
};
const MAX_DEPTH = 4;
const MAX_PARTS = 3;

/** A condition as text: `amount > 100`, `total ≥ 5 and name exists`. Empty while it is incomplete. */
export function describeCondition(condition: Json | undefined, depth = 0): string {
  if (typeof condition === 'string') return formatValueText(condition);
  if (!isObject(condition) || depth > MAX_DEPTH) return '';
  const { field, operator, value, all, any, not } = condition;
  if (Array.isArray(all)) return groupWords(all, ` ${t('and')} `, depth);
  if (Array.isArray(any)) return groupWords(any, ` ${t('or')} `, depth);
  if (not !== undefined) {
    const inner = describeCondition(not, depth + 1);
    return inner === '' ? '' : t('not ({{condition}})', { condition: inner });
  }
  const name = formatValueText(field);
  if (name === '' || typeof operator !== 'string') return '';
  if (Object.hasOwn(UNARY_OPERATOR_TEXTS, operator)) return `${name} ${UNARY_OPERATOR_TEXTS[operator]}`;
  const words = SIGN_BY_OPERATOR[operator] ?? OPERATORS[operator] ?? operator.replaceAll('_', ' ');
  return `${name} ${words} ${value === '' ? '""' : formatValueText(value)}`.trim();
}

function groupWords(parts: Json, word: string, depth: number): string {
  const texts = toList(parts)
    .map((part) => describeCondition(part, depth + 1))
    .filter((text) => text !== '');
  const more = texts.length > MAX_PARTS ? ` + ${texts.length - MAX_PARTS}` : '';
  const text = texts.slice(0, MAX_PARTS).join(word) + more;
  return depth > 0 && texts.length > 1 ? `(${text})` : text;
}
