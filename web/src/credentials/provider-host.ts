import type { ConnectionProvider } from 'weft-client';

/** The provider of a host such as `api.github.com`. */
export function findProviderByHost(
  host: string,
  providers: readonly ConnectionProvider[] | undefined,
): string | null {
  const name = host.toLowerCase().replace(/:\d+$/, '');
  return (
    providers?.find(({ hosts }) => hosts.some((one) => name === one || name.endsWith(`.${one}`)))?.id ?? null
  );
}
