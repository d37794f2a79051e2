import { useState } from 'react';
import type { NewOAuthClient } from 'weft-client';
import { useMutationWithToast } from '../../data/use-mutation-with-toast.ts';
import { client } from '../../data/client.ts';
import { toFieldError, toFormError } from '../../data/error-text.ts';
import { useCurrentUser } from '../../data/current-user.ts';
import type { Scope } from '../../data/scopes.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { TextAreaField, TextField } from '../../ui/field.tsx';
import { Alert } from '../../ui/alert.tsx';
import { ScopePicker } from '../../ui/scope-picker.tsx';
import { SegmentedControl } from '../../ui/segmented-control.tsx';
import { t } from '../../i18n/index.ts';

type Kind = 'people' | 'itself';

export function CreateClientDialog({
  onClose,
  onMade,
}: {
  onClose: () => void;
  onMade: (client: NewOAuthClient) => void;
}) {
  const me = useCurrentUser();
  const [kind, setKind] = useState<Kind>('people');
  const [name, setName] = useState('');
  const [addresses, setAddresses] = useState('');
  const [scopes, setScopes] = useState<Scope[]>([]);
  const create = useMutationWithToast(
    () =>
      client.oauth.clients.create({
        name: name.trim(),
        scopes,
        ...(kind === 'itself'
          ? { grant_types: ['client_credentials'] }
          : {
              grant_types: ['authorization_code', 'refresh_token'],
              redirect_uris: addresses
                .split(/\s+/)
                .map((one) => one.trim())
                .filter((one) => one !== ''),
            }),
      }),
    { changes: [['oauth-clients']], onDone: onMade },
  );
  const redirectUriError =
    toFieldError(create.error, 'redirect_uris') ?? toFieldError(create.error, 'redirect_uris[0]');
  const problem = toFormError(create.error, ['name', 'scopes', 'redirect_uris', 'redirect_uris[0]']);
  return (
    <Dialog
      isOpen
      size="wide"
      onClose={onClose}
      title={t('New OAuth client')}
      onSubmit={() => create.mutate(undefined)}
      foot={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button type="submit" variant="primary" isBusy={create.isPending}>
            {t('Create')}
          </Button>
        </>
      }
    >
      <div className="form">
        {problem !== null && <Alert tone="bad">{problem}</Alert>}
        <div className="field">
          <span className="field__label">{t('Type')}</span>
          <div>
            <SegmentedControl<Kind>
              label={t('Type')}
              value={kind}
              options={[
                { value: 'people', label: t('User consent') },
                { value: 'itself', label: t('Service') },
              ]}
              onChange={setKind}
            />
          </div>
          <p className="field__hint">
            {kind === 'people'
              ? t('Authorization code with PKCE: users sign in here and grant access to the application.')
              : t('Client credentials: the application acts as you, without user interaction.')}
          </p>
        </div>
        <TextField
          label={t('Name')}
          value={name}
          hint={kind === 'people' ? t('Shown to users on the consent page.') : undefined}
          error={toFieldError(create.error, 'name')}
          onChange={(event) => setName(event.target.value)}
        />
        {kind === 'people' && (
          <TextAreaField
            label={t('Redirect URIs')}
            className="input--mono"
            rows={2}
            spellCheck={false}
            value={addresses}
            placeholder="https://app.example.com/callback"
            hint={t('One URI per line. The redirect URI of a request must match exactly.')}
            error={redirectUriError}
            onChange={(event) => setAddresses(event.target.value)}
          />
        )}
        <ScopePicker
          legend={t('Allowed scopes')}
          selected={scopes}
          isAdmin={me?.role === 'admin'}
          error={toFieldError(create.error, 'scopes')}
          onChange={setScopes}
        />
      </div>
    </Dialog>
  );
}
