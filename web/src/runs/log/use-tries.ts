import { useQuery } from '@tanstack/react-query';
import type { LogEntry } from 'weft-client';
import { client } from '../../data/client.ts';
import { countTriesByPath, type FailedTry } from './tries.ts';

/** The maximum number of log lines read for the failed tries of an execution. */
const MAX_LINES = 500;

/** The failed attempts of an ended execution by node run path. Loaded only if a node was retried. */
export function useTries(
  executionId: string | undefined,
  isEnabled: boolean,
): ReadonlyMap<string, readonly FailedTry[]> | undefined {
  return useQuery({
    queryKey: ['execution-tries', executionId],
    enabled: isEnabled && executionId !== undefined,
    staleTime: Infinity,
    queryFn: async ({ signal }) => {
      const lines: LogEntry[] = [];
      const pages = client.executions.logs.listAll(
        executionId ?? '',
        { level: 'warning' },
        { maxItems: MAX_LINES, signal },
      );
      for await (const line of pages) lines.push(line);
      return countTriesByPath(lines);
    },
  }).data;
}
