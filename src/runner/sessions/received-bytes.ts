import type { Socket } from 'node:net';
import { limits } from '../../ports/limits.ts';

/** Interval of the received-bytes check; the libraries read messages of any length. */
const BYTE_CHECK_INTERVAL_MS = 100;
const MAX_BYTES_READ = 2 * limits.sqlBytes;

/**
 * Destroys the connection if it receives more bytes than a result may have. The returned function stops the
 * check and returns whether the limit was exceeded.
 */
export function limitReceivedBytes(socket: Socket): () => boolean {
  const before = socket.bytesRead;
  const isTooMuch = (): boolean => socket.bytesRead - before > MAX_BYTES_READ;
  const timer = setInterval(() => {
    if (isTooMuch()) socket.destroy();
  }, BYTE_CHECK_INTERVAL_MS);
  return () => {
    clearInterval(timer);
    return isTooMuch();
  };
}
