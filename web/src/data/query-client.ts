import { QueryClient } from '@tanstack/react-query';
import { connection } from './live/connection.ts';

/**
 * The query cache. Responses stay fresh for 30 seconds, and live updates invalidate changed ones
 * (live-updates.ts), to stay far below the rate limit.
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
