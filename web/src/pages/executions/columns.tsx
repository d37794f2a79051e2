import { Link } from 'wouter';
import type { ExecutionSummary } from 'weft-client';
import type { Selection } from '../../data/use-selection.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { joinClassNames } from '../../ui/class-names.ts';
import { timeColumn, type Column } from '../../ui/lists/list-table.tsx';
import { formatDuration } from '../../ui/time.tsx';
import { formatStatus, TRIGGERS } from '../../data/words.ts';
import { t } from '../../i18n/index.ts';

export function createColumns(
  getName: (workflowId: string) => string,
  selection: Selection<ExecutionSummary>,
): readonly Column<ExecutionSummary>[] {
  return [
    {
      title: t('Workflow'),
      head: (items) => (
        <span className="selectable">
          <input
            type="checkbox"
            aria-label={t('Select all on this page')}
            checked={items.length > 0 && items.every((one) => selection.has(one.id))}
            onChange={({ target }) => selection.set(items, target.checked)}
          />
          {t('Workflow')}
        </span>
      ),
      cell: (one) => (
        <div className="selectable">
          <input
            type="checkbox"
            aria-label={t('Select the {{status}} execution {{id}} of {{workflow}}', {
              status: formatStatus(one.status),
              id: one.id,
              workflow: getName(one.workflow_id),
            })}
            checked={selection.has(one.id)}
            onChange={({ target }) => selection.set([one], target.checked)}
          />
          <div className="workflow">
            <Link href={`/executions/${one.id}`} className="table__main">
              {getName(one.workflow_id)}
            </Link>
            <span
              className={joinClassNames(
                'table__sub truncate',
                one.error === null ? 'id' : 'table__sub--error',
              )}
            >
              {one.error === null ? one.id : one.error.message}
            </span>
          </div>
        </div>
      ),
    },
    {
      title: t('Status'),
      className: 'table__tight',
      cell: (one) => (
        <div>
          <StatusBadge status={one.status} />
          <RetriedBy execution={one} />
        </div>
      ),
    },
    {
      title: t('Started by'),
      className: 'table__tight table__narrow-hide',
      cell: (one) =>
        one.retry_of === null ? (
          TRIGGERS[one.trigger.type]
        ) : (
          <Link href={`/executions/${one.retry_of}`}>{t('Retry', { context: 'trigger' })}</Link>
        ),
    },
    timeColumn(t('Started'), (one) => one.start_time, false),
    {
      title: t('Duration'),
      className: 'table__number table__tight table__narrow-hide',
      cell: (one) =>
        one.duration === null ? `${Math.round(one.progress * 100)} %` : formatDuration(one.duration),
    },
  ];
}

/** The newest retry. */
function RetriedBy({ execution }: { execution: ExecutionSummary }) {
  const [newest] = execution.retries;
  if (newest === undefined) return null;
  return (
    <Link href={`/executions/${newest.id}`} className="table__sub">
      {t('retried: {{status}}', { status: formatStatus(newest.status) })}
    </Link>
  );
}
