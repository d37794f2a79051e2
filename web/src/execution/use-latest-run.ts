import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { client } from '../data/client.ts';
import { shownRun, type ShownRun } from './shown-run.ts';

/** ms: a run that is started here is told of here. */
const FRESH = 5 * 60_000;

/** The newest run of a workflow, with its data; null while there is none. */
export function useLatestRun(workflowId: string): ShownRun | null {
  const { data } = useQuery({
    queryKey: ['latest-run', workflowId],
    staleTime: FRESH,
    queryFn: async ({ signal }) => {
      const { executions } = await client.executions.list({ workflow_id: workflowId, limit: 1 }, { signal });
      const [newest] = executions;
      return newest === undefined ? null : client.executions.get(newest.id, { signal });
    },
  });
  return useMemo(() => (data === null || data === undefined ? null : shownRun(data)), [data]);
}
