import { isRecord } from './field-path.ts';
import { t } from '../../i18n/index.ts';

export type Leaf = {
  readonly kind: 'leaf';
  readonly field: string;
  readonly operator: string;
  readonly value: unknown;
};
export type Group = { readonly kind: 'all' | 'any'; readonly parts: readonly unknown[] };
export type Negation = { readonly kind: 'not'; readonly part: unknown };
export type Condition = Leaf | Group | Negation;

/** Operators in menu order, with their labels. */
export const operators: readonly (readonly [operator: string, words: string])[] = [
  ['equals', t('equals')],
  ['not_equals', t('does not equal')],
  ['greater_than', t('is greater than')],
  ['greater_or_equal', t('is at least')],
  ['less_than', t('is less than')],
  ['less_or_equal', t('is at most')],
  ['contains', t('contains')],
  ['not_contains', t('does not contain')],
  ['starts_with', t('starts with')],
  ['ends_with', t('ends with')],
  ['matches', t('matches the expression')],
  ['in', t('is one of')],
  ['not_in', t('is none of')],
  ['exists', t('exists')],
  ['not_exists', t('does not exist')],
  ['is_empty', t('is empty')],
  ['is_not_empty', t('is not empty')],
];

const UNARY_OPERATORS = new Set(['exists', 'not_exists', 'is_empty', 'is_not_empty']);

/** Whether an operator compares with a value. */
export function takesValue(operator: string): boolean {
  return !UNARY_OPERATORS.has(operator);
}

/** The comparison with another operator; a value that it does not compare with must not stay. */
export function withOperator({ field, value }: Leaf, operator: string): Record<string, unknown> {
  return takesValue(operator) ? { field, operator, value: value ?? '' } : { field, operator };
}

export const emptyLeaf: Readonly<Record<string, unknown>> = { field: '', operator: 'equals', value: '' };

/** A condition in a configuration, which may be invalid. */
export function readCondition(value: unknown): Condition {
  if (isRecord(value)) {
    for (const kind of ['all', 'any'] as const) {
      const parts = value[kind];
      if (Array.isArray(parts)) return { kind, parts: parts as unknown[] };
    }
    if (value['not'] !== undefined) return { kind: 'not', part: value['not'] };
  }
  const leaf = isRecord(value) ? value : {};
  return {
    kind: 'leaf',
    field: typeof leaf['field'] === 'string' ? leaf['field'] : '',
    operator: typeof leaf['operator'] === 'string' ? leaf['operator'] : 'equals',
    value: leaf['value'],
  };
}

/** The same as a group of another kind; what was one condition becomes the first of the group. */
export function convertGroup(value: unknown, kind: 'all' | 'any' | 'not' | 'leaf'): unknown {
  const condition = readCondition(value);
  if (condition.kind === kind) return value;
  const parts =
    condition.kind === 'leaf' ? [value] : condition.kind === 'not' ? [condition.part] : condition.parts;
  if (kind === 'leaf') return parts.find((part) => readCondition(part).kind === 'leaf') ?? emptyLeaf;
  if (kind === 'not') return { not: parts.length === 1 ? parts[0] : { all: parts } };
  return { [kind]: parts };
}
