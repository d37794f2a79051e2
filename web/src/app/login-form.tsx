import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { logIn } from '../data/client.ts';
import { toFieldError, toFormError } from '../data/error-text.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { Alert } from '../ui/alert.tsx';
import { t } from '../i18n/index.ts';

export function LoginForm({ email: first, onDone }: { email: string; onDone?: () => void }) {
  const [email, setEmail] = useState(first);
  const [password, setPassword] = useState('');
  const login = useMutation({ mutationFn: logIn, onSuccess: () => onDone?.() });
  const problem = toFormError(login.error, ['email', 'password']);
  return (
    <form
      className="form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!login.isPending) login.mutate({ email: email.trim(), password });
      }}
    >
      {problem !== null && <Alert tone="bad">{problem}</Alert>}
      <TextField
        label={t('Email')}
        name="email"
        type="email"
        autoComplete="username"
        autoFocus={first === ''}
        value={email}
        error={toFieldError(login.error, 'email')}
        onChange={(event) => setEmail(event.target.value)}
      />
      <TextField
        label={t('Password')}
        name="password"
        type="password"
        autoComplete="current-password"
        autoFocus={first !== ''}
        value={password}
        error={toFieldError(login.error, 'password')}
        onChange={(event) => setPassword(event.target.value)}
      />
      <Button type="submit" variant="primary" className="button--wide" isBusy={login.isPending}>
        {t('Sign in')}
      </Button>
    </form>
  );
}
