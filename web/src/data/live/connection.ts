import { createStore } from '../store.ts';

/** `lost`: the service did not respond; the page retries. */
export type ConnectionState = 'online' | 'lost';

export const connection = createStore<ConnectionState>('online');

/** ms without the socket before the connection counts as lost, so that a restart of the service shows no banner. */
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
