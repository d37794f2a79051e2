import type { Redis } from 'ioredis';

/**
 * What is sent over this connection in this turn of the event loop goes out in one piece: a hundred commands cost the system as
 * much as one.
 */
export function gather(connection: Redis): void {
  const stream = connection.stream as { cork?(): void; uncork?(): void } | undefined;
  stream?.cork?.();
  setImmediate(() => stream?.uncork?.());
}
