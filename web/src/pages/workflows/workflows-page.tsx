import { FileUp, Play, Rocket, SearchX, X } from 'lucide-react';
import { useCallback, useMemo, useState } from 'react';
import { Link } from 'wouter';
import type { WorkflowSummary } from 'weft-client';
import { useWorkflows } from '../../data/lists.ts';
import { openRun } from '../../data/run-request.ts';
import { useUrlState } from '../../data/url-state.ts';
import { usePublishWorkflow } from '../../data/workflow-actions.ts';
import { lazyComponent } from '../../ui/lazy-component.tsx';
import { StatusBadge } from '../../ui/badge.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { actionsColumn, timeColumn, type Column } from '../../ui/list-table.tsx';
import { Page } from '../../ui/page.tsx';
import { ResourceListPage } from '../../ui/resource-list-page.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { SegmentedControl } from '../../ui/segmented-control.tsx';
import { Lazy } from '../../ui/lazy.tsx';
import { Time } from '../../ui/time.tsx';
import { toast } from '../../ui/toast.tsx';
import { CreateDialog } from './create-dialog.tsx';
import { ImportDialog } from './import-dialog.tsx';
import { StatusSwitch } from './status-switch.tsx';
import { WorkflowMenu } from './workflow-menu.tsx';
import { locale, t } from '../../i18n/index.ts';

const FirstSteps = lazyComponent(async () => (await import('../templates/first-steps.tsx')).FirstSteps);

const STATUSES = [
  { value: 'all', label: t('All') },
  { value: 'active', label: t('Active') },
  { value: 'inactive', label: t('Inactive') },
  { value: 'draft', label: t('Drafts') },
] as const;
type Status = (typeof STATUSES)[number]['value'];

const number = new Intl.NumberFormat(locale);

export function WorkflowsPage() {
  const url = useUrlState();
  const [open, setOpen] = useState<'create' | 'import' | null>(null);
  const search = url.get('search');
  const tag = url.get('tag');
  const status = STATUSES.find(({ value }) => value === url.get('status'))?.value ?? 'all';
  const isFiltered = search !== '' || tag !== '' || status !== 'all';
  const list = useWorkflows({
    page: url.page,
    ...(search === '' ? {} : { search }),
    ...(tag === '' ? {} : { tag }),
    ...(status === 'all' ? {} : { status }),
  });
  const { set } = url;
  const onSearch = useCallback((text: string) => set({ search: text }), [set]);
  const columns = useMemo(() => columnsOf((one) => set({ tag: one })), [set]);
  const dialogs = (
    <>
      {open === 'create' && <CreateDialog onClose={() => setOpen(null)} />}
      {open === 'import' && <ImportDialog onClose={() => setOpen(null)} />}
    </>
  );
  const isFirstTime = !isFiltered && list.data?.pagination.total === 0;

  if (isFirstTime)
    return (
      <Page title={t('Workflows')}>
        <Lazy>
          <FirstSteps onCreate={() => setOpen('create')} onImport={() => setOpen('import')} />
        </Lazy>
        {dialogs}
      </Page>
    );
  return (
    <ResourceListPage
      title={t('Workflows')}
      create={{ label: t('New workflow'), onClick: () => setOpen('create') }}
      actions={
        <Button icon={<FileUp size={15} />} onClick={() => setOpen('import')}>
          {t('Import')}
        </Button>
      }
      above={
        <div className="toolbar">
          <SearchField label={t('Search workflows')} value={search} onChange={onSearch} />
          <SegmentedControl<Status>
            label={t('Status')}
            value={status}
            options={STATUSES}
            onChange={(next) => set({ status: next === 'all' ? '' : next })}
          />
          {tag !== '' && (
            <button type="button" className="tag" onClick={() => set({ tag: '' })}>
              <span className="truncate">{tag}</span>
              <X size={11} aria-hidden="true" />
              <span className="visually-hidden">: {t('clear tag filter')}</span>
            </button>
          )}
        </div>
      }
      columns={columns}
      query={list}
      items={list.data?.workflows}
      keyOf={(one) => one.id}
      empty={{
        icon: SearchX,
        title: t('No matching workflows'),
        text: t('The search covers names and descriptions.'),
        actions: (
          <Button onClick={() => set({ search: '', tag: '', status: '' })}>{t('Clear filters')}</Button>
        ),
      }}
    >
      {dialogs}
    </ResourceListPage>
  );
}

function columnsOf(onTag: (tag: string) => void): readonly Column<WorkflowSummary>[] {
  return [
    {
      title: t('Name'),
      cell: (one) => (
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
    { title: t('Last run'), className: 'table__tight', cell: (one) => <LastRun workflow={one} /> },
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
    timeColumn(t('Updated'), (one) => one.updated_at),
    actionsColumn((one) => (
      <>
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
