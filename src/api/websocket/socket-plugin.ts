import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';

/** Who opened a socket, as far as it is known before a credential was proved. */
export type Peer = {
  readonly request: IncomingMessage;
  /** Where it comes from, as connections are counted: behind a trusted proxy the address that the proxy names. */
  readonly address: string;
  /** What the socket runs on. */
  readonly stream: Duplex;
  /**
   * To be called when a credential was proved: from then on the socket counts for its user, whom it never changes. Again is fine.
   * @throws {WeftError} RATE_LIMITED when the user has as many as one may have: tell it, and close with 4429.
   */
  proved(userId: string): void;
};

/**
 * A way in over WebSocket. It gets every socket that was opened at its path, and says what is spoken there. Heartbeat, caps,
 * the bound on a message and the close at a drain are seen to before and around it.
 */
export type SocketApi = {
  /** Subprotocols; the first that the client offers is taken. Without a common one the socket has none. */
  readonly protocols: readonly string[];
  accept(socket: WebSocket, peer: Peer): void;
};

/** By path: `/v1/ws`. */
export type SocketApis = Readonly<Record<string, SocketApi>>;
