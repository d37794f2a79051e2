import { useEffect, useState } from 'react';
import { UnauthorizedError } from 'weft-client';
import { client } from '../../data/client.ts';

/** One look at the service; times in ms, memory in bytes. */
export type Sample = {
  readonly status: 'ok' | 'degraded';
  readonly uptime: number;
  readonly activeExecutions: number;
  readonly queuedExecutions: number;
  readonly executionsEnded: number;
  readonly executionsFailed: number;
  readonly durationP50: number | null;
  readonly durationP95: number | null;
  readonly eventLoopLag: number;
  readonly memoryUsed: number;
  readonly timestamp: string;
};

const SUBSCRIPTION = `subscription {
  systemHealth {
    status uptime activeExecutions queuedExecutions executionsEnded executionsFailed
    durationP50 durationP95 eventLoopLag memoryUsed timestamp
  }
}`;

/** Ten minutes, at one every two seconds. */
const MAX_SAMPLES = 300;
/** ms until it is asked for again after it failed for good. */
const AGAIN = 5_000;

/** Kept while the page is open, so that a chart does not begin anew with every visit. */
let kept: readonly Sample[] = [];

/** The newest samples, the oldest first. */
export function useHealthFeed(): readonly Sample[] {
  const [samples, setSamples] = useState(kept);
  useEffect(() => {
    const leaving = new AbortController();
    const { signal } = leaving;
    const follow = async (): Promise<void> => {
      while (!signal.aborted) {
        try {
          for await (const { systemHealth } of client.subscribe<{ systemHealth: Sample }>(
            SUBSCRIPTION,
            {},
            { signal },
          )) {
            kept = [...kept, systemHealth].slice(-MAX_SAMPLES);
            setSamples(kept);
          }
        } catch (error) {
          if (signal.aborted || error instanceof UnauthorizedError) return;
        }
        await new Promise((resolve) => setTimeout(resolve, AGAIN));
      }
    };
    void follow();
    return () => leaving.abort();
  }, []);
  return samples;
}
