import { Copy, Download, Ellipsis, PencilLine, Trash2, Undo2 } from 'lucide-react';
import { useState } from 'react';
import { useLocation } from 'wouter';
import type { WorkflowSummary } from 'weft-client';
import { faultText } from '../../data/fault.ts';
import {
  useDeleteWorkflow,
  useDuplicateWorkflow,
  useExportWorkflow,
  useUpdateWorkflow,
} from '../../data/workflow-actions.ts';
import { IconButton } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../ui/menu.tsx';
import { toast } from '../../ui/toast.tsx';
import { DetailsDialog } from './details-dialog.tsx';

export function WorkflowMenu({ workflow }: { workflow: WorkflowSummary }) {
  const [open, setOpen] = useState<'details' | 'delete' | null>(null);
  const [, navigate] = useLocation();
  const close = (): void => setOpen(null);
  const exportIt = useExportWorkflow();
  const toDraft = useUpdateWorkflow(undefined, 'It is no draft');
  const duplicate = useDuplicateWorkflow((copy) =>
    toast({
      tone: 'good',
      title: `“${copy.name}” was made`,
      action: { label: 'Open', run: () => navigate(`/workflows/${copy.id}`) },
    }),
  );
  const remove = useDeleteWorkflow(() => {
    close();
    toast({ title: `“${workflow.name}” was deleted` });
  });
  return (
    <>
      <Menu
        trigger={
          <IconButton label={`More for ${workflow.name}`} size="small" icon={<Ellipsis size={16} />} />
        }
      >
        <MenuItem icon={<PencilLine size={15} />} onSelect={() => setOpen('details')}>
          Name, description, tags
        </MenuItem>
        <MenuItem icon={<Copy size={15} />} onSelect={() => duplicate.mutate(workflow)}>
          Duplicate
        </MenuItem>
        <MenuItem icon={<Download size={15} />} onSelect={() => exportIt.mutate(workflow)}>
          Export as JSON
        </MenuItem>
        {workflow.status === 'inactive' && (
          <MenuItem
            icon={<Undo2 size={15} />}
            onSelect={() => toDraft.mutate({ id: workflow.id, status: 'draft' })}
          >
            Back to draft
          </MenuItem>
        )}
        <MenuSeparator />
        <MenuItem icon={<Trash2 size={15} />} isDanger onSelect={() => setOpen('delete')}>
          Delete…
        </MenuItem>
      </Menu>
      {open === 'details' && <DetailsDialog workflow={workflow} onClose={close} />}
      <ConfirmDialog
        isOpen={open === 'delete'}
        onClose={close}
        onConfirm={() => remove.mutate(workflow.id)}
        isBusy={remove.isPending}
        error={remove.error === null ? null : faultText(remove.error)}
        title={`Delete “${workflow.name}”?`}
        action="Delete"
        // What others may be calling is not deleted by a slip of the hand.
        mustType={workflow.status === 'active' ? workflow.name : undefined}
      >
        It goes with all its versions and the history of {workflow.execution_count} executions; what runs of
        it is stopped. This cannot be taken back. An export keeps what it does.
      </ConfirmDialog>
    </>
  );
}
