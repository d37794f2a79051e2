import { createStore } from './store.ts';

/** `lost`: the service did not answer; it is being tried again. */
export type Connection = 'online' | 'lost';

export const connection = createStore<Connection>('online');

/** ms without the socket before it counts as lost: a restart of it is not worth a word. */
const GRACE = 1_500;

let timer: ReturnType<typeof setTimeout> | undefined;

export function noteAnswer(): void {
  clearTimeout(timer);
  timer = undefined;
  connection.set('online');
}

export function noteLoss(): void {
  timer ??= setTimeout(() => {
    timer = undefined;
    connection.set('lost');
  }, GRACE);
}
