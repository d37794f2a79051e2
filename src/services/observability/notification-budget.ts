import type { Clock } from '../../ports/clock.ts';

/** Length of one window, ms. */
const WINDOW_MS = 60_000;
/** Maximum number of windows; notifications for further users are dropped until some end. */
const MAX_WINDOWS = 10_000;

export type NotificationBudget = {
  /** Whether one more notification may be sent to this user; if not, it is counted for the summary. */
  tryConsume(ownerId: string): boolean;
  close(): void;
};

/**
 * Limits notifications of one kind to `perWindow` per user and minute; at the end of the window, `summary`
 * gets the number of dropped ones.
 */
export function createNotificationBudget(options: {
  readonly clock: Pick<Clock, 'after'>;
  readonly perWindow: number;
  summary(ownerId: string, more: number): void;
}): NotificationBudget {
  const windows = new Map<string, { published: number; more: number; cancel: () => void }>();

  function end(ownerId: string): void {
    const more = windows.get(ownerId)?.more ?? 0;
    windows.delete(ownerId);
    if (more > 0) options.summary(ownerId, more);
  }

  return {
    tryConsume(ownerId) {
      let window = windows.get(ownerId);
      if (window === undefined) {
        if (windows.size >= MAX_WINDOWS) return false;
        window = { published: 0, more: 0, cancel: options.clock.after(WINDOW_MS, () => end(ownerId)) };
        windows.set(ownerId, window);
      }
      if (window.published < options.perWindow) {
        window.published++;
        return true;
      }
      window.more++;
      return false;
    },
    close() {
      for (const { cancel } of windows.values()) cancel();
      windows.clear();
    },
  };
}
