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

type Kind = 'user' | 'service';

export function CreateClientDialog({
  onClose,
  onCreated,
}: {
  onClose: () => void;
  onCreated: (client: NewOAuthClient) => void;
}) {
  const me = useCurrentUser();
  const [kind, setKind] = useState<Kind>('user');
  const [name, setName] = useState('');
  const [redirectUris, setRedirectUris] = useState('');
  const [scopes, setScopes] = useState<Scope[]>([]);
  const create = useMutationWithToast(
    () =>
      client.oauth.clients.create({
        name: name.trim(),
        scopes,
        ...(kind === 'service'
          ? { grant_types: ['client_credentials'] }
          : {
              grant_types: ['authorization_code', 'refresh_token'],
              redirect_uris: redirectUris
                .split(/\s+/)
                .map((uri) => uri.trim())
                .filter((uri) => uri !== ''),
            }),
      }),
    { changes: [['oauth-clients']], onDone: onCreated },
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
                { value: 'user', label: t('User consent') },
                { value: 'service', label: t('Service') },
              ]}
              onChange={setKind}
            />
          </div>
          <p className="field__hint">
            {kind === 'user'
              ? t('Authorization code with PKCE: users sign in here and grant access to the application.')
              : t('Client credentials: the application acts as you, without user interaction.')}
          </p>
        </div>
        <TextField
          label={t('Name')}
          value={name}
          hint={kind === 'user' ? t('Shown to users on the consent page.') : undefined}
          error={toFieldError(create.error, 'name')}
          onChange={(event) => setName(event.target.value)}
        />
        {kind === 'user' && (
          <TextAreaField
            label={t('Redirect URIs')}
            className="input--mono"
            rows={2}
            spellCheck={false}
            value={redirectUris}
            placeholder="https://app.example.com/callback"
            hint={t('One URI per line. The redirect URI of a request must match exactly.')}
            error={redirectUriError}
            onChange={(event) => setRedirectUris(event.target.value)}
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
