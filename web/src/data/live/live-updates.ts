import { useEffect } from 'react';
import { isSettled, UnauthorizedError } from 'weft-client';
import { t } from '../../i18n/index.ts';
import { toast } from '../../ui/overlays/toast.tsx';
import { client } from '../client.ts';
import { createAdaptiveThrottle } from '../../lib/adaptive-throttle.ts';
import { queryClient } from '../query-client.ts';
import { isWatched } from './watched-runs.ts';

/** Delay in ms before a subscription that failed permanently is restarted. */
const RESUBSCRIBE_DELAY_MS = 10_000;

/** What an execution that starts or ends may change. */
const CHANGED_BY_EXECUTIONS = [
  ['executions'],
  ['workflows', 'list'],
  ['threads'],
  ['vector-collections'],
  ['model-usage'],
] as const;

const TONE_BY_LEVEL = { info: 'info', success: 'good', warning: 'warn', error: 'bad' } as const;

/** Keeps the page up to date while a user is signed in, and shows notifications. */
export function useLiveUpdates(isSignedIn: boolean): void {
  useEffect(() => {
    if (!isSignedIn) return;
    const leaving = new AbortController();
    const { signal } = leaving;
    const lists = createAdaptiveThrottle(() => {
      for (const queryKey of CHANGED_BY_EXECUTIONS) void queryClient.invalidateQueries({ queryKey });
    });
    const updates = async (): Promise<void> => {
      for await (const update of client.live.executions({ signal })) {
        if (isSettled(update.status) || update.progress === 0) lists.ask();
      }
    };
    const notifications = async (): Promise<void> => {
      for await (const { level, message } of client.live.notifications({ signal })) {
        if (!isWatched(message)) toast({ tone: TONE_BY_LEVEL[level], title: message });
      }
    };
    void repeatUntilAborted(updates, signal);
    const decisions = async (): Promise<void> => {
      for await (const { assigned, status, title } of client.live.decisions({ signal })) {
        void queryClient.invalidateQueries({ queryKey: ['decisions'] });
        if (assigned && status === 'open')
          toast({ tone: 'info', title: t('Decision needed: {{title}}', { title }) });
      }
    };
    void repeatUntilAborted(notifications, signal);
    void repeatUntilAborted(decisions, signal);
    return () => {
      lists.stop();
      leaving.abort();
    };
  }, [isSignedIn]);
}

async function repeatUntilAborted(work: () => Promise<void>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await work();
    } catch (error) {
      // The next request reports the expired session.
      if (signal.aborted || error instanceof UnauthorizedError) return;
      await new Promise((resolve) => setTimeout(resolve, RESUBSCRIBE_DELAY_MS));
    }
  }
}
