import { Download, Power, PowerOff, Tag, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { WorkflowSummary } from 'weft-client';
import type { Selection } from '../../data/use-selection.ts';
import { useExportWorkflows } from '../../data/workflows/workflow-actions.ts';
import { setAllStatuses } from '../../data/workflows/workflow-bulk.ts';
import { Button } from '../../ui/button.tsx';
import { AddTagDialog } from './add-tag-dialog.tsx';
import { DeleteDialog } from './delete-dialog.tsx';
import { t } from '../../i18n/index.ts';

/** What can be done with the selected workflows. */
export function WorkflowSelectionBar({ selection }: { selection: Selection<WorkflowSummary> }) {
  const [open, setOpen] = useState<'tag' | 'delete' | null>(null);
  const [busy, setBusy] = useState<'active' | 'inactive' | null>(null);
  const exportThem = useExportWorkflows();
  const { items, clear } = selection;
  const activatable = items.filter(({ status }) => status !== 'active');
  const active = items.filter(({ status }) => status === 'active');
  const switchTo = async (status: 'active' | 'inactive'): Promise<void> => {
    setBusy(status);
    await setAllStatuses(status === 'active' ? activatable : active, status);
    setBusy(null);
    clear();
  };
  const close = (isDone: boolean): void => {
    setOpen(null);
    if (isDone) clear();
  };
  if (items.length === 0) return null;
  return (
    <>
      <div className="selection-bar" role="region" aria-label={t('Selection')}>
        <span role="status">{t('{{number}} selected', { number: items.length })}</span>
        <span className="grow" />
        <Button
          icon={<Power size={14} />}
          disabled={activatable.length === 0}
          isBusy={busy === 'active'}
          onClick={() => void switchTo('active')}
        >
          {activatable.length > 0 ? t('Activate {{number}}', { number: activatable.length }) : t('Activate')}
        </Button>
        <Button
          icon={<PowerOff size={14} />}
          disabled={active.length === 0}
          isBusy={busy === 'inactive'}
          onClick={() => void switchTo('inactive')}
        >
          {active.length > 0 ? t('Deactivate {{number}}', { number: active.length }) : t('Deactivate')}
        </Button>
        <Button icon={<Tag size={14} />} onClick={() => setOpen('tag')}>
          {t('Add tag…')}
        </Button>
        <Button
          icon={<Download size={14} />}
          isBusy={exportThem.isPending}
          onClick={() => exportThem.mutate(items)}
        >
          {t('Export')}
        </Button>
        <Button variant="danger" icon={<Trash2 size={14} />} onClick={() => setOpen('delete')}>
          {t('Delete…')}
        </Button>
        <Button variant="quiet" onClick={clear}>
          {t('Clear selection')}
        </Button>
      </div>
      {open === 'tag' && <AddTagDialog workflows={items} onClose={close} />}
      {open === 'delete' && <DeleteDialog workflows={items} onClose={close} />}
    </>
  );
}
