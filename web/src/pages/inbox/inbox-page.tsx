import { Inbox as InboxIcon, SearchX } from 'lucide-react';
import { useCallback, useMemo } from 'react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { Decision, ListDecisionsQuery } from 'weft-client';
import { client } from '../../data/client.ts';
import { useSelection, type Selection } from '../../data/use-selection.ts';
import { useUrlState } from '../../data/url-state.ts';
import { timeColumn, type Column } from '../../ui/lists/list-table.tsx';
import { ResourceListPage } from '../../ui/lists/resource-list-page.tsx';
import { SearchField } from '../../ui/lists/search-field.tsx';
import { SegmentedControl } from '../../ui/segmented-control.tsx';
import { DecisionBadge } from './decision-badge.tsx';
import { DecisionDialog } from './decision-dialog.tsx';
import { InboxSelectionBar } from './inbox-selection-bar.tsx';
import { t } from '../../i18n/index.ts';

const PAGE_SIZE = 25;

type View = 'open' | 'closed' | 'owned';

const QUERIES: Readonly<Record<View, ListDecisionsQuery>> = {
  open: { view: 'assigned', status: 'open' },
  closed: { view: 'assigned', status: 'closed' },
  owned: { view: 'owned' },
};

/** The decisions that the user is asked for, or that the user's workflows ask for. */
export function InboxPage() {
  const url = useUrlState();
  const given = url.get('view');
  const view: View = given === 'closed' || given === 'owned' ? given : 'open';
  const search = url.get('search');
  const decisionId = url.get('decision');
  const query: ListDecisionsQuery = {
    page: url.page,
    limit: PAGE_SIZE,
    ...QUERIES[view],
    ...(search !== '' && { search }),
  };
  const list = useQuery({
    queryKey: ['decisions', 'list', query],
    queryFn: ({ signal }) => client.decisions.list(query, { signal }),
    placeholderData: keepPreviousData,
  });
  const selection = useSelection(list.data?.decisions);
  const columns = useMemo(
    () => createColumns(view === 'open' ? selection : null, url.hrefWith),
    [view, selection, url.hrefWith],
  );
  const { set } = url;
  const { clear } = selection;
  const change = useCallback(
    (changes: Readonly<Record<string, string>>) => {
      set(changes);
      clear();
    },
    [set, clear],
  );
  const onSearch = useCallback((text: string) => change({ search: text }), [change]);
  return (
    <ResourceListPage
      title={t('Inbox')}
      lead={t('What workflows ask you to decide.')}
      above={
        <div className="toolbar">
          <SegmentedControl<View>
            label={t('Decisions')}
            value={view}
            options={[
              { value: 'open', label: t('Open', { context: 'adjective' }) },
              { value: 'closed', label: t('Closed') },
              { value: 'owned', label: t('Asked by my workflows') },
            ]}
            onChange={(next) => change({ view: next === 'open' ? '' : next })}
          />
          <SearchField label={t('Search by title')} value={search} onChange={onSearch} />
        </div>
      }
      columns={columns}
      query={list}
      items={list.data?.decisions}
      getKey={(one) => one.id}
      empty={
        search === ''
          ? {
              icon: InboxIcon,
              title: EMPTY[view],
              text: t('The node Approval asks people, and the workflow waits for the response.'),
            }
          : { icon: SearchX, title: t('No matching decisions') }
      }
    >
      <InboxSelectionBar selection={selection} />
      {decisionId !== '' && (
        <DecisionDialog
          key={decisionId}
          id={decisionId}
          initial={list.data?.decisions.find(({ id }) => id === decisionId)}
          onClose={() => set({ decision: '', page: String(url.page) })}
        />
      )}
    </ResourceListPage>
  );
}

const EMPTY: Readonly<Record<View, string>> = {
  open: t('Nothing to decide'),
  closed: t('No closed decisions'),
  owned: t('Your workflows have not asked anything'),
};

/** Several get the same response, so none of them may have fields. */
const isSelectable = (one: Decision): boolean => one.can_respond && one.fields.length === 0;

/** `selection` null: nothing can be selected. */
function createColumns(
  selection: Selection<Decision> | null,
  hrefWith: (changes: Readonly<Record<string, string>>) => string,
): readonly Column<Decision>[] {
  return [
    {
      title: t('Decision'),
      ...(selection !== null && {
        head: (items: readonly Decision[]) => {
          const selectable = items.filter(isSelectable);
          return (
            <span className="selectable">
              <input
                type="checkbox"
                aria-label={t('Select all on this page')}
                disabled={selectable.length === 0}
                checked={selectable.length > 0 && selectable.every((one) => selection.has(one.id))}
                onChange={({ target }) => selection.set(selectable, target.checked)}
              />
              {t('Decision')}
            </span>
          );
        },
      }),
      cell: (one) => (
        <div className="selectable">
          {selection !== null && (
            <input
              type="checkbox"
              aria-label={t('Select {{title}}', { title: one.title })}
              disabled={!isSelectable(one)}
              checked={selection.has(one.id)}
              onChange={({ target }) => selection.set([one], target.checked)}
            />
          )}
          <div className="workflow">
            <Link href={hrefWith({ decision: one.id })} className="table__main">
              {one.title}
            </Link>
            <span className="table__sub truncate">{one.workflow_name}</span>
          </div>
        </div>
      ),
    },
    { title: t('Status'), className: 'table__tight', cell: (one) => <DecisionBadge decision={one} /> },
    timeColumn(t('Asked'), (one) => one.created_at),
    timeColumn(t('Deadline'), (one) => one.deadline, false),
  ];
}
