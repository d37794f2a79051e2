import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Download, ScrollText, SearchX } from 'lucide-react';
import { useCallback, useMemo } from 'react';
import { Link } from 'wouter';
import type { AuditEvent, ExportAuditEventsQuery } from 'weft-client';
import { client } from '../../data/client.ts';
import { downloadBlob } from '../../data/download.ts';
import { useMutationWithToast } from '../../data/use-mutation-with-toast.ts';
import { useUrlState } from '../../data/url-state.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { FilterSelect } from '../../ui/lists/filter-select.tsx';
import { timeColumn, type Column } from '../../ui/lists/list-table.tsx';
import { ResourceListPage } from '../../ui/lists/resource-list-page.tsx';
import { SearchField } from '../../ui/lists/search-field.tsx';
import { TIME_RANGES } from '../executions/execution-filters.ts';
import { AuditEventDialog } from './audit-event-dialog.tsx';
import { CREDENTIALS, TARGET_TYPES, describeAction } from './audit-words.ts';
import { t } from '../../i18n/index.ts';

const PAGE_SIZE = 50;
/** The start of a time span is rounded down, so that the query key stays the same for a minute. */
const SPAN_START_STEP_MS = 60_000;

/** The audit log of the service, for administrators. */
export function AuditLogPage() {
  const url = useUrlState();
  const filters = readFilters(url.get);
  const list = useQuery({
    queryKey: ['audit-events', url.page, filters],
    queryFn: ({ signal }) =>
      client.auditEvents.list({ page: url.page, limit: PAGE_SIZE, ...filters }, { signal }),
    placeholderData: keepPreviousData,
  });
  const exportEvents = useMutationWithToast(
    async (query: ExportAuditEventsQuery) => (await client.auditEvents.export(query)).blob(),
    {
      changes: [],
      failed: t('The audit log could not be exported'),
      onDone: (blob) => downloadBlob('audit-events.jsonl', blob),
    },
  );
  const { set, hrefWith } = url;
  const columns = useMemo(() => createColumns(hrefWith), [hrefWith]);
  const displayed = list.data?.audit_events.find(({ id }) => id === url.get('event'));
  const onActor = useCallback((actor: string) => set({ actor }), [set]);
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <ResourceListPage
      title={t('Audit log')}
      lead={t('Sign-ins, changes of the configuration, and responses to decisions, of all users.')}
      actions={
        <Button
          icon={<Download size={15} />}
          isBusy={exportEvents.isPending}
          onClick={() => exportEvents.mutate(filters)}
        >
          {t('Export')}
        </Button>
      }
      above={
        <div className="toolbar">
          <SearchField label={t('User: email or id')} value={url.get('actor')} onChange={onActor} />
          <FilterSelect
            label={t('Target')}
            any={t('Any target')}
            value={url.get('type')}
            options={TARGET_TYPES}
            onChange={(type) => set({ type })}
          />
          <FilterSelect
            label={t('Outcome')}
            any={t('Any outcome')}
            value={url.get('outcome')}
            options={[
              ['success', t('Succeeded')],
              ['failure', t('Refused')],
            ]}
            onChange={(outcome) => set({ outcome })}
          />
          <FilterSelect
            label={t('Time')}
            any={t('Any time')}
            value={url.get('since')}
            options={TIME_RANGES.map(([name, label]) => [name, label])}
            onChange={(since) => set({ since })}
          />
          {isFiltered && (
            <Button
              variant="quiet"
              onClick={() => set({ actor: '', type: '', target: '', outcome: '', since: '' })}
            >
              {t('Clear filters')}
            </Button>
          )}
        </div>
      }
      columns={columns}
      query={list}
      items={list.data?.audit_events}
      getKey={(one) => one.id}
      empty={
        isFiltered
          ? { icon: SearchX, title: t('No matching events') }
          : { icon: ScrollText, title: t('No events') }
      }
    >
      {displayed !== undefined && (
        <AuditEventDialog
          event={displayed}
          historyHref={`?${new URLSearchParams({ target: displayed.target.id ?? '' })}`}
          onClose={() => set({ event: '', page: String(url.page) })}
        />
      )}
    </ResourceListPage>
  );
}

function createColumns(
  hrefWith: (changes: Readonly<Record<string, string>>) => string,
): readonly Column<AuditEvent>[] {
  return [
    {
      title: t('Event'),
      cell: (one) => (
        <span className="row">
          <Link href={hrefWith({ event: one.id })} className="table__main">
            {describeAction(one)}
          </Link>
          {one.outcome === 'failure' && <Badge tone="bad">{t('Refused')}</Badge>}
        </span>
      ),
    },
    {
      title: t('Target'),
      // The id of a session says nothing to people.
      cell: ({ target }) => (
        <span className="truncate">{target.name ?? (target.type === 'session' ? '–' : target.id)}</span>
      ),
    },
    {
      title: t('User'),
      cell: ({ actor }) => (
        <div className="workflow">
          <span className="truncate">{actor.email ?? actor.user_id ?? CREDENTIALS[actor.credential]}</span>
          <span className="table__sub truncate">
            {[CREDENTIALS[actor.credential], actor.address].filter((part) => part !== null).join(', ')}
          </span>
        </div>
      ),
    },
    timeColumn(t('Time'), (one) => one.created_at, false),
  ];
}

/** Values that no option has are ignored. */
function readFilters(get: (name: string) => string): ExportAuditEventsQuery {
  const actor = get('actor');
  const target = get('target');
  const type = TARGET_TYPES.find(([name]) => name === get('type'))?.[0];
  const outcome = get('outcome');
  const span = TIME_RANGES.find(([name]) => name === get('since'))?.[2];
  const from =
    span === undefined ? null : Math.floor((Date.now() - span) / SPAN_START_STEP_MS) * SPAN_START_STEP_MS;
  return {
    ...(actor !== '' && { actor }),
    ...(type !== undefined && { target_type: type as NonNullable<ExportAuditEventsQuery['target_type']> }),
    ...(target !== '' && { target_id: target }),
    ...((outcome === 'success' || outcome === 'failure') && { outcome }),
    ...(from !== null && { from: new Date(from).toISOString() }),
  };
}
