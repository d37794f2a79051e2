import { useState } from 'react';
import type { User } from 'weft-client';
import { useMutationWithToast } from '../../data/use-mutation-with-toast.ts';
import { client } from '../../data/client.ts';
import { toFieldError, toFormError } from '../../data/error-text.ts';
import { formatPlan } from '../../data/words.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { Alert } from '../../ui/alert.tsx';
import { t } from '../../i18n/index.ts';

const FIELDS = ['email', 'name', 'password', 'role', 'plan'];

/** Creates or edits a user. */
export function UserDialog({
  user,
  isSelf,
  onClose,
}: {
  user: User | null;
  isSelf: boolean;
  onClose: () => void;
}) {
  const [email, setEmail] = useState(user?.email ?? '');
  const [name, setName] = useState(user?.name ?? '');
  const [password, setPassword] = useState('');
  const [role, setRole] = useState<User['role']>(user?.role ?? 'member');
  const [plan, setPlan] = useState<User['plan']>(user?.plan ?? 'standard');
  const save = useMutationWithToast(
    (): Promise<User> => {
      const common = { email: email.trim(), name: name.trim(), role, plan };
      return user === null
        ? client.users.create({ ...common, password })
        : client.users.update(user.id, { ...common, ...(password === '' ? {} : { password }) });
    },
    { changes: [['users'], ['me']], onDone: onClose },
  );
  const problem = toFormError(save.error, FIELDS);
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={user === null ? t('New user') : user.email}
      onSubmit={() => save.mutate(undefined)}
      foot={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button type="submit" variant="primary" isBusy={save.isPending}>
            {user === null ? t('Create') : t('Save')}
          </Button>
        </>
      }
    >
      <div className="form">
        {problem !== null && <Alert tone="bad">{problem}</Alert>}
        <div className="form__grid">
          <TextField
            label={t('Email')}
            type="email"
            value={email}
            error={toFieldError(save.error, 'email')}
            onChange={(event) => setEmail(event.target.value)}
          />
          <TextField
            label={t('Name')}
            isOptional
            value={name}
            error={toFieldError(save.error, 'name')}
            onChange={(event) => setName(event.target.value)}
          />
        </div>
        <TextField
          label={user === null ? t('Password') : t('New password')}
          isOptional={user !== null}
          type="password"
          autoComplete="new-password"
          value={password}
          hint={
            user === null
              ? t('The user can change it under Account.')
              : t('Signs the user out of all sessions.')
          }
          error={toFieldError(save.error, 'password')}
          onChange={(event) => setPassword(event.target.value)}
        />
        <div className="form__grid">
          <SelectField
            label={t('Role')}
            value={role}
            disabled={isSelf}
            hint={
              isSelf
                ? t('Only another administrator can change your role.')
                : t('Administrators manage users.')
            }
            error={toFieldError(save.error, 'role')}
            onChange={(event) => setRole(event.target.value as User['role'])}
          >
            <option value="member">{t('Member')}</option>
            <option value="admin">{t('Administrator')}</option>
          </SelectField>
          <SelectField
            label={t('Plan')}
            value={plan}
            hint={t('Sets the hourly request limit.')}
            error={toFieldError(save.error, 'plan')}
            onChange={(event) => setPlan(event.target.value as User['plan'])}
          >
            <option value="standard">{formatPlan('standard')}</option>
            <option value="pro">{formatPlan('pro')}</option>
            <option value="enterprise">{formatPlan('enterprise')}</option>
          </SelectField>
        </div>
      </div>
    </Dialog>
  );
}
