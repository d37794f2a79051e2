import { useState } from 'react';
import type { WorkflowSummary } from 'weft-client';
import { useUpdateWorkflow } from '../../data/workflows/workflow-actions.ts';
import { Switch } from '../../ui/field.tsx';
import { ActivationErrorDialog } from './activation-error-dialog.tsx';
import { t } from '../../i18n/index.ts';

/** On: the triggers of the workflow are active. */
export function StatusSwitch({ workflow }: { workflow: WorkflowSummary }) {
  const [isAsked, setIsAsked] = useState(false);
  const update = useUpdateWorkflow();
  const isActive = workflow.status === 'active';
  // Shows the target state while the request is pending.
  const isOn = update.isPending ? isAsked : isActive;
  return (
    <>
      <Switch
        label={t('Activate {{name}}', { name: workflow.name })}
        isOn={isOn}
        onChange={(next) => {
          setIsAsked(next);
          update.mutate({ id: workflow.id, status: next ? 'active' : 'inactive' });
        }}
      />
      {update.error !== null && (
        <ActivationErrorDialog workflow={workflow} error={update.error} onClose={update.reset} />
      )}
    </>
  );
}
