import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';

/** The peer of a socket before authentication. */
export type Peer = {
  readonly request: IncomingMessage;
  /**
   * The address that connections are counted by: behind a trusted proxy, the address that the proxy reports.
   */
  readonly address: string;
  /** The stream below the socket. */
  readonly stream: Duplex;
  /**
   * Counts the socket for a user once it is authenticated. The user never changes; repeated calls have no
   * effect.
   * @throws {WeftError} RATE_LIMITED when the user has too many sockets: report the error and close with
   * 4429.
   */
  assignUser(userId: string): void;
};

/**
 * A WebSocket API. It receives every socket that is opened at its path and implements the protocol.
 * Heartbeats, limits, the message size and closing at a drain are handled by the server.
 */
export type SocketApi = {
  /**
   * Subprotocols; the first one that the client offers is used. Without a common one, the socket has none.
   */
  readonly protocols: readonly string[];
  accept(socket: WebSocket, peer: Peer): void;
};

/** WebSocket APIs by path, such as `/v1/ws`. */
export type SocketApis = Readonly<Record<string, SocketApi>>;
