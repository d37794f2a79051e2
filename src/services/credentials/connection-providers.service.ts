import { loadProviders, type ConnectionProvider } from '../../contract/connections/connection-providers.ts';
import { createNotFoundError } from '../../contract/errors.ts';
import { toPage, type Page } from '../../contract/paging.ts';
import type { Principal } from '../../contract/principal.ts';
import { ProviderQuery } from '../../contract/requests/connection.ts';
import { validate } from '../../contract/validate.ts';
import { requireScope } from '../authorize.ts';

export type ProviderView = ConnectionProvider & { readonly id: string };

export type ConnectionProviders = ReturnType<typeof createConnectionProviders>;

/** The catalog of services whose accounts can be connected with OAuth 2.0. */
export function createConnectionProviders() {
  return {
    /** By title. With `search`, providers whose id or title begins with the text come first. */
    async list(
      principal: Principal,
      query: unknown,
    ): Promise<{ rows: ProviderView[]; total: number; page: Page }> {
      requireScope(principal, 'secrets:read');
      const { search = '', ...paging } = validate(ProviderQuery, query);
      const page = toPage(paging);
      const wanted = search.trim().toLowerCase();
      const found = [...(await loadProviders())]
        .map(([id, provider]) => ({ id, ...provider, rank: rankProvider(id, provider, wanted) }))
        .filter(({ rank }) => rank > 0)
        .toSorted((a, b) => b.rank - a.rank || a.title.localeCompare(b.title, 'en'));
      const rows = found
        .slice(page.offset, page.offset + page.limit)
        .map(({ rank: _rank, ...provider }) => provider);
      return { rows, total: found.length, page };
    },

    async get(principal: Principal, id: string): Promise<ProviderView> {
      requireScope(principal, 'secrets:read');
      const provider = (await loadProviders()).get(id);
      if (provider === undefined) throw createNotFoundError('connection provider');
      return { id, ...provider };
    },
  };
}

/** How well a provider matches the text, in lower case; 0: not at all. */
function rankProvider(id: string, { title, hosts }: ConnectionProvider, wanted: string): number {
  if (wanted === '') return 1;
  const name = title.toLowerCase();
  if (id.startsWith(wanted) || name.startsWith(wanted)) return 3;
  if (id.includes(wanted) || name.includes(wanted)) return 2;
  return hosts.some((host) => host.includes(wanted)) ? 1 : 0;
}
