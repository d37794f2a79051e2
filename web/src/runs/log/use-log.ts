import { useQuery } from '@tanstack/react-query';
import type { LogEntry } from 'weft-client';
import { client } from '../../data/client.ts';

const PAGE_SIZE = 100;
const none: readonly LogEntry[] = [];

/** A page of the log of an ended execution, oldest first. */
export function useLog(id: string, page: number, isEnabled: boolean) {
  const query = useQuery({
    queryKey: ['executions', 'log', id, page],
    enabled: isEnabled,
    queryFn: ({ signal }) => client.executions.logs.list(id, { page, limit: PAGE_SIZE }, { signal }),
    staleTime: Infinity,
  });
  return { log: query.data?.logs ?? none, pageInfo: query.data?.pagination, error: query.error };
}
