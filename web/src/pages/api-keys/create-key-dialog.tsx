import { useState } from 'react';
import type { NewApiKey } from 'weft-client';
import { useMutationWithToast } from '../../data/use-mutation-with-toast.ts';
import { client } from '../../data/client.ts';
import { toFieldError, toFormError } from '../../data/error-text.ts';
import { useCurrentUser } from '../../data/current-user.ts';
import type { Scope } from '../../data/scopes.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { Checkbox, SelectField, TextField } from '../../ui/field.tsx';
import { Alert } from '../../ui/alert.tsx';
import { ScopePicker } from '../../ui/scope-picker.tsx';
import { t } from '../../i18n/index.ts';

const DAY_MS = 86_400_000;
const EXPIRY_CHOICES = [
  { days: 0, label: t('Never') },
  { days: 7, label: t('7 days') },
  { days: 30, label: t('30 days') },
  { days: 90, label: t('90 days') },
  { days: 365, label: t('1 year') },
];

export function CreateKeyDialog({
  onClose,
  onCreated,
}: {
  onClose: () => void;
  onCreated: (key: NewApiKey) => void;
}) {
  const me = useCurrentUser();
  const [name, setName] = useState('');
  const [isWhole, setIsWhole] = useState(false);
  const [scopes, setScopes] = useState<Scope[]>([]);
  const [days, setDays] = useState(0);
  const create = useMutationWithToast(
    () =>
      client.apiKeys.create({
        name: name.trim(),
        scopes: isWhole ? null : scopes,
        expires_at: days === 0 ? null : new Date(Date.now() + days * DAY_MS).toISOString(),
      }),
    { changes: [['api-keys']], onDone: onCreated },
  );
  const problem = toFormError(create.error, ['name', 'scopes', 'expires_at']);
  return (
    <Dialog
      isOpen
      size="wide"
      onClose={onClose}
      title={t('New API key')}
      description={t('Programs send the key in the X-API-Key header to call the API as you.')}
      onSubmit={() => create.mutate(undefined)}
      foot={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button type="submit" variant="primary" isBusy={create.isPending}>
            {t('Create key')}
          </Button>
        </>
      }
    >
      <div className="form">
        {problem !== null && <Alert tone="bad">{problem}</Alert>}
        <div className="form__grid">
          <TextField
            label={t('Name')}
            value={name}
            maxLength={200}
            placeholder={t('Such as: Nightly backup script')}
            error={toFieldError(create.error, 'name')}
            onChange={(event) => setName(event.target.value)}
          />
          <SelectField
            label={t('Expires')}
            value={days}
            error={toFieldError(create.error, 'expires_at')}
            onChange={(event) => setDays(Number(event.target.value))}
          >
            {EXPIRY_CHOICES.map((one) => (
              <option key={one.days} value={one.days}>
                {one.label}
              </option>
            ))}
          </SelectField>
        </div>
        <Checkbox
          label={t('Full access')}
          hint={t('Grants all of your permissions. Prefer the scopes that the program needs.')}
          checked={isWhole}
          onChange={(event) => setIsWhole(event.target.checked)}
        />
        {!isWhole && (
          <ScopePicker
            legend={t('Scopes')}
            selected={scopes}
            isAdmin={me?.role === 'admin'}
            error={toFieldError(create.error, 'scopes')}
            onChange={setScopes}
          />
        )}
      </div>
    </Dialog>
  );
}
