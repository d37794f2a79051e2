import { useState } from 'react';
import type { CreateConnectionInput, NewConnectedAccount } from 'weft-client';
import { useMutationWithToast } from '../../data/use-mutation-with-toast.ts';
import { client } from '../../data/client.ts';
import { toFieldError, toFormError } from '../../data/error-text.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { Alert } from '../../ui/alert.tsx';
import { PROVIDERS, RETURN_TO, type Provider } from './providers.ts';
import { t } from '../../i18n/index.ts';

type Grant = NonNullable<CreateConnectionInput['grant_type']>;

const words = (text: string): string[] => text.split(/[\s,]+/).filter((one) => one !== '');
const FIELDS = ['name', 'client_id', 'client_secret', 'scopes', 'authorization_url', 'token_url', 'hosts'];

export function CreateConnectionDialog({
  onClose,
  onMade,
}: {
  onClose: () => void;
  onMade: (made: NewConnectedAccount) => void;
}) {
  const [provider, setProvider] = useState<Provider | 'other'>('github');
  const [grant, setGrant] = useState<Grant>('authorization_code');
  const [form, setForm] = useState({
    name: '',
    clientId: '',
    clientSecret: '',
    scopes: '',
    authorizationUrl: '',
    tokenUrl: '',
    hosts: '',
  });
  const change = (changes: Partial<typeof form>): void => setForm({ ...form, ...changes });
  const isOther = provider === 'other';
  const create = useMutationWithToast(
    () => {
      const { name, clientId, clientSecret, scopes, authorizationUrl, tokenUrl, hosts } = form;
      return client.connections.create({
        name: name.trim(),
        client_id: clientId.trim(),
        client_secret: clientSecret === '' ? null : clientSecret,
        return_to: RETURN_TO,
        ...(scopes.trim() === '' ? {} : { scopes: words(scopes) }),
        ...(hosts.trim() === '' ? {} : { hosts: words(hosts) }),
        ...(isOther
          ? {
              grant_type: grant,
              token_url: tokenUrl.trim(),
              ...(grant === 'authorization_code' ? { authorization_url: authorizationUrl.trim() } : {}),
            }
          : { provider }),
      });
    },
    { changes: [['connections']], onDone: onMade },
  );
  const text = (field: string) => toFieldError(create.error, field);
  const fault = toFormError(create.error, FIELDS);
  return (
    <Dialog
      isOpen
      size="wide"
      onClose={onClose}
      title={t('New connection')}
      description={t(
        'Connect an account at another service. Tokens are stored encrypted and refreshed automatically.',
      )}
      onSubmit={() => create.mutate(undefined)}
      foot={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button type="submit" look="primary" isBusy={create.isPending}>
            {t('Continue')}
          </Button>
        </>
      }
    >
      <div className="form">
        {fault !== null && <Alert tone="bad">{fault}</Alert>}
        <div className="form__grid">
          <SelectField
            label={t('Service')}
            value={provider}
            onChange={(event) => setProvider(event.target.value as Provider | 'other')}
          >
            {PROVIDERS.map((one) => (
              <option key={one.value} value={one.value}>
                {one.label}
              </option>
            ))}
            <option value="other">{t('Other (OAuth 2.0)')}</option>
          </SelectField>
          <TextField
            label={t('Name')}
            className="input--mono"
            value={form.name}
            placeholder="github_work"
            hint={t('Nodes refer to the connection by this name.')}
            error={text('name')}
            onChange={(event) => change({ name: event.target.value })}
          />
        </div>
        {isOther && (
          <div className="form__grid">
            <SelectField
              label={t('Grant type')}
              value={grant}
              onChange={(event) => setGrant(event.target.value as Grant)}
            >
              <option value="authorization_code">{t('Authorization code')}</option>
              <option value="client_credentials">{t('Client credentials')}</option>
            </SelectField>
            {grant === 'authorization_code' && (
              <TextField
                label={t('Authorization URL')}
                type="url"
                placeholder="https://…/authorize"
                value={form.authorizationUrl}
                error={text('authorization_url')}
                onChange={(event) => change({ authorizationUrl: event.target.value })}
              />
            )}
            <TextField
              label={t('Token URL')}
              type="url"
              placeholder="https://…/token"
              value={form.tokenUrl}
              error={text('token_url')}
              onChange={(event) => change({ tokenUrl: event.target.value })}
            />
          </div>
        )}
        <div className="form__grid">
          <TextField
            label={t('Client ID')}
            className="input--mono"
            value={form.clientId}
            hint={t('From the OAuth app that you registered at the service.')}
            error={text('client_id')}
            onChange={(event) => change({ clientId: event.target.value })}
          />
          <TextField
            label={t('Client secret')}
            isOptional
            type="password"
            autoComplete="new-password"
            value={form.clientSecret}
            hint={t('Stored encrypted and never shown again. Leave empty for a public client.')}
            error={text('client_secret')}
            onChange={(event) => change({ clientSecret: event.target.value })}
          />
          <TextField
            label={t('Scopes')}
            isOptional
            className="input--mono"
            value={form.scopes}
            hint={t('Space-separated scopes as defined by the service.')}
            error={text('scopes')}
            onChange={(event) => change({ scopes: event.target.value })}
          />
          <TextField
            label={t('Allowed hosts')}
            isOptional
            className="input--mono"
            value={form.hosts}
            placeholder="api.example.com"
            hint={t('Weft refuses to send the token to any other host.')}
            error={text('hosts')}
            onChange={(event) => change({ hosts: event.target.value })}
          />
        </div>
      </div>
    </Dialog>
  );
}
