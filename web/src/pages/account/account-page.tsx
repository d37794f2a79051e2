import { useState } from 'react';
import { useMutationWithToast } from '../../data/use-mutation-with-toast.ts';
import { client } from '../../data/client.ts';
import { toFieldError, toFormError } from '../../data/error-text.ts';
import { useCurrentUser } from '../../data/current-user.ts';
import { formatPlan } from '../../data/words.ts';
import { useStore } from '../../data/store.ts';
import { chooseTheme, theme, type Theme } from '../../data/theme.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { Alert } from '../../ui/alert.tsx';
import { Page } from '../../ui/page.tsx';
import { SegmentedControl } from '../../ui/segmented-control.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { t } from '../../i18n/index.ts';

export function AccountPage() {
  const me = useCurrentUser();
  const selectedTheme = useStore(theme);
  return (
    <Page title={t('Account')} isNarrow>
      <div className="stack">
        <section className="card" aria-labelledby="account-who">
          <div className="card__head">
            <h2 className="card__title" id="account-who">
              {t('Profile')}
            </h2>
          </div>
          <dl className="card__body definitions">
            <dt>{t('Email')}</dt>
            <dd>{me?.email}</dd>
            {me?.name !== '' && (
              <>
                <dt>{t('Name')}</dt>
                <dd>{me?.name}</dd>
              </>
            )}
            <dt>{t('Role')}</dt>
            <dd>{me?.role === 'admin' ? t('Administrator') : t('Member')}</dd>
            <dt>{t('Plan')}</dt>
            <dd>{formatPlan(me?.plan)}</dd>
          </dl>
        </section>
        <section className="card" aria-labelledby="account-theme">
          <div className="card__head">
            <h2 className="card__title" id="account-theme">
              {t('Theme')}
            </h2>
            <SegmentedControl<Theme>
              label={t('Theme')}
              value={selectedTheme}
              options={[
                { value: 'system', label: t('System') },
                { value: 'light', label: t('Light') },
                { value: 'dark', label: t('Dark') },
              ]}
              onChange={chooseTheme}
            />
          </div>
        </section>
        <PasswordCard />
      </div>
    </Page>
  );
}

function PasswordCard() {
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const change = useMutationWithToast(
    () => client.users.changePassword({ current_password: current, new_password: next }),
    {
      changes: [],
      onDone: () => {
        setCurrent('');
        setNext('');
        toast({
          tone: 'good',
          title: t('Password changed'),
          text: t('Your other sessions were signed out.'),
        });
      },
    },
  );
  const problem = toFormError(change.error, ['current_password', 'new_password']);
  return (
    <section className="card" aria-labelledby="account-password">
      <div className="card__head">
        <h2 className="card__title" id="account-password">
          {t('Password')}
        </h2>
      </div>
      <form
        className="card__body form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (!change.isPending) change.mutate(undefined);
        }}
      >
        {problem !== null && <Alert tone="bad">{problem}</Alert>}
        <div className="form__grid">
          <TextField
            label={t('Current password')}
            type="password"
            autoComplete="current-password"
            value={current}
            error={toFieldError(change.error, 'current_password')}
            onChange={(event) => setCurrent(event.target.value)}
          />
          <TextField
            label={t('New password')}
            type="password"
            autoComplete="new-password"
            value={next}
            error={toFieldError(change.error, 'new_password')}
            onChange={(event) => setNext(event.target.value)}
          />
        </div>
        <div>
          <Button type="submit" isBusy={change.isPending} disabled={current === '' || next === ''}>
            {t('Change password')}
          </Button>
        </div>
      </form>
    </section>
  );
}
