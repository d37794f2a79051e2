import type { Socket } from 'node:net';
import { isIP } from 'node:net';
import { normalizeHost } from './allowed-hosts.ts';
import type { OpeningDeps } from './http/connector.ts';
import { openChecked } from './http/connector.ts';
import { createConnectionFailure, httpFailure } from './http/http-failure.ts';

/**
 * Connects to a checked address of `to.host`. The socket is destroyed when `signal` aborts, connected or not.
 * Rejects with HttpFailure only.
 */
export function connectTcp(
  deps: OpeningDeps,
  to: { host: string; port: number },
  signal: AbortSignal,
  checkHost?: (host: string, port: number) => void,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const host = normalizeHost(to.host);
    const shown = `${isIP(host) === 6 ? `[${host}]` : host}:${to.port}`;
    const onAbort = (): void => reject(httpFailure('timeout', `The connection to ${shown} was canceled`));
    if (signal.aborted) return onAbort();
    checkHost?.(host, to.port);
    signal.addEventListener('abort', onAbort, { once: true });
    openChecked(deps, { host, port: to.port, secure: false }, (...[error, socket]) => {
      signal.removeEventListener('abort', onAbort);
      if (error !== null) return reject(createConnectionFailure(shown, error));
      if (signal.aborted) return void socket.destroy();
      const destroy = (): void => void socket.destroy();
      signal.addEventListener('abort', destroy, { once: true });
      socket.once('close', () => signal.removeEventListener('abort', destroy));
      resolve(socket);
    });
  });
}
