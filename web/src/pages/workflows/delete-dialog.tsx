import { useState } from 'react';
import type { WorkflowSummary } from 'weft-client';
import { useTrashDays } from '../../data/lists.ts';
import { deleteWorkflows } from '../../data/workflows/workflow-bulk.ts';
import { ConfirmDialog } from '../../ui/overlays/confirm-dialog.tsx';
import { locale, t, tPlural } from '../../i18n/index.ts';

const number = new Intl.NumberFormat(locale);

/** Confirms the deletion of workflows. */
export function DeleteDialog({
  workflows,
  onClose,
}: {
  workflows: readonly WorkflowSummary[];
  onClose: (isDone: boolean) => void;
}) {
  // The dialog acts on what it has shown.
  const [items] = useState(workflows);
  const [isBusy, setIsBusy] = useState(false);
  const days = useTrashDays();
  const active = items.filter(({ status }) => status === 'active');
  const executions = items.reduce((sum, one) => sum + one.execution_count, 0);
  const isOne = items.length === 1;
  return (
    <ConfirmDialog
      isOpen
      onClose={() => onClose(false)}
      onConfirm={() => {
        setIsBusy(true);
        void deleteWorkflows(items, days !== 0).then(() => onClose(true));
      }}
      isBusy={isBusy}
      title={
        isOne
          ? t('Delete “{{name}}”?', { name: items[0]!.name })
          : tPlural(items.length, 'Delete {{count}} workflow?', 'Delete {{count}} workflows?')
      }
      action={t('Delete')}
      // Workflows that other systems may call require typing before they are deleted.
      mustType={
        active.length === 0
          ? undefined
          : isOne
            ? items[0]!.name
            : t('delete {{number}}', { number: items.length })
      }
    >
      {executions > 0 && (
        <>
          {tPlural(
            executions,
            '{{number}} execution is deleted permanently, and running ones are stopped.',
            '{{number}} executions are deleted permanently, and running ones are stopped.',
            { number: number.format(executions) },
          )}{' '}
        </>
      )}
      {active.length > 0 && !isOne && (
        <>{tPlural(active.length, '{{count}} of these is active.', '{{count}} of these are active.')} </>
      )}
      {days === 0
        ? t('This cannot be undone. Export first to keep a copy.')
        : days !== null &&
          tPlural(
            items.length,
            'The workflow can be restored from the trash for {{days}}.',
            'The workflows can be restored from the trash for {{days}}.',
            { days: daysText(days) },
          )}
    </ConfirmDialog>
  );
}

function daysText(days: number): string {
  if (days < 1) return t('less than a day');
  return tPlural(Math.floor(days), '{{count}} day', '{{count}} days');
}
