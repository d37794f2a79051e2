import { ChartColumn, ListVideo, SearchX } from 'lucide-react';
import { useCallback, useMemo } from 'react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ListExecutionsQuery } from 'weft-client';
import { client } from '../../data/client.ts';
import { useSelection } from '../../data/use-selection.ts';
import { useUrlState } from '../../data/url-state.ts';
import { useWorkflowNames } from '../../node-panel/use-names.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { ResourceListPage } from '../../ui/lists/resource-list-page.tsx';
import { Time } from '../../ui/time.tsx';
import { createColumns } from './columns.tsx';
import { isFiltered, readFilters, toQuery } from './execution-filters.ts';
import { FilterBar } from './filter-bar.tsx';
import { SelectionBar } from './selection-bar.tsx';
import { t, tElements } from '../../i18n/index.ts';

const PAGE_SIZE = 25;

/** The executions of all workflows. */
export function ExecutionsPage() {
  const url = useUrlState();
  const names = useWorkflowNames(true);
  const filters = readFilters(url.get);
  const query: ListExecutionsQuery = { page: url.page, limit: PAGE_SIZE, ...toQuery(filters, Date.now()) };
  const list = useQuery({
    queryKey: ['executions', 'list', query],
    queryFn: ({ signal }) => client.executions.list(query, { signal }),
    placeholderData: keepPreviousData,
  });
  const getName = useMemo(() => {
    const labels = new Map(names.map(({ value, label }) => [value, label]));
    return (id: string) => labels.get(id) ?? id;
  }, [names]);
  const selection = useSelection(list.data?.executions);
  const columns = useMemo(() => createColumns(getName, selection), [getName, selection]);
  const { set } = url;
  const { clear } = selection;
  const onChange = useCallback(
    (changes: Readonly<Record<string, string>>) => {
      set(changes);
      clear();
    },
    [set, clear],
  );
  const searchedFrom = list.data?.searched_from ?? null;

  return (
    <ResourceListPage
      title={t('Executions')}
      actions={
        filters.workflow !== '' && (
          <ButtonLink href={`/workflows/${filters.workflow}/history`} icon={<ChartColumn size={15} />}>
            {t('Run history')}
          </ButtonLink>
        )
      }
      above={
        <>
          <FilterBar filters={filters} workflows={names} onChange={onChange} />
          {searchedFrom !== null && (
            <p className="row search-limit" role="status">
              <span>
                {tElements('The search stopped at its limit. It covers executions since {{time}}.', {
                  time: <Time at={searchedFrom} />,
                })}
              </span>
              <Button size="small" onClick={() => onChange({ before: searchedFrom })}>
                {t('Search older executions')}
              </Button>
            </p>
          )}
        </>
      }
      columns={columns}
      query={list}
      items={list.data?.executions}
      getKey={(one) => one.id}
      empty={
        isFiltered(filters)
          ? { icon: SearchX, title: t('No matching executions') }
          : {
              icon: ListVideo,
              title: t('No executions yet'),
              text: t('Run a workflow manually, or activate one so that its triggers start it.'),
              actions: (
                <ButtonLink href="/workflows" variant="primary">
                  {t('Go to workflows')}
                </ButtonLink>
              ),
            }
      }
    >
      <SelectionBar selection={selection} getName={getName} />
    </ResourceListPage>
  );
}
