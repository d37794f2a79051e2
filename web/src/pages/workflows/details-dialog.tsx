import { useState } from 'react';
import type { WorkflowSummary } from 'weft-client';
import { toFieldError, toFormError } from '../../data/error-text.ts';
import { useUpdateWorkflow } from '../../data/workflows/workflow-actions.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { TextAreaField, TextField } from '../../ui/field.tsx';
import { Alert } from '../../ui/alert.tsx';
import { t } from '../../i18n/index.ts';

/** Splits at commas and removes duplicates. */
function parseTags(text: string): string[] {
  const all = text.split(',').map((tag) => tag.trim());
  return [...new Set(all.filter((tag) => tag !== ''))];
}

export function DetailsDialog({ workflow, onClose }: { workflow: WorkflowSummary; onClose: () => void }) {
  const [name, setName] = useState(workflow.name);
  const [description, setDescription] = useState(workflow.description);
  const [tags, setTags] = useState(workflow.tags.join(', '));
  const update = useUpdateWorkflow(onClose);
  const problem = toFormError(update.error, ['name', 'description']);
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t('Edit details')}
      onSubmit={() =>
        update.mutate({
          id: workflow.id,
          // If another user changed it meanwhile, the request fails instead of overwriting the change.
          version: workflow.version,
          name: name.trim(),
          description: description.trim(),
          tags: parseTags(tags),
        })
      }
      foot={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button type="submit" variant="primary" isBusy={update.isPending}>
            {t('Save')}
          </Button>
        </>
      }
    >
      <div className="form">
        {problem !== null && <Alert tone="bad">{problem}</Alert>}
        <TextField
          label={t('Name')}
          value={name}
          maxLength={200}
          error={toFieldError(update.error, 'name')}
          onChange={(event) => setName(event.target.value)}
        />
        <TextAreaField
          label={t('Description')}
          isOptional
          value={description}
          error={toFieldError(update.error, 'description')}
          onChange={(event) => setDescription(event.target.value)}
        />
        <TextField
          label={t('Tags')}
          isOptional
          value={tags}
          hint={t('Comma-separated')}
          onChange={(event) => setTags(event.target.value)}
        />
      </div>
    </Dialog>
  );
}
