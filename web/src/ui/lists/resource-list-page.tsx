import type { UseQueryResult } from '@tanstack/react-query';
import { Plus, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Pagination } from 'weft-client';
import { useUrlState } from '../../data/url-state.ts';
import { Button } from '../button.tsx';
import { EmptyState } from '../empty-state.tsx';
import { ListTable, type Column } from './list-table.tsx';
import { Page } from '../page.tsx';

/** A query for one page of a list; a query without pagination returns the whole list. */
type ListQuery = Pick<UseQueryResult<object & { pagination?: Pagination }>, 'data' | 'error' | 'refetch'>;

type ResourceListProps<T> = {
  /** The accessible name of the table. */
  label: string;
  columns: readonly Column<T>[];
  query: ListQuery;
  items: readonly T[] | undefined;
  getKey: (item: T) => string;
  /** What the page shows in place of an empty table. */
  empty: { icon: LucideIcon; title: string; text?: ReactNode; actions?: ReactNode };
};

/** A table of resources whose page number is in the URL. */
export function ResourceList<T>({ label, columns, query, items, getKey, empty }: ResourceListProps<T>) {
  const { setPage } = useUrlState();
  const { icon: Icon, title, text, actions } = empty;
  return (
    <ListTable
      label={label}
      columns={columns}
      items={items}
      getKey={getKey}
      pageInfo={query.data?.pagination}
      onPage={setPage}
      error={query.error}
      onRetry={() => void query.refetch()}
      empty={
        <EmptyState icon={<Icon size={20} />} title={title} actions={actions}>
          {text}
        </EmptyState>
      }
    />
  );
}

/** The list page of a resource: title, create button and list. `children` are its dialogs. */
export function ResourceListPage<T>({
  title,
  lead,
  create,
  actions,
  above,
  children,
  ...list
}: Omit<ResourceListProps<T>, 'label'> & {
  title: string;
  lead?: ReactNode;
  create?: CreateAction | undefined;
  /** Buttons before the one that creates. */
  actions?: ReactNode;
  /** Filters or notices above the table. */
  above?: ReactNode;
  children?: ReactNode;
}) {
  return (
    <Page
      title={title}
      lead={lead}
      actions={
        <>
          {actions}
          {create !== undefined && <CreateButton {...create} />}
        </>
      }
    >
      {above}
      <ResourceList label={title} {...list} />
      {children}
    </Page>
  );
}

type CreateAction = { label: string; onClick: () => void };

export function CreateButton({ label, onClick }: CreateAction) {
  return (
    <Button variant="primary" icon={<Plus size={15} />} onClick={onClick}>
      {label}
    </Button>
  );
}
