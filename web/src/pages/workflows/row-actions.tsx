import { Copy, Download, ListVideo, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useLocation } from 'wouter';
import type { WorkflowSummary } from 'weft-client';
import { useExportWorkflows } from '../../data/workflows/workflow-actions.ts';
import { IconButton } from '../../ui/button.tsx';
import { DeleteDialog } from './delete-dialog.tsx';
import { formatExecutionsPath } from './executions-of.ts';
import { useDuplicate } from './use-duplicate.ts';
import { t } from '../../i18n/index.ts';

/** Frequent actions, visible while the pointer or the focus is in the row. */
export function RowActions({ workflow }: { workflow: WorkflowSummary }) {
  const [isDeleting, setIsDeleting] = useState(false);
  const [, navigate] = useLocation();
  const duplicate = useDuplicate();
  const exportIt = useExportWorkflows();
  const { name } = workflow;
  return (
    <>
      <div className="table__row-actions">
        <IconButton
          label={t('Open executions of {{name}}', { name })}
          size="small"
          icon={<ListVideo size={15} />}
          onClick={() => navigate(formatExecutionsPath(workflow.id))}
        />
        <IconButton
          label={t('Duplicate {{name}}', { name })}
          size="small"
          icon={<Copy size={15} />}
          isBusy={duplicate.isPending}
          onClick={() => duplicate.mutate(workflow)}
        />
        <IconButton
          label={t('Export {{name}}', { name })}
          size="small"
          icon={<Download size={15} />}
          isBusy={exportIt.isPending}
          onClick={() => exportIt.mutate([workflow])}
        />
        <IconButton
          label={t('Delete {{name}}', { name })}
          size="small"
          icon={<Trash2 size={15} />}
          onClick={() => setIsDeleting(true)}
        />
      </div>
      {isDeleting && <DeleteDialog workflows={[workflow]} onClose={() => setIsDeleting(false)} />}
    </>
  );
}
