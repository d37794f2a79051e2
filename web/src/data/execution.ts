import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useEffect } from 'react';
import { isSettled, type ExecutionDetail } from 'weft-client';
import { client } from './client.ts';
import { createAdaptiveThrottle } from '../lib/adaptive-throttle.ts';
import { queryClient } from './query-client.ts';

/** One execution, updated until it ends: status and progress immediately, node runs after a short delay. */
export function useExecution(id: string | null): UseQueryResult<ExecutionDetail> {
  const query = useQuery({
    queryKey: ['executions', 'one', id],
    queryFn: ({ signal }) => client.executions.get(id ?? '', { signal }),
    enabled: id !== null,
  });
  const isOver = query.data !== undefined && isSettled(query.data.status);
  useEffect(() => {
    if (id === null || isOver) return;
    const leaving = new AbortController();
    const queryKey = ['executions', 'one', id];
    const pacer = createAdaptiveThrottle(() => void queryClient.invalidateQueries({ queryKey }));
    const follow = async (): Promise<void> => {
      for await (const { status, progress, current_node } of client.live.executions({
        executionId: id,
        signal: leaving.signal,
      })) {
        if (isSettled(status)) {
          pacer.stop();
          await queryClient.invalidateQueries({ queryKey });
          return;
        }
        queryClient.setQueryData<ExecutionDetail>(queryKey, (before) =>
          before === undefined || isSettled(before.status)
            ? before
            : { ...before, status, progress, current_node },
        );
        pacer.ask();
      }
    };
    follow().catch(() => {
      // A permanent failure is reported when the execution is read.
      if (!leaving.signal.aborted) pacer.ask();
    });
    return () => {
      pacer.stop();
      leaving.abort();
    };
  }, [id, isOver]);
  return query;
}
