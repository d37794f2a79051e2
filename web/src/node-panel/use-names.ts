import { useQuery } from '@tanstack/react-query';
import { client } from '../data/client.ts';
import type { Choice } from './form/form-context.ts';

/** What a form offers to choose from; more than that is typed. */
const LIMIT = 100;
/** ms: they change seldom, and a panel is opened often. */
const FRESH = 10 * 60_000;

const none: readonly never[] = [];

export function useSecretNames(): readonly string[] {
  const { data } = useQuery({
    queryKey: ['secrets', 'names'],
    queryFn: async ({ signal }) => {
      const { secrets } = await client.secrets.list({ limit: LIMIT }, { signal });
      return secrets.map(({ name }) => name);
    },
    staleTime: FRESH,
  });
  return data ?? none;
}

/** Asked for only where a schema takes the id of a workflow. */
export function useWorkflowNames(isNeeded: boolean): readonly Choice[] {
  const { data } = useQuery({
    queryKey: ['workflows', 'names'],
    enabled: isNeeded,
    queryFn: async ({ signal }) => {
      const { workflows } = await client.workflows.list({ limit: LIMIT }, { signal });
      return workflows.map(({ id, name }) => ({ value: id, label: name }));
    },
    staleTime: FRESH,
  });
  return data ?? none;
}

/** Asked for only where a schema takes the name of a connection. */
export function useConnectionNames(isNeeded: boolean): readonly Choice[] {
  const { data } = useQuery({
    queryKey: ['connections', 'names'],
    enabled: isNeeded,
    queryFn: async ({ signal }) => {
      const { connections } = await client.connections.list({ limit: LIMIT }, { signal });
      return connections.map(({ name, provider, status }) => ({
        value: name,
        label: [
          name,
          ...(provider === null ? [] : [`(${provider})`]),
          ...(status === 'connected' ? [] : [`· ${status.replaceAll('_', ' ')}`]),
        ].join(' '),
      }));
    },
    staleTime: FRESH,
  });
  return data ?? none;
}
