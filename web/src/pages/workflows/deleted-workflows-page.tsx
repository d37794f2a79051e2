import { ArrowLeft, ArchiveRestore, Trash2 } from 'lucide-react';
import { useMemo } from 'react';
import type { DeletedWorkflow } from 'weft-client';
import { client } from '../../data/client.ts';
import { useCurrentUser } from '../../data/current-user.ts';
import { useDeletedWorkflows } from '../../data/lists.ts';
import { useMutationWithToast } from '../../data/use-mutation-with-toast.ts';
import { restoreWorkflows } from '../../data/workflows/workflow-bulk.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { DeleteButton } from '../../ui/delete-button.tsx';
import { createActionsColumn, type Column } from '../../ui/lists/list-table.tsx';
import { ResourceListPage } from '../../ui/lists/resource-list-page.tsx';
import { formatFullTime, Time } from '../../ui/time.tsx';
import { t, tPlural } from '../../i18n/index.ts';

const DAY_MS = 86_400_000;

/** The deleted workflows that can be restored. */
export function DeletedWorkflowsPage() {
  const list = useDeletedWorkflows();
  const me = useCurrentUser();
  const columns = useMemo(() => createColumns(me?.id ?? null), [me?.id]);
  const days = list.data === undefined ? null : list.data.retention / DAY_MS;
  return (
    <ResourceListPage
      title={t('Trash')}
      lead={days === null ? undefined : formatRetention(days)}
      actions={
        <ButtonLink href="/workflows" icon={<ArrowLeft size={15} />}>
          {t('Workflows')}
        </ButtonLink>
      }
      columns={columns}
      query={list}
      items={list.data?.workflows}
      getKey={(one) => one.id}
      empty={{ icon: Trash2, title: t('The trash is empty') }}
    />
  );
}

function formatRetention(days: number): string {
  if (days === 0) return t('This server deletes workflows permanently at once.');
  if (days < 1) return t('Deleted workflows are kept for less than a day. Their executions are not kept.');
  return tPlural(
    Math.floor(days),
    'Deleted workflows are kept for {{count}} day. Their executions are not kept.',
    'Deleted workflows are kept for {{count}} days. Their executions are not kept.',
  );
}

/** Rounded up, so that the last day is `1 day`. */
function timeLeft(purgeAt: string): string {
  const days = Math.max(1, Math.ceil((Date.parse(purgeAt) - Date.now()) / DAY_MS));
  return tPlural(days, '{{count}} day', '{{count}} days');
}

function createColumns(myId: string | null): readonly Column<DeletedWorkflow>[] {
  return [
    {
      title: t('Name'),
      cell: (one) => (
        <div className="workflow">
          <span className="table__title">{one.name}</span>
          {one.description !== '' && <span className="table__sub truncate">{one.description}</span>}
        </div>
      ),
    },
    {
      title: t('Deleted'),
      className: 'table__tight',
      cell: ({ deleted_at, deleted_by }) => (
        <span>
          <Time at={deleted_at} />
          {deleted_by !== null && (
            <span className="faint">
              {' '}
              {deleted_by === myId ? t('by you') : t('by {{person}}', { person: deleted_by })}
            </span>
          )}
        </span>
      ),
    },
    {
      title: t('Time left'),
      className: 'table__tight',
      cell: ({ purge_at }) => <span title={formatFullTime(Date.parse(purge_at))}>{timeLeft(purge_at)}</span>,
    },
    createActionsColumn((one) => (
      <>
        <RestoreButton workflow={one} />
        <DeleteButton
          name={one.name}
          action="deletePermanently"
          run={() => client.workflows.delete(one.id, { permanent: true })}
          changes={[['deleted-workflows']]}
        >
          {t('This deletes the workflow with all its versions. It cannot be undone.')}
        </DeleteButton>
      </>
    )),
  ];
}

function RestoreButton({ workflow }: { workflow: DeletedWorkflow }) {
  const restore = useMutationWithToast(() => restoreWorkflows([{ id: workflow.id, name: workflow.name }]), {
    changes: [],
  });
  return (
    <Button
      size="small"
      icon={<ArchiveRestore size={14} />}
      aria-label={t('Restore {{name}}', { name: workflow.name })}
      isBusy={restore.isPending}
      onClick={() => restore.mutate(undefined)}
    >
      {t('Restore')}
    </Button>
  );
}
