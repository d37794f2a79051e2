import { Copy, Download, Ellipsis, PencilLine, Trash2, Undo2 } from 'lucide-react';
import { useState } from 'react';
import { useLocation } from 'wouter';
import type { WorkflowSummary } from 'weft-client';
import { toErrorText } from '../../data/error-text.ts';
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
import { t, tPlural } from '../../i18n/index.ts';

export function WorkflowMenu({ workflow }: { workflow: WorkflowSummary }) {
  const [open, setOpen] = useState<'details' | 'delete' | null>(null);
  const [, navigate] = useLocation();
  const close = (): void => setOpen(null);
  const exportIt = useExportWorkflow();
  const toDraft = useUpdateWorkflow(undefined, t('Could not change the status'));
  const duplicate = useDuplicateWorkflow((copy) =>
    toast({
      tone: 'good',
      title: t('“{{name}}” created', { name: copy.name }),
      action: { label: t('Open'), run: () => navigate(`/workflows/${copy.id}`) },
    }),
  );
  const remove = useDeleteWorkflow(() => {
    close();
    toast({ title: t('“{{name}}” deleted', { name: workflow.name }) });
  });
  return (
    <>
      <Menu
        trigger={
          <IconButton
            label={t('More actions for {{name}}', { name: workflow.name })}
            size="small"
            icon={<Ellipsis size={16} />}
          />
        }
      >
        <MenuItem icon={<PencilLine size={15} />} onSelect={() => setOpen('details')}>
          {t('Edit details…')}
        </MenuItem>
        <MenuItem icon={<Copy size={15} />} onSelect={() => duplicate.mutate(workflow)}>
          {t('Duplicate')}
        </MenuItem>
        <MenuItem icon={<Download size={15} />} onSelect={() => exportIt.mutate(workflow)}>
          {t('Export as JSON')}
        </MenuItem>
        {workflow.status === 'inactive' && (
          <MenuItem
            icon={<Undo2 size={15} />}
            onSelect={() => toDraft.mutate({ id: workflow.id, status: 'draft' })}
          >
            {t('Change to draft')}
          </MenuItem>
        )}
        <MenuSeparator />
        <MenuItem icon={<Trash2 size={15} />} isDanger onSelect={() => setOpen('delete')}>
          {t('Delete…')}
        </MenuItem>
      </Menu>
      {open === 'details' && <DetailsDialog workflow={workflow} onClose={close} />}
      <ConfirmDialog
        isOpen={open === 'delete'}
        onClose={close}
        onConfirm={() => remove.mutate(workflow.id)}
        isBusy={remove.isPending}
        error={remove.error === null ? null : toErrorText(remove.error)}
        title={t('Delete “{{name}}”?', { name: workflow.name })}
        action={t('Delete')}
        // A workflow that other systems may call requires its name to be typed before it is deleted.
        mustType={workflow.status === 'active' ? workflow.name : undefined}
      >
        {tPlural(
          workflow.execution_count,
          'This deletes all versions and {{count}} execution, and stops running executions. This cannot be undone. Export the workflow first to keep a copy.',
          'This deletes all versions and {{count}} executions, and stops running executions. This cannot be undone. Export the workflow first to keep a copy.',
        )}
      </ConfirmDialog>
    </>
  );
}
