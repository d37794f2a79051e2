import { useQuery } from '@tanstack/react-query';
import { ExternalLink } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { ConnectedAccount } from 'weft-client';
import { client } from '../data/client.ts';
import { toErrorText } from '../data/error-text.ts';
import { queryClient } from '../data/query-client.ts';
import { Alert } from '../ui/alert.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/overlays/dialog.tsx';
import { getServiceName, useProviders } from './providers.ts';
import { t } from '../i18n/index.ts';

/** ms between two looks at the connection. */
const LOOK_INTERVAL_MS = 2_000;
/** ms that an authorization URL is valid. */
const URL_LIFETIME_MS = 600_000;

/** A connection whose sign-in was started in another window. `before` is the connection at that time. */
export type SignIn = { readonly before: ConnectedAccount; readonly url: string; readonly isBlocked: boolean };

/** Opens the sign-in page of a provider. The browser may block it. */
export function openSignIn(before: ConnectedAccount, url: string): SignIn {
  const opened = window.open(url, '_blank', 'popup,width=720,height=800');
  return { before, url, isBlocked: opened === null };
}

/** Waits until the sign-in in the other window has ended. */
export function SignInDialog({
  signIn,
  onAgain,
  onClose,
}: {
  signIn: SignIn;
  /** A new sign-in was opened. */
  onAgain: (signIn: SignIn) => void;
  onClose: () => void;
}) {
  const { before, url, isBlocked } = signIn;
  const providers = useProviders(before.provider !== null);
  const [until] = useState(() => Date.now() + URL_LIFETIME_MS);
  const [isBusy, setIsBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const { data } = useQuery({
    queryKey: ['connections', 'sign-in', before.name, url],
    queryFn: ({ signal }) => client.connections.get(before.name, { signal }),
    refetchInterval: () => (Date.now() < until ? LOOK_INTERVAL_MS : false),
    refetchIntervalInBackground: true,
    refetchOnWindowFocus: 'always',
    staleTime: 0,
    gcTime: 0,
  });
  const isDone = data?.status === 'connected' && data.authorized_at !== before.authorized_at;
  useEffect(() => {
    if (!isDone) return;
    void queryClient.invalidateQueries({ queryKey: ['connections'] });
    onClose();
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- runs once: `onClose` removes the dialog
  }, [isDone]);
  const refusal = data !== undefined && data.error !== before.error ? data.error : null;
  const retry = async (): Promise<void> => {
    setIsBusy(true);
    setProblem(null);
    try {
      const { connect_url: next } = await client.connections.authorize(before.name, {});
      onAgain(openSignIn(data ?? before, next));
    } catch (error) {
      setProblem(toErrorText(error));
    }
    setIsBusy(false);
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t('Sign in to {{service}}', {
        service: before.provider === null ? new URL(url).host : getServiceName(before, providers),
      })}
      description={t('Sign in for “{{name}}” in the other window. This dialog closes when you are done.', {
        name: before.name,
      })}
      foot={
        <>
          <Button onClick={onClose}>{t('Later')}</Button>
          <Button icon={<ExternalLink size={14} />} isBusy={isBusy} onClick={() => void retry()}>
            {t('Open again')}
          </Button>
        </>
      }
    >
      {refusal !== null || problem !== null ? (
        <Alert tone="bad">{problem ?? refusal}</Alert>
      ) : isBlocked ? (
        <Alert tone="warn">
          {t('The browser blocked the window.')}{' '}
          <a href={url} target="_blank" rel="noreferrer">
            {t('Open the sign-in page')}
          </a>
        </Alert>
      ) : (
        <p className="row">
          <span className="spinner" aria-hidden="true" />
          <span role="status">{t('Waiting for the sign-in')}</span>
        </p>
      )}
    </Dialog>
  );
}
