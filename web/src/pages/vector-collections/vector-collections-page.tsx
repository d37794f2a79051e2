import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { LibraryBig, SearchX } from 'lucide-react';
import { useCallback } from 'react';
import type { VectorCollection } from 'weft-client';
import { client } from '../../data/client.ts';
import { useUrlState } from '../../data/url-state.ts';
import { countText } from '../../ui/amounts.ts';
import { DeleteButton } from '../../ui/delete-button.tsx';
import { createActionsColumn, timeColumn, type Column } from '../../ui/lists/list-table.tsx';
import { ResourceListPage } from '../../ui/lists/resource-list-page.tsx';
import { SearchField } from '../../ui/lists/search-field.tsx';
import { t } from '../../i18n/index.ts';

const PAGE_SIZE = 20;

/** The collections that vector stores fill. */
export function VectorCollectionsPage() {
  const url = useUrlState();
  const search = url.get('search');
  const query = search === '' ? {} : { search };
  const list = useQuery({
    queryKey: ['vector-collections', url.page, query],
    queryFn: ({ signal }) =>
      client.vectorCollections.list({ page: url.page, limit: PAGE_SIZE, ...query }, { signal }),
    placeholderData: keepPreviousData,
  });
  const { set } = url;
  const onSearch = useCallback((text: string) => set({ search: text }), [set]);
  return (
    <ResourceListPage
      title={t('Vector collections')}
      lead={t('Documents that workflows find by their meaning. The node Vector store fills a collection.')}
      above={
        <div className="toolbar">
          <SearchField label={t('Search names')} value={search} onChange={onSearch} />
        </div>
      }
      columns={COLUMNS}
      query={list}
      items={list.data?.vector_collections}
      getKey={(one) => one.name}
      empty={
        search === ''
          ? {
              icon: LibraryBig,
              title: t('No vector collections yet'),
              text: t('The first documents that a node Vector store stores create a collection.'),
            }
          : { icon: SearchX, title: t('No matching vector collections') }
      }
    />
  );
}

const COLUMNS: readonly Column<VectorCollection>[] = [
  {
    title: t('Name'),
    cell: (one) => (
      <code className="table__main truncate" title={one.name}>
        {one.name}
      </code>
    ),
  },
  { title: t('Embedding model'), cell: (one) => <span className="truncate">{one.model}</span> },
  {
    title: t('Dimensions'),
    className: 'table__number table__tight table__narrow-hide',
    cell: (one) => countText(one.dimensions),
  },
  {
    title: t('Documents'),
    className: 'table__number table__tight',
    cell: (one) => countText(one.documents),
  },
  timeColumn(t('Updated'), (one) => one.updated_at),
  createActionsColumn((one) => (
    <DeleteButton
      name={one.name}
      run={() => client.vectorCollections.delete(one.name)}
      changes={[['vector-collections']]}
    >
      {t('All documents of the collection are deleted. They cannot be restored.')}
    </DeleteButton>
  )),
];
