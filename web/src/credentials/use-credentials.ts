import { useQuery } from '@tanstack/react-query';
import type { ConnectedAccount, Secret } from 'weft-client';
import { client } from '../data/client.ts';

/** The number of secrets and of connections that a form offers. */
const MAX_CHOICES = 1_000;
/** ms: changes made on this page invalidate them at once. */
const FRESH_MS = 10 * 60_000;

/** The secrets that can be chosen; undefined while they load. */
export function useSecretChoices(isNeeded = true): readonly Secret[] | undefined {
  return useQuery({
    queryKey: ['secrets', 'choices'],
    enabled: isNeeded,
    queryFn: async ({ signal }) => {
      const secrets: Secret[] = [];
      for await (const secret of client.secrets.listAll({}, { maxItems: MAX_CHOICES, signal }))
        secrets.push(secret);
      return secrets.toSorted((a, b) => a.name.localeCompare(b.name));
    },
    staleTime: FRESH_MS,
  }).data;
}

/** The connections that can be chosen; undefined while they load. */
export function useConnectionChoices(isNeeded = true): readonly ConnectedAccount[] | undefined {
  return useQuery({
    queryKey: ['connections', 'choices'],
    enabled: isNeeded,
    queryFn: async ({ signal }) => {
      const connections: ConnectedAccount[] = [];
      for await (const one of client.connections.listAll({}, { maxItems: MAX_CHOICES, signal }))
        connections.push(one);
      return connections.toSorted((a, b) => a.name.localeCompare(b.name));
    },
    staleTime: FRESH_MS,
  }).data;
}

/** The redirect URI to register for an app at a provider; null while it loads. */
export function useRedirectUri(): string | null {
  return (
    useQuery({
      queryKey: ['connections', 'redirect-uri'],
      queryFn: async ({ signal }) => (await client.connections.list({ limit: 1 }, { signal })).redirect_uri,
      staleTime: Infinity,
    }).data ?? null
  );
}
