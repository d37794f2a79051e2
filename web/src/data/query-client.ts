import { QueryClient } from '@tanstack/react-query';
import { connection } from './connection.ts';

/**
 * What the page knows of the service. An answer is used for half a minute without asking again: live updates say what changed
 * (live-updates.ts), and an hour of work has to stay far below the plan's limit.
 */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      // The client has its own tries.
      retry: false,
      // Loopback and intranets work without the internet.
      networkMode: 'always',
    },
    mutations: { networkMode: 'always', retry: false },
  },
});

// What was missed meanwhile is read once the service is back.
let wasLost = false;
connection.watch(() => {
  const isLost = connection.get() === 'lost';
  if (wasLost && !isLost) void queryClient.invalidateQueries();
  wasLost = isLost;
});
