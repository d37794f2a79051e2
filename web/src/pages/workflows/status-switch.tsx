import { useState } from 'react';
import type { WorkflowSummary } from 'weft-client';
import { useUpdateWorkflow } from '../../data/workflow-actions.ts';
import { Switch } from '../../ui/field.tsx';
import { SwitchFaultDialog } from './activation-error-dialog.tsx';

/** On: its triggers start it. */
export function StatusSwitch({ workflow }: { workflow: WorkflowSummary }) {
  const [isAsked, setIsAsked] = useState(false);
  const update = useUpdateWorkflow();
  const isActive = workflow.status === 'active';
  // As it will be, while the service is still at it.
  const isOn = update.isPending ? isAsked : isActive;
  return (
    <>
      <Switch
        label={`Activate ${workflow.name}`}
        isOn={isOn}
        onChange={(next) => {
          setIsAsked(next);
          update.mutate({ id: workflow.id, status: next ? 'active' : 'inactive' });
        }}
      />
      {update.error !== null && (
        <SwitchFaultDialog workflow={workflow} error={update.error} onClose={update.reset} />
      )}
    </>
  );
}
