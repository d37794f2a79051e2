import type { ConnectedAccount } from 'weft-client';
import type { Tone } from '../ui/badge.tsx';
import { t } from '../i18n/index.ts';

export const CONNECTION_STATUSES: Readonly<
  Record<ConnectedAccount['status'], { readonly label: string; readonly tone: Tone }>
> = {
  pending: { label: t('Needs sign-in'), tone: 'warn' },
  connected: { label: t('Connected'), tone: 'good' },
  needs_reauthorization: { label: t('Needs sign-in'), tone: 'warn' },
  failing: { label: t('Failing'), tone: 'bad' },
};

/** Whether only a person can make the connection work. The app itself signs in with client credentials. */
export function needsSignIn({ status, grant_type: grant }: ConnectedAccount): boolean {
  return grant === 'authorization_code' && (status === 'pending' || status === 'needs_reauthorization');
}

/** Where a credential may be sent. */
export function formatHosts(hosts: readonly string[] | null): string {
  return hosts === null ? t('any host') : hosts.join(', ');
}
