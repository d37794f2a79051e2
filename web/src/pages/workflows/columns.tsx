import { Play, Rocket } from 'lucide-react';
import { Link } from 'wouter';
import type { WorkflowSummary } from 'weft-client';
import { openRun } from '../../data/run-request.ts';
import type { Selection } from '../../data/use-selection.ts';
import { usePublishWorkflow } from '../../data/workflows/workflow-actions.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { createActionsColumn, SortButton, timeColumn, type Column } from '../../ui/lists/list-table.tsx';
import { Time } from '../../ui/time.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { RowActions } from './row-actions.tsx';
import { computeNextSorting, getSortState, type SortField, type Sorting } from './sorting.ts';
import { StatusSwitch } from './status-switch.tsx';
import { WorkflowMenu } from './workflow-menu.tsx';
import { locale, t } from '../../i18n/index.ts';

const number = new Intl.NumberFormat(locale);

export function createColumns({
  onTag,
  selection,
  sorting,
  onSort,
}: {
  onTag: (tag: string) => void;
  selection: Selection<WorkflowSummary>;
  sorting: Sorting;
  onSort: (next: Sorting) => void;
}): readonly Column<WorkflowSummary>[] {
  const sortable = (title: string, field: SortField) => {
    const sorted = getSortState(sorting, field);
    const head = () => (
      <SortButton title={title} sorted={sorted} onSort={() => onSort(computeNextSorting(sorting, field))} />
    );
    return { title, sorted, head };
  };
  const name = sortable(t('Name'), 'name');
  return [
    {
      ...name,
      head: (items) => (
        <span className="selectable">
          <input
            type="checkbox"
            aria-label={t('Select all on this page')}
            checked={items.length > 0 && items.every((one) => selection.has(one.id))}
            onChange={({ target }) => selection.set(items, target.checked)}
          />
          {name.head()}
        </span>
      ),
      cell: (one) => (
        <div className="selectable">
          <input
            type="checkbox"
            aria-label={t('Select {{name}}', { name: one.name })}
            checked={selection.has(one.id)}
            onChange={({ target }) => selection.set([one], target.checked)}
          />
          <div className="workflow">
            <Link href={`/workflows/${one.id}`} className="table__main">
              {one.name}
            </Link>
            {(one.description !== '' || one.tags.length > 0) && (
              <div className="workflow__about">
                {one.tags.map((tag) => (
                  <button key={tag} type="button" className="tag" onClick={() => onTag(tag)}>
                    <span className="visually-hidden">{t('Filter by tag')} </span>
                    <span className="truncate">{tag}</span>
                  </button>
                ))}
                <span className="table__sub truncate">{one.description}</span>
              </div>
            )}
          </div>
        </div>
      ),
    },
    {
      title: t('Status'),
      className: 'table__tight',
      cell: (one) => (
        <div className="row">
          <StatusSwitch workflow={one} />
          {one.status === 'draft' && <StatusBadge status={one.status} />}
          <PublishButton workflow={one} />
        </div>
      ),
    },
    {
      ...sortable(t('Last run'), 'last_execution'),
      className: 'table__tight',
      cell: (one) => <LastRun workflow={one} />,
    },
    {
      title: t('Next run'),
      className: 'table__tight',
      cell: ({ next_due_at }) =>
        next_due_at === null ? <span className="faint">–</span> : <Time at={next_due_at} />,
    },
    {
      title: t('Executions'),
      className: 'table__number table__tight table__narrow-hide',
      cell: (one) => number.format(one.execution_count),
    },
    {
      ...timeColumn(t('Updated'), (one: WorkflowSummary) => one.updated_at),
      ...sortable(t('Updated'), 'updated_at'),
    },
    createActionsColumn((one) => (
      <>
        <RowActions workflow={one} />
        <IconButton
          label={t('Run {{name}}', { name: one.name })}
          size="small"
          icon={<Play size={15} />}
          onClick={() => openRun(one)}
        />
        <WorkflowMenu workflow={one} />
      </>
    )),
  ];
}

function LastRun({ workflow: { last_execution: last } }: { workflow: WorkflowSummary }) {
  if (last === null) return <span className="faint">{t('never')}</span>;
  return (
    <Link href={`/executions/${last.id}`} className="row">
      <StatusBadge status={last.status} />
      {last.started_at !== null && <Time at={last.started_at} />}
    </Link>
  );
}

/** Shown when the latest version is not the published one. */
function PublishButton({ workflow }: { workflow: WorkflowSummary }) {
  const publish = usePublishWorkflow(({ active_version }) =>
    toast({
      tone: 'good',
      title: t('Version {{version}} of “{{name}}” is published', {
        version: active_version ?? 0,
        name: workflow.name,
      }),
    }),
  );
  if (workflow.active_version === null || workflow.active_version === workflow.version) return null;
  return (
    <Button
      size="small"
      icon={<Rocket size={13} />}
      isBusy={publish.isPending}
      title={t('Version {{active}} is published; the latest is {{latest}}', {
        active: workflow.active_version,
        latest: workflow.version,
      })}
      onClick={() => publish.mutate(workflow.id)}
    >
      {t('Publish v{{version}}', { version: workflow.version })}
    </Button>
  );
}
