import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query';
import type {
  ApiKeyList,
  ConnectedAccountList,
  DeletedWorkflowList,
  ListWorkflowsQuery,
  NodeList,
  OAuthClientList,
  OAuthGrantList,
  SecretList,
  TemplateList,
  UserList,
  WorkflowList,
} from 'weft-client';
import { client } from './client.ts';
import { useUrlState } from './url-state.ts';

const PAGE_SIZE = 20;

/** A list page whose page number is in the URL. */
function usePagedList<L>(
  key: string,
  fetchPage: (query: { page: number; limit: number }, options: { signal: AbortSignal }) => Promise<L>,
): UseQueryResult<L> {
  const { page } = useUrlState();
  return useQuery({
    queryKey: [key, page],
    queryFn: ({ signal }) => fetchPage({ page, limit: PAGE_SIZE }, { signal }),
    placeholderData: keepPreviousData,
  });
}

export function useWorkflows(query: ListWorkflowsQuery): UseQueryResult<WorkflowList> {
  return useQuery({
    queryKey: ['workflows', 'list', query],
    queryFn: ({ signal }) => client.workflows.list({ limit: PAGE_SIZE, ...query }, { signal }),
    placeholderData: keepPreviousData,
  });
}

/** Workflows that are searched for tags. */
const MAX_TAG_SOURCES = 500;

/** The tags of the newest workflows, in alphabetical order. */
export function useTags(): readonly string[] {
  const { data } = useQuery({
    queryKey: ['workflows', 'tags'],
    queryFn: async ({ signal }) => {
      const tags = new Set<string>();
      for await (const one of client.workflows.listAll({}, { signal, maxItems: MAX_TAG_SOURCES }))
        for (const tag of one.tags) tags.add(tag);
      return [...tags].toSorted((a, b) => a.localeCompare(b));
    },
    staleTime: 60_000,
  });
  return data ?? [];
}

export const useDeletedWorkflows = (): UseQueryResult<DeletedWorkflowList> =>
  usePagedList('deleted-workflows', (query, options) => client.workflows.deleted.list(query, options));

/** How long a workflow that is deleted now can be restored, in days; null: not known yet. */
export function useTrashDays(): number | null {
  const { data } = useQuery({
    queryKey: ['deleted-workflows', 'retention'],
    queryFn: async ({ signal }) => (await client.workflows.deleted.list({ limit: 1 }, { signal })).retention,
    staleTime: 10 * 60_000,
  });
  return data === undefined ? null : data / 86_400_000;
}

export function useTemplates(query: {
  page?: number;
  search?: string | undefined;
}): UseQueryResult<TemplateList> {
  return useQuery({
    queryKey: ['templates', 'list', query],
    queryFn: ({ signal }) => client.templates.list({ limit: 60, ...query }, { signal }),
    placeholderData: keepPreviousData,
  });
}

export const useApiKeys = (): UseQueryResult<ApiKeyList> =>
  usePagedList('api-keys', (query, options) => client.apiKeys.list(query, options));

export const useOAuthClients = (): UseQueryResult<OAuthClientList> =>
  usePagedList('oauth-clients', (query, options) => client.oauth.clients.list(query, options));

export const useSecrets = (): UseQueryResult<SecretList> =>
  usePagedList('secrets', (query, options) => client.secrets.list(query, options));

/** The number of open decisions that the user is asked for; 0 until it is known. */
export function useOpenDecisions(): number {
  const { data } = useQuery({
    queryKey: ['decisions', 'count'],
    queryFn: async ({ signal }) =>
      (await client.decisions.list({ status: 'open', limit: 1 }, { signal })).pagination.total,
  });
  return data ?? 0;
}

export const useUsers = (): UseQueryResult<UserList> =>
  usePagedList('users', (query, options) => client.users.list(query, options));

/** The latest version of each node type. It changes only when a node is registered. */
export function useNodes(): UseQueryResult<NodeList> {
  return useQuery({
    queryKey: ['nodes'],
    queryFn: ({ signal }) => client.nodes.list({}, { signal }),
    staleTime: 10 * 60_000,
  });
}

/** The first 1,000 names, for select fields. */
export function useSecretNames(): UseQueryResult<string[]> {
  return useQuery({
    queryKey: ['secrets', 'names'],
    queryFn: async ({ signal }) => {
      const names: string[] = [];
      for await (const { name } of client.secrets.listAll({}, { maxItems: 1_000, signal })) names.push(name);
      return names;
    },
  });
}

export const useOAuthGrants = (): UseQueryResult<OAuthGrantList> =>
  usePagedList('oauth-grants', (query, options) => client.oauth.grants.list(query, options));

export const useConnections = (): UseQueryResult<ConnectedAccountList> =>
  usePagedList('connections', (query, options) => client.connections.list(query, options));
