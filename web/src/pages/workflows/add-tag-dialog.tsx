import { useId, useState } from 'react';
import type { WorkflowSummary } from 'weft-client';
import { useTags } from '../../data/lists.ts';
import { addTagToAll } from '../../data/workflows/workflow-bulk.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { t, tPlural } from '../../i18n/index.ts';

export function AddTagDialog({
  workflows,
  onClose,
}: {
  workflows: readonly WorkflowSummary[];
  onClose: (isDone: boolean) => void;
}) {
  const [tag, setTag] = useState('');
  const [isBusy, setIsBusy] = useState(false);
  const tags = useTags();
  const listId = useId();
  const name = tag.trim();
  return (
    <Dialog
      isOpen
      onClose={() => onClose(false)}
      title={
        workflows.length === 1
          ? t('Add a tag to “{{name}}”', { name: workflows[0]!.name })
          : tPlural(workflows.length, 'Add a tag to {{count}} workflow', 'Add a tag to {{count}} workflows')
      }
      onSubmit={() => {
        if (name === '' || isBusy) return;
        setIsBusy(true);
        void addTagToAll(workflows, name).then(() => onClose(true));
      }}
      foot={
        <>
          <Button onClick={() => onClose(false)}>{t('Cancel')}</Button>
          <Button type="submit" variant="primary" isBusy={isBusy} disabled={name === ''}>
            {t('Add tag')}
          </Button>
        </>
      }
    >
      <div className="form">
        <TextField
          label={t('Tag')}
          value={tag}
          maxLength={50}
          list={listId}
          autoComplete="off"
          onChange={({ target }) => setTag(target.value)}
        />
        <datalist id={listId}>
          {tags.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      </div>
    </Dialog>
  );
}
