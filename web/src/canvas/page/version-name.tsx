import { Tag } from 'lucide-react';
import { useState } from 'react';
import { client } from '../../data/client.ts';
import { toFormError } from '../../data/error-text.ts';
import { useMutationWithToast } from '../../data/use-mutation-with-toast.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { t } from '../../i18n/index.ts';

/** The button that names a version, and its dialog. */
export function VersionName({
  workflowId,
  version,
  name,
}: {
  workflowId: string;
  version: number;
  name: string | null;
}) {
  /** Null: the dialog is closed. */
  const [text, setText] = useState<string | null>(null);
  const save = useMutationWithToast(
    (next: string | null) => client.workflows.versions.name(workflowId, String(version), { name: next }),
    { changes: [['workflows', 'versions', workflowId]], onDone: () => setText(null) },
  );
  return (
    <>
      <Button icon={<Tag size={14} />} size="small" onClick={() => setText(name ?? '')}>
        {name === null ? t('Name this version') : t('Rename')}
      </Button>
      <Dialog
        isOpen={text !== null}
        onClose={() => setText(null)}
        title={t('Name of version {{version}}', { version })}
        onSubmit={() => save.mutate(text?.trim() === '' ? null : (text ?? null))}
        foot={
          <>
            <Button onClick={() => setText(null)}>{t('Cancel')}</Button>
            <Button type="submit" variant="primary" isBusy={save.isPending}>
              {t('Save')}
            </Button>
          </>
        }
      >
        <TextField
          label={t('Name')}
          hint={t('Leave it empty to remove the name.')}
          value={text ?? ''}
          maxLength={100}
          autoFocus
          error={toFormError(save.error, [])}
          onChange={(event) => setText(event.target.value)}
        />
      </Dialog>
    </>
  );
}
