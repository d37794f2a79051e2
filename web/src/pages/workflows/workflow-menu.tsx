import { Copy, Download, Ellipsis, ListVideo, PencilLine, Trash2, Undo2 } from 'lucide-react';
import { useState } from 'react';
import { useLocation } from 'wouter';
import type { WorkflowSummary } from 'weft-client';
import { useExportWorkflows, useUpdateWorkflow } from '../../data/workflows/workflow-actions.ts';
import { IconButton } from '../../ui/button.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../ui/overlays/menu.tsx';
import { DeleteDialog } from './delete-dialog.tsx';
import { DetailsDialog } from './details-dialog.tsx';
import { formatExecutionsPath } from './executions-of.ts';
import { useDuplicate } from './use-duplicate.ts';
import { t } from '../../i18n/index.ts';

export function WorkflowMenu({ workflow }: { workflow: WorkflowSummary }) {
  const [open, setOpen] = useState<'details' | 'delete' | null>(null);
  const close = (): void => setOpen(null);
  const exportIt = useExportWorkflows();
  const toDraft = useUpdateWorkflow(undefined, t('Could not change the status'));
  const duplicate = useDuplicate();
  const [, navigate] = useLocation();
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
        <MenuItem icon={<ListVideo size={15} />} onSelect={() => navigate(formatExecutionsPath(workflow.id))}>
          {t('Open executions')}
        </MenuItem>
        <MenuItem icon={<Copy size={15} />} onSelect={() => duplicate.mutate(workflow)}>
          {t('Duplicate')}
        </MenuItem>
        <MenuItem icon={<Download size={15} />} onSelect={() => exportIt.mutate([workflow])}>
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
      {open === 'delete' && <DeleteDialog workflows={[workflow]} onClose={close} />}
    </>
  );
}
