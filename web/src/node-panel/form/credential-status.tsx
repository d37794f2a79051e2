import { CircleCheck, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import type { ConnectedAccount, ConnectionTest, Secret } from 'weft-client';
import { formatHosts, needsSignIn } from '../../credentials/credential-state.ts';
import { SignInDialog, openSignIn, type SignIn } from '../../credentials/sign-in-dialog.tsx';
import { client } from '../../data/client.ts';
import { useMutationWithToast } from '../../data/use-mutation-with-toast.ts';
import { Button } from '../../ui/button.tsx';
import type { Credential } from '../../credentials/credential.ts';
import { t } from '../../i18n/index.ts';

/** The status of a chosen credential: allowed hosts, errors, and actions. */
export function CredentialStatus({
  credential,
  secret,
  connection,
  isKnown,
  onCreate,
}: {
  credential: Credential;
  secret: Secret | undefined;
  connection: ConnectedAccount | undefined;
  /** Whether the list of credentials has loaded. */
  isKnown: boolean;
  onCreate: () => void;
}) {
  if (!isKnown) return null;
  const { kind, name } = credential;
  if (kind === 'secret' ? secret === undefined : connection === undefined)
    return (
      <div className="picker__status">
        <Warning
          text={
            kind === 'secret'
              ? t('There is no secret {{name}}.', { name })
              : t('There is no connection {{name}}.', { name })
          }
        />
        <Button size="small" onClick={onCreate}>
          {t('Create it')}
        </Button>
      </div>
    );
  if (kind === 'connection' && connection !== undefined)
    return <AccountState key={name} connection={connection} />;
  return (
    <p className="picker__status">
      {t('Can be sent to {{hosts}}', { hosts: formatHosts(secret?.hosts ?? null) })}
    </p>
  );
}

function AccountState({ connection }: { connection: ConnectedAccount }) {
  const { name, status, error, hosts } = connection;
  const [signIn, setSignIn] = useState<SignIn | null>(null);
  const [result, setResult] = useState<ConnectionTest | null>(null);
  const authorize = useMutationWithToast(() => client.connections.authorize(name, {}), {
    changes: [],
    failed: t('Could not start the sign-in'),
    onDone: ({ connect_url: url }) => setSignIn(openSignIn(connection, url)),
  });
  const test = useMutationWithToast(() => client.connections.test(name), {
    changes: [['connections']],
    failed: t('Could not test the connection'),
    onDone: setResult,
  });
  const isWaiting = needsSignIn(connection);
  return (
    <>
      <div className="picker__status">
        {isWaiting ? (
          <Warning text={error === null ? t('No account is signed in yet.') : error} />
        ) : status === 'failing' ? (
          <Warning text={error ?? t('The last request for a token failed.')} />
        ) : (
          <span>{t('Can be sent to {{hosts}}', { hosts: formatHosts(hosts) })}</span>
        )}
        {isWaiting ? (
          <Button
            size="small"
            variant="primary"
            isBusy={authorize.isPending}
            onClick={() => authorize.mutate(undefined)}
          >
            {t('Sign in')}
          </Button>
        ) : (
          <Button size="small" isBusy={test.isPending} onClick={() => test.mutate(undefined)}>
            {t('Test')}
          </Button>
        )}
      </div>
      <div role="status">
        {result !== null && !isWaiting && (
          <p className={result.ok ? 'picker__result picker__result--good' : 'picker__result'}>
            {result.ok ? (
              <CircleCheck size={13} aria-hidden="true" />
            ) : (
              <TriangleAlert size={13} aria-hidden="true" />
            )}
            <span>
              {result.ok ? t('Works') : t('Does not work')}: {result.message}
            </span>
          </p>
        )}
      </div>
      {signIn !== null && (
        <SignInDialog key={signIn.url} signIn={signIn} onAgain={setSignIn} onClose={() => setSignIn(null)} />
      )}
    </>
  );
}

function Warning({ text }: { text: string }) {
  return (
    <span className="picker__warning">
      <TriangleAlert size={13} aria-hidden="true" />
      {text}
    </span>
  );
}
