import { useState } from 'react';
import type { ConnectedAccount } from 'weft-client';
import { client } from '../data/client.ts';
import { toFieldError, toFormError } from '../data/error-text.ts';
import { useMutationWithToast } from '../data/use-mutation-with-toast.ts';
import { Alert } from '../ui/alert.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/overlays/dialog.tsx';
import { TextField } from '../ui/field.tsx';
import { t } from '../i18n/index.ts';

/** Replaces values of a connection of fields. Those that are left empty stay. */
export function ReplaceFieldsDialog({
  connection: { name, field_names },
  onClose,
}: {
  connection: ConnectedAccount;
  onClose: () => void;
}) {
  const names = field_names ?? [];
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''));
  const update = useMutationWithToast(() => client.connections.update(name, { fields: given }), {
    changes: [['connections']],
    onDone: onClose,
  });
  const problem = toFormError(
    update.error,
    names.map((field) => `fields.${field}`),
  );
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t('Update {{name}}', { name })}
      description={t('Values that you leave empty stay as they are.')}
      onSubmit={() => update.mutate(undefined)}
      foot={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button type="submit" variant="primary" isBusy={update.isPending}>
            {t('Update')}
          </Button>
        </>
      }
    >
      <div className="form">
        {problem !== null && <Alert tone="bad">{problem}</Alert>}
        {names.map((field) => (
          <TextField
            key={field}
            label={field}
            type="password"
            autoComplete="new-password"
            value={values[field] ?? ''}
            error={toFieldError(update.error, `fields.${field}`)}
            onChange={(event) => setValues({ ...values, [field]: event.target.value })}
          />
        ))}
      </div>
    </Dialog>
  );
}
