import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query';
import type {
  ApiKeyList,
  ConnectedAccountList,
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
