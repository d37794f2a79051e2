import { useState } from 'react';
import type { ConnectedAccount, ConnectionProvider } from 'weft-client';
import { client } from '../data/client.ts';
import { toFieldError, toFormError } from '../data/error-text.ts';
import { useMutationWithToast } from '../data/use-mutation-with-toast.ts';
import { Alert } from '../ui/alert.tsx';
import { Button } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { Dialog } from '../ui/overlays/dialog.tsx';
import { SelectField, TextField } from '../ui/field.tsx';
import { toast } from '../ui/overlays/toast.tsx';
import type { ConnectionPreset } from './connection-preset.ts';
import { createUniqueName } from './credential-name.ts';
import { FieldsDialog } from './fields-dialog.tsx';
import { findProviderByHost } from './provider-host.ts';
import { useProviders } from './providers.ts';
import { OTHER_SERVICE, ServiceField } from './service-field.tsx';
import { SignInDialog, openSignIn, type SignIn } from './sign-in-dialog.tsx';
import { useConnectionChoices, useRedirectUri } from './use-credentials.ts';
import { t } from '../i18n/index.ts';

type Grant = 'authorization_code' | 'client_credentials';

const words = (text: string): string[] => text.split(/[\s,]+/).filter((one) => one !== '');
const FIELDS = ['name', 'client_id', 'client_secret', 'scopes', 'authorization_url', 'token_url', 'hosts'];

/** Creates a connection and signs in for it in another window. */
export function ConnectionDialog({
  host = null,
  preset = null,
  name,
  onCreated,
  onClose,
}: {
  /** The host of the service that the connection is for, which presets the form. */
  host?: string | null;
  /** What is known about its OAuth 2.0. */
  preset?: ConnectionPreset | null;
  /** The name of the new connection; left out: one that follows from the service. */
  name?: string | undefined;
  /** The connection exists, whether or not the sign-in succeeds. */
  onCreated?: ((connection: ConnectedAccount) => void) | undefined;
  onClose: () => void;
}) {
  const [signIn, setSignIn] = useState<SignIn | null>(null);
  const [isOfFields, setIsOfFields] = useState(false);
  const providers = useProviders();
  if (isOfFields) return <FieldsDialog host={host} name={name} onCreated={onCreated} onClose={onClose} />;
  if (providers === undefined) return null;
  return signIn === null ? (
    <ConnectionForm
      providers={providers}
      onFields={() => setIsOfFields(true)}
      host={host}
      preset={preset}
      name={name}
      onClose={onClose}
      onCreated={(connection, url) => {
        onCreated?.(connection);
        if (url !== null) return setSignIn(openSignIn(connection, url));
        toast({ tone: 'good', title: t('Connection “{{name}}” created', { name: connection.name }) });
        onClose();
      }}
    />
  ) : (
    <SignInDialog key={signIn.url} signIn={signIn} onAgain={setSignIn} onClose={onClose} />
  );
}

function ConnectionForm({
  providers,
  onFields,
  host,
  preset,
  name: initialName,
  onClose,
  onCreated,
}: {
  providers: readonly ConnectionProvider[];
  /** Stores an API key or a password instead. */
  onFields: () => void;
  host: string | null;
  preset: ConnectionPreset | null;
  name: string | undefined;
  onClose: () => void;
  onCreated: (connection: ConnectedAccount, connectUrl: string | null) => void;
}) {
  const taken = useConnectionChoices() ?? [];
  const redirectUri = useRedirectUri();
  const hostProvider = preset !== null || host === null ? null : findProviderByHost(host, providers);
  const [provider, setProvider] = useState(
    hostProvider ?? (host === null && preset === null ? 'github' : OTHER_SERVICE),
  );
  const [providerFields, setProviderFields] = useState<Readonly<Record<string, string>>>({});
  const [grant, setGrant] = useState<Grant>(preset?.grantType ?? 'authorization_code');
  const [form, setForm] = useState({
    // Null until it is edited: the suggestion follows the service.
    name: initialName ?? null,
    clientId: '',
    clientSecret: '',
    scopes: preset?.scopes.join(' ') ?? '',
    authorizationUrl: preset?.authorizationUrl ?? '',
    tokenUrl: preset?.tokenUrl ?? '',
    hosts: hostProvider === null && host !== null ? host : '',
  });
  const name =
    form.name ??
    createUniqueName(
      provider === OTHER_SERVICE ? (host ?? 'account') : provider,
      taken.map((one) => one.name),
    );
  const change = (changes: Partial<typeof form>): void => setForm({ ...form, ...changes });
  const isOther = provider === OTHER_SERVICE;
  const fields = providers.find(({ id }) => id === provider)?.fields ?? [];
  const needsPerson = !isOther || grant === 'authorization_code';
  const create = useMutationWithToast(
    () => {
      const { clientId, clientSecret, scopes, authorizationUrl, tokenUrl, hosts } = form;
      return client.connections.create({
        name: name.trim(),
        client_id: clientId.trim(),
        client_secret: clientSecret === '' ? null : clientSecret,
        ...(scopes.trim() === '' ? {} : { scopes: words(scopes) }),
        ...(hosts.trim() === '' ? {} : { hosts: words(hosts) }),
        ...(isOther
          ? {
              grant_type: grant,
              token_url: tokenUrl.trim(),
              ...(grant === 'authorization_code'
                ? { authorization_url: authorizationUrl.trim(), ...toAuthorization(preset) }
                : {}),
            }
          : {
              provider,
              provider_fields: Object.fromEntries(
                fields.flatMap(({ name: field }) => {
                  const value = providerFields[field]?.trim() ?? '';
                  return value === '' ? [] : [[field, value]];
                }),
              ),
            }),
      });
    },
    {
      changes: [['connections']],
      onDone: ({ connect_url: url, ...connection }) => onCreated(connection, url),
    },
  );
  const text = (field: string) => toFieldError(create.error, field);
  const problem = toFormError(create.error, [
    ...FIELDS,
    ...fields.map((field) => `provider_fields.${field.name}`),
  ]);
  return (
    <Dialog
      isOpen
      size="wide"
      onClose={onClose}
      title={t('Connect an account')}
      description={t('Weft stores the tokens of the account encrypted and refreshes them automatically.')}
      onSubmit={() => create.mutate(undefined)}
      foot={
        <>
          <Button onClick={onFields}>{t('Use an API key instead')}</Button>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button type="submit" variant="primary" isBusy={create.isPending}>
            {needsPerson ? t('Connect') : t('Create')}
          </Button>
        </>
      }
    >
      <div className="form">
        {problem !== null && <Alert tone="bad">{problem}</Alert>}
        {needsPerson && redirectUri !== null && (
          <div className="field">
            <span className="field__label">{t('Redirect URI')}</span>
            <div className="reveal">
              <code className="reveal__value">{redirectUri}</code>
              <CopyButton text={redirectUri} label={t('Copy redirect URI')} />
            </div>
            <p className="field__hint">
              {t(
                'Register an app at the service, with exactly this redirect URI. Then enter its credentials below.',
              )}
            </p>
          </div>
        )}
        <div className="form__grid">
          <ServiceField providers={providers} value={provider} onChange={setProvider} />
          <TextField
            label={t('Name')}
            className="input--mono"
            value={name}
            hint={t('Nodes refer to the connection by this name.')}
            error={text('name')}
            onChange={(event) => change({ name: event.target.value })}
          />
          {fields.map((field) => (
            <TextField
              key={`${provider} ${field.name}`}
              label={field.title}
              isOptional={field.default !== null}
              className="input--mono"
              value={providerFields[field.name] ?? ''}
              placeholder={field.default ?? field.example}
              error={text(`provider_fields.${field.name}`)}
              onChange={(event) => setProviderFields({ ...providerFields, [field.name]: event.target.value })}
            />
          ))}
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
            hint={t('Of the app that you registered at the service.')}
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

/** What the pack states about the authorization URL, which the form does not show. */
function toAuthorization(preset: ConnectionPreset | null) {
  if (preset === null) return {};
  const { authorizationParams, pkce } = preset;
  return {
    ...(Object.keys(authorizationParams).length === 0 ? {} : { authorization_params: authorizationParams }),
    ...(pkce === null ? {} : { pkce }),
  };
}
