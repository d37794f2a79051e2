import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query';
import type { PackList, PackWorkflowList } from 'weft-client';
import { client } from '../../data/client.ts';

const PAGE_SIZE = 20;

/** What changes when packs are installed or removed. */
export const PACK_CHANGES = [['packs'], ['nodes']] as const;

/** ms: reading a large document takes several seconds, and loading it from its URL up to a minute. */
export const INSTALL_TIMEOUT_MS = 120_000;

export function usePacks(query: { page: number; search: string }): UseQueryResult<PackList> {
  const { page, search } = query;
  return useQuery({
    queryKey: ['packs', 'list', query],
    queryFn: ({ signal }) =>
      client.packs.list({ page, limit: PAGE_SIZE, ...(search === '' ? {} : { search }) }, { signal }),
    placeholderData: keepPreviousData,
  });
}

/** The workflows of all users that use a pack; only for administrators. */
export function usePackWorkflows(name: string): UseQueryResult<PackWorkflowList> {
  return useQuery({
    queryKey: ['packs', 'workflows', name],
    queryFn: ({ signal }) => client.packs.workflows.list(name, {}, { signal }),
  });
}
