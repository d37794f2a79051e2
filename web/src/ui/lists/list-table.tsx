import { ArrowDown, ArrowUp } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Pagination as PageInfo } from 'weft-client';
import { joinClassNames } from '../class-names.ts';
import { ErrorAlert } from '../alert.tsx';
import { Pagination } from './pagination.tsx';
import { SkeletonRows } from '../skeleton.tsx';
import { Time } from '../time.tsx';
import { t } from '../../i18n/index.ts';

export type Column<T> = {
  /** Empty for the actions column. */
  title: string;
  cell: (item: T) => ReactNode;
  /** The content of the header cell, if it is more than the title. */
  head?: (items: readonly T[]) => ReactNode;
  className?: string;
  /** The order of the list, on the column that it is sorted by. */
  sorted?: 'ascending' | 'descending' | undefined;
};

/** A narrow column of times. `isWideOnly`: hidden on narrow screens. */
export function timeColumn<T>(
  title: string,
  getTime: (item: T) => string | null,
  isWideOnly = true,
): Column<T> {
  return {
    title,
    className: joinClassNames('table__tight', isWideOnly && 'table__narrow-hide'),
    cell: (item) => <Time at={getTime(item)} />,
  };
}

/** The title of a column by which the list can be sorted. */
export function SortButton({
  title,
  sorted,
  onSort,
}: {
  title: string;
  sorted: 'ascending' | 'descending' | undefined;
  onSort: () => void;
}) {
  const Icon = sorted === 'ascending' ? ArrowUp : ArrowDown;
  return (
    <button type="button" className="table__sort" onClick={onSort}>
      {title}
      <Icon size={12} aria-hidden="true" />
    </button>
  );
}

/** The last column, with the actions of a row. */
export function createActionsColumn<T>(buttons: (item: T) => ReactNode): Column<T> {
  return {
    title: '',
    className: 'table__tight',
    cell: (item) => <div className="table__actions">{buttons(item)}</div>,
  };
}

/**
 * One page of a list with its loading, error and empty states. The roles are explicit because browsers drop
 * the table semantics of the cards on narrow screens.
 */
export function ListTable<T>({
  label,
  columns,
  items,
  getKey,
  pageInfo,
  onPage,
  error,
  onRetry,
  empty,
}: {
  label: string;
  columns: readonly Column<T>[];
  /** Undefined: loading. */
  items: readonly T[] | undefined;
  getKey: (item: T) => string;
  pageInfo?: PageInfo | undefined;
  onPage?: ((page: number) => void) | undefined;
  error: unknown;
  onRetry: () => void;
  empty: ReactNode;
}) {
  const isFailed = error !== null && error !== undefined;
  if (items === undefined && isFailed) return <ErrorAlert error={error} onRetry={onRetry} />;
  if (items?.length === 0 && (pageInfo === undefined || pageInfo.total === 0)) return empty;
  return (
    <>
      {isFailed && <ErrorAlert error={error} onRetry={onRetry} />}
      <div className="table-frame" role="region" aria-label={label} tabIndex={0}>
        <table className="table" role="table" aria-busy={items === undefined}>
          <thead role="rowgroup">
            <tr role="row">
              {columns.map(({ title, head, className, sorted }) => (
                <th key={title} scope="col" role="columnheader" className={className} aria-sort={sorted}>
                  {title === '' ? (
                    <span className="visually-hidden">{t('Actions')}</span>
                  ) : (
                    (head?.(items ?? []) ?? title)
                  )}
                </th>
              ))}
            </tr>
          </thead>
          <tbody role="rowgroup">
            {items === undefined ? (
              <SkeletonRows columns={columns.length} />
            ) : (
              items.map((item) => (
                <tr key={getKey(item)} role="row">
                  {columns.map(({ title, cell, className }) => (
                    <td
                      key={title}
                      role="cell"
                      data-title={title}
                      className={joinClassNames(className, title === '' && 'table__end')}
                    >
                      {cell(item)}
                    </td>
                  ))}
                </tr>
              ))
            )}
          </tbody>
        </table>
      </div>
      {pageInfo !== undefined && onPage !== undefined && <Pagination pageInfo={pageInfo} onPage={onPage} />}
    </>
  );
}
