import { useQuery } from '@tanstack/react-query';
import { client } from '../data/client.ts';
import type { Choice } from './form/form-context.ts';

/** What a form offers to choose from; more than that is typed. */
const PAGE_SIZE = 100;
/** ms: they change seldom, and a panel is opened often. */
const MAX_AGE_MS = 10 * 60_000;

const none: readonly never[] = [];

/** Asked for only where a schema takes the id of a workflow. */
export function useWorkflowNames(isNeeded: boolean): readonly Choice[] {
  const { data } = useQuery({
    queryKey: ['workflows', 'names'],
    enabled: isNeeded,
    queryFn: async ({ signal }) => {
      const { workflows } = await client.workflows.list({ limit: PAGE_SIZE }, { signal });
      return workflows.map(({ id, name }) => ({ value: id, label: name }));
    },
    staleTime: MAX_AGE_MS,
  });
  return data ?? none;
}
