import type { ConnectedAccount } from 'weft-client';
import type { Tone } from '../ui/badge.tsx';

export const CONNECTION_STATUSES: Readonly<
  Record<ConnectedAccount['status'], { readonly label: string; readonly tone: Tone }>
> = {
  pending: { label: 'Needs sign-in', tone: 'warn' },
  connected: { label: 'Connected', tone: 'good' },
  needs_reauthorization: { label: 'Needs sign-in', tone: 'warn' },
  failing: { label: 'Failing', tone: 'bad' },
};

/** Whether only a person can make the connection work. The app itself signs in with client credentials. */
export function needsSignIn({ status, grant_type: grant }: ConnectedAccount): boolean {
  return grant !== 'client_credentials' && (status === 'pending' || status === 'needs_reauthorization');
}

/** Where a credential may be sent. */
export function hostsText(hosts: readonly string[] | null): string {
  return hosts === null ? 'any host' : hosts.join(', ');
}
