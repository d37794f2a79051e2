import { useState } from 'react';
import { useLocation } from 'wouter';
import { toFieldError, toFormError } from '../../data/error-text.ts';
import { useCreateWorkflow } from '../../data/workflows/workflow-actions.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { TextAreaField, TextField } from '../../ui/field.tsx';
import { Alert } from '../../ui/alert.tsx';
import { t } from '../../i18n/index.ts';

/** A new workflow starts with a manual trigger, so that it can be run immediately. */
const EXAMPLE_DEFINITION = {
  nodes: [
    {
      id: 'start',
      type: 'trigger',
      name: t('Start'),
      position: { x: 0, y: 0 },
      config: { triggerType: 'manual' },
    },
  ],
  connections: [],
};

export function CreateDialog({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const [, navigate] = useLocation();
  const create = useCreateWorkflow(({ id }) => {
    onClose();
    navigate(`/workflows/${id}`);
  });
  const problem = toFormError(create.error, ['name', 'description']);
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t('New workflow')}
      onSubmit={() =>
        create.mutate({ name: name.trim(), description: description.trim(), definition: EXAMPLE_DEFINITION })
      }
      foot={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button type="submit" variant="primary" isBusy={create.isPending}>
            {t('Create and open')}
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
          placeholder={t('Such as: Notify the warehouse of new orders')}
          error={toFieldError(create.error, 'name')}
          onChange={(event) => setName(event.target.value)}
        />
        <TextAreaField
          label={t('Description')}
          isOptional
          value={description}
          error={toFieldError(create.error, 'description')}
          onChange={(event) => setDescription(event.target.value)}
        />
      </div>
    </Dialog>
  );
}
