import { ListVideo, SearchX } from 'lucide-react';
import { useMemo } from 'react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { ExecutionSummary, ListExecutionsQuery } from 'weft-client';
import { client } from '../../data/client.ts';
import { useUrlState } from '../../data/url-state.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { classNames } from '../../ui/class-names.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Input, Select } from '../../ui/field.tsx';
import { ListTable, type Column } from '../../ui/list-table.tsx';
import { Page } from '../../ui/page.tsx';
import { durationText, Time } from '../../ui/time.tsx';
import { useWorkflowNames } from '../../node-panel/use-names.ts';

const LIMIT = 25;
const STATUSES = ['queued', 'running', 'waiting', 'completed', 'failed', 'stopped'] as const;
/** How far back the filter for time reaches, in ms. */
const SINCE: readonly (readonly [name: string, words: string, ms: number])[] = [
  ['hour', 'Last hour', 3_600_000],
  ['day', 'Last day', 86_400_000],
  ['week', 'Last week', 7 * 86_400_000],
];
/** ms: the beginning of a span moves in steps, so that the same question is asked again. */
const STEP = 60_000;

/** Every run of every workflow. */
export function ExecutionsPage() {
  const url = useUrlState();
  const names = useWorkflowNames(true);
  const status = STATUSES.find((one) => one === url.get('status'));
  const workflow = url.get('workflow');
  const since = SINCE.find(([name]) => name === url.get('since'));
  const isFiltered = status !== undefined || workflow !== '' || since !== undefined;
  const query: ListExecutionsQuery = {
    page: url.page,
    limit: LIMIT,
    ...(status === undefined ? {} : { status }),
    ...(workflow === '' ? {} : { workflow_id: workflow }),
    ...(since === undefined ? {} : { from: beginning(since[2]) }),
  };
  const list = useQuery({
    queryKey: ['executions', 'list', query],
    queryFn: ({ signal }) => client.executions.list(query, { signal }),
    placeholderData: keepPreviousData,
  });
  const nameOf = useMemo(() => new Map(names.map(({ value, label }) => [value, label])), [names]);
  const columns = useMemo(() => columnsOf((id) => nameOf.get(id) ?? id), [nameOf]);

  return (
    <Page title="Executions">
      <div className="toolbar">
        <Select
          aria-label="Status"
          value={status ?? ''}
          onChange={({ target }) => url.set({ status: target.value })}
        >
          <option value="">Any status</option>
          {STATUSES.map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </Select>
        {workflow !== '' && !nameOf.has(workflow) ? (
          <Input aria-label="Workflow" value={workflow} readOnly />
        ) : (
          <Select
            aria-label="Workflow"
            value={workflow}
            onChange={({ target }) => url.set({ workflow: target.value })}
          >
            <option value="">Any workflow</option>
            {names.map(({ value, label }) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </Select>
        )}
        <Select
          aria-label="Time"
          value={since?.[0] ?? ''}
          onChange={({ target }) => url.set({ since: target.value })}
        >
          <option value="">Any time</option>
          {SINCE.map(([name, words]) => (
            <option key={name} value={name}>
              {words}
            </option>
          ))}
        </Select>
        {isFiltered && (
          <Button look="quiet" onClick={() => url.set({ status: '', workflow: '', since: '' })}>
            Show all
          </Button>
        )}
      </div>
      <ListTable
        label="Executions"
        columns={columns}
        items={list.data?.executions}
        keyOf={(one) => one.id}
        place={list.data?.pagination}
        onPage={url.setPage}
        error={list.error}
        onRetry={() => void list.refetch()}
        empty={
          isFiltered ? (
            <EmptyState icon={<SearchX size={20} />} title="No execution is like that">
              Nothing matches these filters.
            </EmptyState>
          ) : (
            <EmptyState
              icon={<ListVideo size={20} />}
              title="Nothing has run yet"
              actions={
                <ButtonLink href="/workflows" look="primary">
                  To the workflows
                </ButtonLink>
              }
            >
              Every run of a workflow is kept here with all that went through it: run one by hand, or switch
              one on and let its triggers start it.
            </EmptyState>
          )
        }
      />
    </Page>
  );
}

function beginning(span: number): string {
  return new Date(Math.floor((Date.now() - span) / STEP) * STEP).toISOString();
}

function columnsOf(nameOf: (workflowId: string) => string): readonly Column<ExecutionSummary>[] {
  return [
    {
      title: 'Workflow',
      cell: (one) => (
        <div className="workflow">
          <Link href={`/executions/${one.id}`} className="table__main">
            {nameOf(one.workflow_id)}
          </Link>
          <span className={classNames('table__sub truncate', one.error === null && 'id')}>
            {one.error === null ? one.id : one.error.message}
          </span>
        </div>
      ),
    },
    { title: 'Status', className: 'table__tight', cell: (one) => <StatusBadge status={one.status} /> },
    { title: 'Started by', className: 'table__tight table__narrow-hide', cell: (one) => one.trigger.type },
    { title: 'Started', className: 'table__tight', cell: (one) => <Time at={one.start_time} /> },
    {
      title: 'Took',
      className: 'table__number table__tight table__narrow-hide',
      cell: (one) =>
        one.duration === null ? `${Math.round(one.progress * 100)} %` : durationText(one.duration),
    },
  ];
}
