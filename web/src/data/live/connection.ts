import { createStore } from '../store.ts';

/** `lost`: the service did not respond; the page retries. */
export type ConnectionState = 'online' | 'lost';

export const connection = createStore<ConnectionState>('online');

/** ms without a socket until the connection counts as lost, longer than a quick restart of the service. */
const OFFLINE_GRACE_MS = 1_500;

let timer: ReturnType<typeof setTimeout> | undefined;

export function recordResponse(): void {
  clearTimeout(timer);
  timer = undefined;
  connection.set('online');
}

export function recordConnectionLoss(): void {
  timer ??= setTimeout(() => {
    timer = undefined;
    connection.set('lost');
  }, OFFLINE_GRACE_MS);
}
