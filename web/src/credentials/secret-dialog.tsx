import { useState } from 'react';
import type { Secret } from 'weft-client';
import { useMutationWithToast } from '../data/use-mutation-with-toast.ts';
import { client } from '../data/client.ts';
import { toFieldError, toFormError } from '../data/error-text.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/overlays/dialog.tsx';
import { TextAreaField, TextField } from '../ui/field.tsx';
import { Alert } from '../ui/alert.tsx';
import { t } from '../i18n/index.ts';

const parseHosts = (text: string): string[] => text.split(/[\s,]+/).filter((one) => one !== '');

/** Creates a secret or replaces its value. */
export function SecretDialog({
  secret,
  name: initialName = '',
  host = null,
  onSaved,
  onClose,
}: {
  /** Null: a new one. */
  secret: Secret | null;
  /** The name of the new secret at first. */
  name?: string | undefined;
  /** The host that the new secret is for. */
  host?: string | null;
  onSaved?: ((name: string) => void) | undefined;
  onClose: () => void;
}) {
  const [name, setName] = useState(secret?.name ?? initialName);
  const [value, setValue] = useState('');
  const [hosts, setHosts] = useState(secret === null ? (host ?? '') : (secret.hosts?.join(', ') ?? ''));
  const [description, setDescription] = useState(secret?.description ?? '');
  const put = useMutationWithToast(
    () =>
      client.secrets.put(name.trim(), {
        value,
        hosts: hosts.trim() === '' ? null : parseHosts(hosts),
        description: description.trim(),
      }),
    {
      changes: [['secrets']],
      onDone: (saved) => {
        onSaved?.(saved.name);
        onClose();
      },
    },
  );
  const hostsError =
    toFieldError(put.error, 'hosts') ??
    parseHosts(hosts)
      .map((host, i) => [host, toFieldError(put.error, `hosts[${i}]`)] as const)
      .map(([host, problem]) => (problem === null ? null : `${host} ${problem}`))
      .find((one) => one !== null) ??
    null;
  const own = ['name', 'value', 'hosts', 'description', ...parseHosts(hosts).map((_, i) => `hosts[${i}]`)];
  const problem = toFormError(put.error, own);
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={secret === null ? t('New secret') : t('Update {{name}}', { name: secret.name })}
      onSubmit={() => put.mutate(undefined)}
      foot={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button type="submit" variant="primary" isBusy={put.isPending}>
            {secret === null ? t('Create') : t('Update')}
          </Button>
        </>
      }
    >
      <div className="form">
        {problem !== null && <Alert tone="bad">{problem}</Alert>}
        {secret === null && (
          <TextField
            label={t('Name')}
            className="input--mono"
            value={name}
            placeholder="CRM_TOKEN"
            spellCheck={false}
            hint={t('Use it in templates as {{sample}}', {
              sample: `{{ secrets.${name.trim() === '' ? 'NAME' : name.trim()} }}`,
            })}
            error={toFieldError(put.error, 'name')}
            onChange={(event) => setName(event.target.value)}
          />
        )}
        <TextField
          label={t('Value')}
          type="password"
          autoComplete="new-password"
          value={value}
          hint={t('Stored encrypted and never shown again.')}
          error={toFieldError(put.error, 'value')}
          onChange={(event) => setValue(event.target.value)}
        />
        <TextField
          label={t('Allowed hosts')}
          isOptional
          className="input--mono"
          spellCheck={false}
          value={hosts}
          placeholder="api.example.com"
          hint={t('Comma-separated. Weft refuses to send the secret to any other host.')}
          error={hostsError}
          onChange={(event) => setHosts(event.target.value)}
        />
        <TextAreaField
          label={t('Description')}
          isOptional
          rows={2}
          value={description}
          error={toFieldError(put.error, 'description')}
          onChange={(event) => setDescription(event.target.value)}
        />
      </div>
    </Dialog>
  );
}
