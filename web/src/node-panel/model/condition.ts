import { isRecord } from './json-pointer.ts';

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
  ['equals', 'equals'],
  ['not_equals', 'does not equal'],
  ['greater_than', 'is greater than'],
  ['greater_or_equal', 'is at least'],
  ['less_than', 'is less than'],
  ['less_or_equal', 'is at most'],
  ['contains', 'contains'],
  ['not_contains', 'does not contain'],
  ['starts_with', 'starts with'],
  ['ends_with', 'ends with'],
  ['matches', 'matches the expression'],
  ['in', 'is one of'],
  ['not_in', 'is none of'],
  ['exists', 'exists'],
  ['not_exists', 'does not exist'],
  ['is_empty', 'is empty'],
  ['is_not_empty', 'is not empty'],
];

const ALONE = new Set(['exists', 'not_exists', 'is_empty', 'is_not_empty']);

/** Whether an operator compares with a value. */
export function takesValue(operator: string): boolean {
  return !ALONE.has(operator);
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
export function regrouped(value: unknown, kind: 'all' | 'any' | 'not' | 'leaf'): unknown {
  const condition = readCondition(value);
  if (condition.kind === kind) return value;
  const parts =
    condition.kind === 'leaf' ? [value] : condition.kind === 'not' ? [condition.part] : condition.parts;
  if (kind === 'leaf') return parts.find((part) => readCondition(part).kind === 'leaf') ?? emptyLeaf;
  if (kind === 'not') return { not: parts.length === 1 ? parts[0] : { all: parts } };
  return { [kind]: parts };
}
