import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { MessagesSquare, SearchX } from 'lucide-react';
import { useCallback, useMemo } from 'react';
import { Link } from 'wouter';
import type { Thread } from 'weft-client';
import { client } from '../../data/client.ts';
import { useUrlState } from '../../data/url-state.ts';
import { DeleteButton } from '../../ui/delete-button.tsx';
import { createActionsColumn, timeColumn, type Column } from '../../ui/lists/list-table.tsx';
import { ResourceListPage } from '../../ui/lists/resource-list-page.tsx';
import { SearchField } from '../../ui/lists/search-field.tsx';
import { ThreadDialog } from './thread-dialog.tsx';
import { locale, t } from '../../i18n/index.ts';

const PAGE_SIZE = 20;
const number = new Intl.NumberFormat(locale);

/** The threads that agents continue: their memory. */
export function ThreadsPage() {
  const url = useUrlState();
  const search = url.get('search');
  const query = search === '' ? {} : { search };
  const list = useQuery({
    queryKey: ['threads', url.page, query],
    queryFn: ({ signal }) => client.threads.list({ page: url.page, limit: PAGE_SIZE, ...query }, { signal }),
    placeholderData: keepPreviousData,
  });
  const { set, hrefWith } = url;
  const columns = useMemo(() => createColumns(hrefWith), [hrefWith]);
  const onSearch = useCallback((text: string) => set({ search: text }), [set]);
  const shown = url.get('thread');
  return (
    <ResourceListPage
      title={t('Threads')}
      lead={t('Conversations that agents remember. An agent continues a thread by its key.')}
      above={
        <div className="toolbar">
          <SearchField label={t('Search keys')} value={search} onChange={onSearch} />
        </div>
      }
      columns={columns}
      query={list}
      items={list.data?.threads}
      getKey={(one) => one.id}
      empty={
        search === ''
          ? {
              icon: MessagesSquare,
              title: t('No threads yet'),
              text: t('Set the field Memory of an AI agent, and its conversations appear here.'),
            }
          : { icon: SearchX, title: t('No matching threads') }
      }
    >
      {shown !== '' && (
        <ThreadDialog id={shown} onClose={() => set({ thread: '', page: String(url.page) })} />
      )}
    </ResourceListPage>
  );
}

function createColumns(
  hrefWith: (changes: Readonly<Record<string, string>>) => string,
): readonly Column<Thread>[] {
  return [
    {
      title: t('Key'),
      cell: (one) => (
        <Link href={hrefWith({ thread: one.id })} className="table__main truncate">
          {one.key}
        </Link>
      ),
    },
    {
      title: t('Workflow or namespace'),
      cell: (one) =>
        one.workflow_id === null ? (
          <code className="tag">{one.namespace}</code>
        ) : (
          <Link href={`/workflows/${one.workflow_id}`} className="truncate">
            {one.workflow_name}
          </Link>
        ),
    },
    { title: t('Turns'), cell: (one) => <span className="numbers">{number.format(one.turns)}</span> },
    timeColumn(t('Updated'), (one) => one.updated_at),
    createActionsColumn((one) => (
      <DeleteButton name={one.key} run={() => client.threads.delete(one.id)} changes={[['threads']]}>
        {t('The agent forgets this conversation. It cannot be restored.')}
      </DeleteButton>
    )),
  ];
}
