import { useEffect } from 'react';
import { UnauthorizedError } from 'weft-client';
import { client } from '../../data/client.ts';
import { createStore } from '../../data/store.ts';

/** One sample of the service’s health; times in ms, memory in bytes. */
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

/** Ten minutes, at one sample every two seconds. */
const MAX_SAMPLES = 300;
const RESUBSCRIBE_DELAY_MS = 5_000;

/** The newest samples, the oldest first. */
export const healthSamples = createStore<readonly Sample[]>([]);

/** Collects samples in visible tabs of signed-in users, so that the System page opens with a history. */
export function useHealthSampling(isSignedIn: boolean): void {
  useEffect(() => {
    if (!isSignedIn) return;
    let controller: AbortController | null = null;
    // A browser allows six HTTP/1.1 connections to one origin: tabs in the background must not hold them.
    const update = (): void => {
      controller?.abort();
      controller = document.visibilityState === 'visible' ? new AbortController() : null;
      if (controller !== null) void collect(controller.signal);
    };
    update();
    document.addEventListener('visibilitychange', update);
    return () => {
      document.removeEventListener('visibilitychange', update);
      controller?.abort();
    };
  }, [isSignedIn]);
}

async function collect(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      for await (const { systemHealth } of client.subscribe<{ systemHealth: Sample }>(
        SUBSCRIPTION,
        {},
        { signal },
      ))
        healthSamples.set([...healthSamples.get(), systemHealth].slice(-MAX_SAMPLES));
    } catch (error) {
      if (signal.aborted || error instanceof UnauthorizedError) return;
    }
    await new Promise((resolve) => setTimeout(resolve, RESUBSCRIBE_DELAY_MS));
  }
}
