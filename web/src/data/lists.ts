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

/** Items of a page of a list. */
const LIMIT = 20;

export function useWorkflows(query: ListWorkflowsQuery): UseQueryResult<WorkflowList> {
  return useQuery({
    queryKey: ['workflows', 'list', query],
    queryFn: ({ signal }) => client.workflows.list({ limit: LIMIT, ...query }, { signal }),
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

export function useApiKeys(page: number): UseQueryResult<ApiKeyList> {
  return useQuery({
    queryKey: ['api-keys', page],
    queryFn: ({ signal }) => client.apiKeys.list({ page, limit: LIMIT }, { signal }),
    placeholderData: keepPreviousData,
  });
}

export function useOAuthClients(page: number): UseQueryResult<OAuthClientList> {
  return useQuery({
    queryKey: ['oauth-clients', page],
    queryFn: ({ signal }) => client.oauth.clients.list({ page, limit: LIMIT }, { signal }),
    placeholderData: keepPreviousData,
  });
}

export function useSecrets(page: number): UseQueryResult<SecretList> {
  return useQuery({
    queryKey: ['secrets', page],
    queryFn: ({ signal }) => client.secrets.list({ page, limit: LIMIT }, { signal }),
    placeholderData: keepPreviousData,
  });
}

export function useUsers(page: number): UseQueryResult<UserList> {
  return useQuery({
    queryKey: ['users', page],
    queryFn: ({ signal }) => client.users.list({ page, limit: LIMIT }, { signal }),
    placeholderData: keepPreviousData,
  });
}

/** The catalogue, in the newest version of each. It changes only when somebody registers a node. */
export function useNodes(): UseQueryResult<NodeList> {
  return useQuery({
    queryKey: ['nodes'],
    queryFn: ({ signal }) => client.nodes.list({}, { signal }),
    staleTime: 10 * 60_000,
  });
}

/** All names, for fields that ask for one: at most the first 1,000. */
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

export function useOAuthGrants(page: number): UseQueryResult<OAuthGrantList> {
  return useQuery({
    queryKey: ['oauth-grants', page],
    queryFn: ({ signal }) => client.oauth.grants.list({ page, limit: LIMIT }, { signal }),
    placeholderData: keepPreviousData,
  });
}

export function useConnections(page: number): UseQueryResult<ConnectedAccountList> {
  return useQuery({
    queryKey: ['connections', page],
    queryFn: ({ signal }) => client.connections.list({ page, limit: LIMIT }, { signal }),
    placeholderData: keepPreviousData,
  });
}
