import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { NotFoundError, type PackApp } from 'weft-client';
import { client } from '../../data/client.ts';
import { toErrorText } from '../../data/error-text.ts';
import { useMutationWithToast } from '../../data/use-mutation-with-toast.ts';
import { Alert, ErrorAlert } from '../../ui/alert.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { TextField } from '../../ui/field.tsx';
import { ConfirmDialog } from '../../ui/overlays/confirm-dialog.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { t } from '../../i18n/index.ts';

/** The app of a pack, whose service sends the events of all accounts to one URL. */
export function PackAppSection({ name }: { name: string }) {
  const queryKey = ['packs', 'app', name];
  const app = useQuery({
    queryKey,
    queryFn: ({ signal }) =>
      client.packs.app.get(name, { signal }).catch((error: unknown): PackApp | null => {
        if (error instanceof NotFoundError) return null;
        throw error;
      }),
  });
  const [secret, setSecret] = useState('');
  const [isDeleting, setIsDeleting] = useState(false);
  const changes = [queryKey];
  const save = useMutationWithToast(() => client.packs.app.put(name, { signing_secret: secret }), {
    changes,
    onDone() {
      setSecret('');
      toast({ tone: 'good', title: t('Signing secret saved') });
    },
  });
  const remove = useMutationWithToast(() => client.packs.app.delete(name), {
    changes,
    onDone() {
      setIsDeleting(false);
      toast({ tone: 'good', title: t('App deleted') });
    },
  });
  if (app.data === undefined) return app.error === null ? null : <ErrorAlert error={app.error} />;
  const { data } = app;
  return (
    <section className="pack-section" aria-labelledby="pack-app">
      <h2 className="pack-section__title" id="pack-app">
        {t('Events of an app')}
      </h2>
      <form
        className="card"
        onSubmit={(event) => {
          event.preventDefault();
          if (secret !== '' && !save.isPending) save.mutate(undefined);
        }}
      >
        <div className="card__body stack pack-app">
          <p className="soft">
            {t(
              'The service sends the events of all accounts to one URL. Enter the signing secret of your app here, and the URL in the settings of the app.',
            )}
          </p>
          {save.error !== null && <Alert tone="bad">{toErrorText(save.error)}</Alert>}
          {data !== null && (
            <div className="field">
              <span className="field__label">{t('URL')}</span>
              <div className="reveal">
                <code className="reveal__value">{data.url}</code>
                <CopyButton text={data.url} label={t('Copy address')} />
              </div>
            </div>
          )}
          <TextField
            label={data === null ? t('Signing secret') : t('New signing secret')}
            type="password"
            autoComplete="off"
            value={secret}
            onChange={({ target }) => setSecret(target.value)}
          />
          <div className="row">
            <Button type="submit" variant="primary" isBusy={save.isPending} disabled={secret === ''}>
              {t('Save')}
            </Button>
            {data !== null && (
              <Button
                variant="danger"
                onClick={() => {
                  remove.reset();
                  setIsDeleting(true);
                }}
              >
                {t('Delete the app…')}
              </Button>
            )}
          </div>
        </div>
      </form>
      <ConfirmDialog
        isOpen={isDeleting}
        onClose={() => setIsDeleting(false)}
        onConfirm={() => remove.mutate(undefined)}
        isBusy={remove.isPending}
        error={remove.error === null ? null : toErrorText(remove.error)}
        title={t('Delete the app?')}
        action={t('Delete')}
      >
        {t('The address stops working. An app cannot be deleted while active workflows receive its events.')}
      </ConfirmDialog>
    </section>
  );
}
