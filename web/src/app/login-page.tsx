import { useEffect } from 'react';
import { Redirect, useSearchParams } from 'wouter';
import { sessionState } from '../data/session.ts';
import { useStore } from '../data/store.ts';
import { Brand } from './brand.tsx';
import { LoginForm } from './login-form.tsx';
import { t } from '../i18n/index.ts';

/** Accepts only paths of this origin, to prevent open redirects. */
function parseReturnPath(text: string | null): string {
  return text !== null && /^\/(?![/\\])/.test(text) ? text : '/';
}

export function LoginPage() {
  const { session } = useStore(sessionState);
  const [query] = useSearchParams();
  useEffect(() => {
    document.title = `${t('Sign in')} · Weft`;
  }, []);
  if (session !== null) return <Redirect to={parseReturnPath(query.get('to'))} replace />;
  return (
    <main className="login">
      <div className="login__box">
        <div className="row">
          <Brand />
        </div>
        <div className="login__card">
          <h1 className="login__title">{t('Sign in')}</h1>
          <p className="login__lead">{t('Durable workflow automation')}</p>
          <LoginForm email={query.get('email') ?? ''} />
        </div>
        <p className="login__foot">
          {t('First start? The server prints the administrator’s email and password to its terminal once.')}
        </p>
      </div>
    </main>
  );
}
