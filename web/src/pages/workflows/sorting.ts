import type { ListWorkflowsQuery } from 'weft-client';
import { t } from '../../i18n/index.ts';

export type SortField = NonNullable<ListWorkflowsQuery['sort']>;
export type Sorting = { readonly sort: SortField; readonly direction: 'asc' | 'desc' };

/** The options of the sort control; the first is the default. */
export const SORTS: readonly (readonly [field: SortField, label: string])[] = [
  ['created_at', t('Newest first')],
  ['name', t('By name')],
  ['updated_at', t('By last update')],
  ['last_execution', t('By last run')],
];

const defaultDirection = (sort: SortField): Sorting['direction'] => (sort === 'name' ? 'asc' : 'desc');

/** Reads the order from the URL; values that no option has are ignored. */
export function readSorting(get: (name: string) => string): Sorting {
  const sort = SORTS.find(([field]) => field === get('sort'))?.[0] ?? 'created_at';
  const direction = get('direction');
  return {
    sort,
    direction: direction === 'asc' || direction === 'desc' ? direction : defaultDirection(sort),
  };
}

/** The order as it is in the URL; the default is not. */
export function writeSorting({ sort, direction }: Sorting): Record<'sort' | 'direction', string> {
  return {
    sort: sort === 'created_at' ? '' : sort,
    direction: direction === defaultDirection(sort) ? '' : direction,
  };
}

/** The order after a click on a column title: the default direction, the opposite, then the default order. */
export function computeNextSorting(now: Sorting, sort: SortField): Sorting {
  const usual = defaultDirection(sort);
  if (now.sort !== sort) return { sort, direction: usual };
  return now.direction === usual
    ? { sort, direction: usual === 'asc' ? 'desc' : 'asc' }
    : { sort: 'created_at', direction: 'desc' };
}

export function getSortState(now: Sorting, sort: SortField): 'ascending' | 'descending' | undefined {
  if (now.sort !== sort) return undefined;
  return now.direction === 'asc' ? 'ascending' : 'descending';
}
