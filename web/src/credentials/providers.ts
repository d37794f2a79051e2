import { useQuery } from '@tanstack/react-query';
import type { ConnectedAccount, ConnectionProvider } from 'weft-client';
import { client } from '../data/client.ts';
import { t } from '../i18n/index.ts';

type Authentication = NonNullable<ConnectedAccount['authentication']>['type'];

/** What a connection of fields is called. */
export const FIELD_TYPES: Readonly<Record<Authentication, string>> = {
  header: t('API key in a header'),
  query: t('API key in the URL'),
  bearer: t('Bearer token'),
  basic: t('User name and password'),
  custom: t('Several fields'),
};

/** The catalog of services; undefined while it loads, empty when it cannot be loaded. */
export function useProviders(isNeeded = true): readonly ConnectionProvider[] | undefined {
  const { data, isError } = useQuery({
    queryKey: ['connection-providers'],
    enabled: isNeeded,
    queryFn: async ({ signal }) => {
      const providers: ConnectionProvider[] = [];
      for await (const one of client.connectionProviders.listAll({}, { signal })) providers.push(one);
      return providers;
    },
    staleTime: Infinity,
  });
  return data ?? (isError ? [] : undefined);
}

/** The service or the kind of a connection. A provider that is not known (yet) is shown by its id. */
export function getServiceName(
  { provider, authentication }: Pick<ConnectedAccount, 'provider' | 'authentication'>,
  providers: readonly ConnectionProvider[] | undefined,
): string {
  if (authentication !== null) return FIELD_TYPES[authentication.type];
  return provider === null ? 'OAuth 2.0' : (providers?.find(({ id }) => id === provider)?.title ?? provider);
}
