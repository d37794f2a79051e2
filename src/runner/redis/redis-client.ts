import type { Socket } from 'node:net';
import { AbstractConnector, Redis } from 'ioredis';

/** How long the library waits for the end of a closed connection. */
const DISCONNECT_TIMEOUT_MS = 2_000;

/** Creates a client for an open connection. It never reconnects, and keeps the digits of large integers. */
export function createClient(stream: Socket): Redis {
  class OpenConnector extends AbstractConnector {
    constructor() {
      super(DISCONNECT_TIMEOUT_MS);
    }

    async connect() {
      if (stream.destroyed)
        throw Object.assign(new Error('The connection was closed'), { code: 'ECONNRESET' });
      this.stream = stream;
      return stream;
    }
  }
  return new Redis({
    Connector: OpenConnector,
    lazyConnect: true,
    retryStrategy: () => null,
    reconnectOnError: null,
    autoResendUnfulfilledCommands: false,
    autoResubscribe: false,
    enableReadyCheck: false,
    disableClientInfo: true,
    protocol: 2,
    stringNumbers: true,
  });
}
