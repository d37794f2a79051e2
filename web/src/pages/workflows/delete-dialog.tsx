import { useState } from 'react';
import type { WorkflowSummary } from 'weft-client';
import { useTrashDays } from '../../data/lists.ts';
import { deleteWorkflows, nameOf } from '../../data/workflow-bulk.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';

const number = new Intl.NumberFormat();

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
      title={`Delete ${nameOf(items)}?`}
      action="Delete"
      // Workflows that other systems may call require typing before they are deleted.
      mustType={active.length === 0 ? undefined : isOne ? items[0]!.name : `delete ${items.length}`}
    >
      {executions > 0 && (
        <>
          {executions === 1 ? '1 execution is' : `${number.format(executions)} executions are`} deleted
          permanently, and running ones are stopped.{' '}
        </>
      )}
      {active.length > 0 && !isOne && (
        <>
          {active.length} of these {active.length === 1 ? 'is' : 'are'} active.{' '}
        </>
      )}
      {days === 0
        ? 'This cannot be undone. Export first to keep a copy.'
        : days !== null &&
          `The ${isOne ? 'workflow' : 'workflows'} can be restored from the trash for ${daysText(days)}.`}
    </ConfirmDialog>
  );
}

function daysText(days: number): string {
  if (days < 1) return 'less than a day';
  const whole = Math.floor(days);
  return whole === 1 ? '1 day' : `${whole} days`;
}
