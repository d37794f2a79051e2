import { QueryClient } from '@tanstack/react-query';
import { connection } from './live/connection.ts';

/**
 * The query cache. A response stays fresh for 30 seconds: live updates invalidate what changed (live-updates.ts),
 * and an hour of work must stay far below the rate limit of the plan.
 */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      // The API client retries failed requests.
      retry: false,
      // Loopback addresses and intranets work without internet access.
      networkMode: 'always',
    },
    mutations: { networkMode: 'always', retry: false },
  },
});

// Refetches what was missed once the service is reachable again.
let wasLost = false;
connection.watch(() => {
  const isLost = connection.get() === 'lost';
  if (wasLost && !isLost) void queryClient.invalidateQueries();
  wasLost = isLost;
});
