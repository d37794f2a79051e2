import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { WebSocketServer } from 'ws';
import { WeftError, createValidationError } from '../../contract/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Ids } from '../../ports/ids.ts';
import { limits } from '../../ports/limits.ts';
import { formatRefusal } from '../http/connection-limits.ts';
import type { HostCheck } from '../http/host-check.ts';
import { createAddressReader } from './client-address.ts';
import { createConnectionRegistry } from './connection-registry.ts';
import { createConnectionLimits, createLimitError, type ConnectionLimits } from './connection-limits.ts';
import type { SocketApi, SocketApis } from './socket-plugin.ts';

/** How long a peer may take to reply to a close, or to read a rejection. */
const CLOSE_TIMEOUT_MS = 3_000;
/** Maximum fragments of an incomplete message, because each costs memory however small it is. */
const MAX_FRAGMENTS = 1_024;

/**
 * Passes each WebSocket to the API of its path and rejects all other upgrades. Pages of any origin may open a
 * socket and send a token; `session-cookie.ts` decides by `Origin` whether the session cookie of the upgrade
 * is accepted.
 */
export function guardUpgrades(
  app: FastifyInstance,
  options: {
    readonly apis: SocketApis;
    readonly trustProxy: readonly string[];
    readonly version: string;
    readonly clock: Clock;
    readonly ids: Ids;
    readonly connectionLimits?: ConnectionLimits;
    readonly hosts: HostCheck | null;
  },
): void {
  const { version, clock, ids } = options;
  const connectionLimits = options.connectionLimits ?? createConnectionLimits();
  const registry = createConnectionRegistry(clock);
  const readAddress = createAddressReader(options.trustProxy);
  const apis = new Map(
    Object.entries(options.apis).map(([path, api]) => [path, { api, server: createWebSocketServer(api) }]),
  );
  let isDraining = false;

  function rejectUpgrade(socket: Duplex, error: WeftError): void {
    socket.resume();
    socket.once('finish', () => clock.after(CLOSE_TIMEOUT_MS, () => socket.destroy()));
    socket.end(formatRefusal(error, version, ids));
  }
  for (const { server } of apis.values()) {
    server.on('headers', (headers) => {
      headers.push(`X-Request-Id: ${ids.next('request')}`, `Weft-Version: ${version}`);
    });
    server.on('wsClientError', (error, socket) =>
      rejectUpgrade(
        socket,
        createValidationError([
          { field: 'upgrade', issue: `is not a valid WebSocket handshake: ${error.message}` },
        ]),
      ),
    );
  }

  app.server.on('upgrade', (request: IncomingMessage, stream: Duplex, head: Buffer) => {
    // A failed socket is destroyed automatically, and `close` follows; an unhandled error would end the
    // process.
    stream.on('error', () => {});
    const entry = apis.get((request.url ?? '').split('?', 1)[0] ?? '');
    const refusal = options.hosts?.refusal(request, undefined) ?? null;
    if (entry === undefined || refusal !== null) {
      rejectUpgrade(stream, refusal ?? new WeftError('NOT_FOUND', 'This path does not serve WebSockets.'));
      return;
    }
    if (stream.destroyed) return;
    try {
      if (isDraining) throw createLimitError('The service is stopping.', 0);
      const address = readAddress(request);
      const reservation = connectionLimits.reserve(address);
      stream.once('close', () => reservation.release());
      entry.server.handleUpgrade(request, stream, head, (socket) => {
        registry.add(socket);
        // The library closes the socket after a protocol error with the matching code.
        socket.on('error', () => {});
        entry.api.accept(socket, {
          request,
          address,
          stream,
          assignUser: (userId) => reservation.assignUser(userId),
        });
      });
    } catch (error) {
      if (!(error instanceof WeftError)) app.log.error({ err: error }, 'WebSocket upgrade failed');
      rejectUpgrade(stream, error instanceof WeftError ? error : new WeftError('INTERNAL_ERROR'));
    }
  });
  app.addHook('preClose', (done) => {
    isDraining = true;
    registry.closeAll();
    done();
  });
}

// Options that the types of the library do not declare yet.
const untypedOptions = {
  maxBufferedChunks: MAX_FRAGMENTS,
  maxFragments: MAX_FRAGMENTS,
  closeTimeout: CLOSE_TIMEOUT_MS,
};

function createWebSocketServer({ protocols }: SocketApi): WebSocketServer {
  return new WebSocketServer({
    noServer: true,
    clientTracking: false,
    // The size of a compressed message cannot be limited, and each socket would need memory for compression.
    perMessageDeflate: false,
    maxPayload: limits.socketMessageBytes,
    ...untypedOptions,
    handleProtocols: (offered) => protocols.find((name) => offered.has(name)) ?? false,
  });
}
