import { Link } from 'wouter';
import type { ExecutionSummary } from 'weft-client';
import type { Selection } from '../../data/use-selection.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { classNames } from '../../ui/class-names.ts';
import { timeColumn, type Column } from '../../ui/list-table.tsx';
import { durationText } from '../../ui/time.tsx';
import { TRIGGERS } from './execution-filters.ts';

export function columnsOf(
  nameOf: (workflowId: string) => string,
  selection: Selection<ExecutionSummary>,
): readonly Column<ExecutionSummary>[] {
  return [
    {
      title: 'Workflow',
      head: (items) => (
        <span className="selectable">
          <input
            type="checkbox"
            aria-label="Select all on this page"
            checked={items.length > 0 && items.every((one) => selection.has(one.id))}
            onChange={({ target }) => selection.set(items, target.checked)}
          />
          Workflow
        </span>
      ),
      cell: (one) => (
        <div className="selectable">
          <input
            type="checkbox"
            aria-label={`Select the ${one.status} execution ${one.id} of ${nameOf(one.workflow_id)}`}
            checked={selection.has(one.id)}
            onChange={({ target }) => selection.set([one], target.checked)}
          />
          <div className="workflow">
            <Link href={`/executions/${one.id}`} className="table__main">
              {nameOf(one.workflow_id)}
            </Link>
            <span className={classNames('table__sub truncate', one.error === null && 'id')}>
              {one.error === null ? one.id : one.error.message}
            </span>
          </div>
        </div>
      ),
    },
    {
      title: 'Status',
      className: 'table__tight',
      cell: (one) => (
        <div>
          <StatusBadge status={one.status} />
          <RetriedBy execution={one} />
        </div>
      ),
    },
    {
      title: 'Started by',
      className: 'table__tight table__narrow-hide',
      cell: (one) =>
        one.retry_of === null ? (
          TRIGGERS[one.trigger.type]
        ) : (
          <Link href={`/executions/${one.retry_of}`}>Retry</Link>
        ),
    },
    timeColumn('Started', (one) => one.start_time, false),
    {
      title: 'Duration',
      className: 'table__number table__tight table__narrow-hide',
      cell: (one) =>
        one.duration === null ? `${Math.round(one.progress * 100)} %` : durationText(one.duration),
    },
  ];
}

/** The newest retry. */
function RetriedBy({ execution }: { execution: ExecutionSummary }) {
  const [newest] = execution.retries;
  if (newest === undefined) return null;
  return (
    <Link href={`/executions/${newest.id}`} className="table__sub">
      retried: {newest.status}
    </Link>
  );
}
