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
import { Input, Select } from '../../ui/field.tsx';
import { timeColumn, type Column } from '../../ui/list-table.tsx';
import { ResourceListPage } from '../../ui/resource-list-page.tsx';
import { durationText } from '../../ui/time.tsx';
import { useWorkflowNames } from '../../node-panel/use-names.ts';

const PAGE_SIZE = 25;
const STATUSES = ['queued', 'running', 'waiting', 'completed', 'failed', 'stopped'] as const;
/** The options of the time filter; spans in ms. */
const SINCE: readonly (readonly [name: string, label: string, ms: number])[] = [
  ['hour', 'Last hour', 3_600_000],
  ['day', 'Last 24 hours', 86_400_000],
  ['week', 'Last 7 days', 7 * 86_400_000],
];
/** The start of a span is rounded down, so that the query key stays the same for a minute. */
const SPAN_START_STEP_MS = 60_000;

/** The executions of all workflows. */
export function ExecutionsPage() {
  const url = useUrlState();
  const names = useWorkflowNames(true);
  const status = STATUSES.find((one) => one === url.get('status'));
  const workflow = url.get('workflow');
  const since = SINCE.find(([name]) => name === url.get('since'));
  const isFiltered = status !== undefined || workflow !== '' || since !== undefined;
  const query: ListExecutionsQuery = {
    page: url.page,
    limit: PAGE_SIZE,
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
    <ResourceListPage
      title="Executions"
      above={
        <div className="toolbar">
          <Select
            aria-label="Status"
            value={status ?? ''}
            onChange={({ target }) => url.set({ status: target.value })}
          >
            <option value="">Any status</option>
            {STATUSES.map((one) => (
              <option key={one} value={one}>
                {one.charAt(0).toUpperCase() + one.slice(1)}
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
            {SINCE.map(([name, label]) => (
              <option key={name} value={name}>
                {label}
              </option>
            ))}
          </Select>
          {isFiltered && (
            <Button look="quiet" onClick={() => url.set({ status: '', workflow: '', since: '' })}>
              Clear filters
            </Button>
          )}
        </div>
      }
      columns={columns}
      query={list}
      items={list.data?.executions}
      keyOf={(one) => one.id}
      empty={
        isFiltered
          ? { icon: SearchX, title: 'No matching executions' }
          : {
              icon: ListVideo,
              title: 'No executions yet',
              text: 'Run a workflow manually, or activate one so that its triggers start it.',
              actions: (
                <ButtonLink href="/workflows" look="primary">
                  Go to workflows
                </ButtonLink>
              ),
            }
      }
    />
  );
}

function beginning(span: number): string {
  return new Date(Math.floor((Date.now() - span) / SPAN_START_STEP_MS) * SPAN_START_STEP_MS).toISOString();
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
    timeColumn('Started', (one) => one.start_time, false),
    {
      title: 'Duration',
      className: 'table__number table__tight table__narrow-hide',
      cell: (one) =>
        one.duration === null ? `${Math.round(one.progress * 100)} %` : durationText(one.duration),
    },
  ];
}
