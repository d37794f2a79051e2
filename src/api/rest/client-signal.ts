import type { IncomingMessage } from 'node:http';

/** A signal that aborts when the client of a request disconnects before `release`. */
export function createClientSignal({ socket }: Pick<IncomingMessage, 'socket'>): {
  signal: AbortSignal;
  release(): void;
} {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  if (socket.destroyed) abort();
  socket.once('close', abort);
  return { signal: controller.signal, release: () => socket.off('close', abort) };
}
