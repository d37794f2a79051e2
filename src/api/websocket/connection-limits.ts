import { WeftError } from '../../contract/errors.ts';
import { limits } from '../../ports/limits.ts';

export type SocketLimits = {
  readonly sockets: number;
  readonly socketsPerUser: number;
  readonly unauthenticatedSockets: number;
  readonly unauthenticatedSocketsPerAddress: number;
};

/** One open socket as counted by the limits. */
export type SocketReservation = {
  /**
   * Counts the socket for its user; repeated calls have no effect.
   * @throws {WeftError} RATE_LIMITED when the user has too many sockets; the socket then stays
   * unauthenticated.
   */
  assignUser(userId: string): void;
  /** Uncounts the socket. Safe to call twice. */
  release(): void;
};

/** Counts open sockets. Unauthenticated sockets have separate limits, so that they cannot block users. */
export type ConnectionLimits = {
  /** @throws {WeftError} RATE_LIMITED when a limit is reached. */
  reserve(address: string): SocketReservation;
};

export function createConnectionLimits(maximums: SocketLimits = limits): ConnectionLimits {
  const byUser = new Map<string, number>();
  const unauthenticatedByAddress = new Map<string, number>();
  let open = 0;
  let unauthenticated = 0;

  return {
    reserve(address) {
      const { sockets, unauthenticatedSockets, unauthenticatedSocketsPerAddress } = maximums;
      if (open >= sockets)
        throw createLimitError('The service has reached its limit of open connections.', sockets);
      if (unauthenticated >= unauthenticatedSockets)
        throw createLimitError('Too many connections are not yet authenticated.', unauthenticatedSockets);
      if ((unauthenticatedByAddress.get(address) ?? 0) >= unauthenticatedSocketsPerAddress) {
        throw createLimitError(
          'Too many connections from this address are not yet authenticated.',
          unauthenticatedSocketsPerAddress,
        );
      }
      open++;
      unauthenticated++;
      changeCount(unauthenticatedByAddress, address, 1);
      let user: string | null = null;
      let isOpen = true;
      const removeUnauthenticated = (): void => {
        unauthenticated--;
        changeCount(unauthenticatedByAddress, address, -1);
      };
      return {
        assignUser(userId) {
          if (!isOpen || user !== null) return;
          const { socketsPerUser } = maximums;
          if ((byUser.get(userId) ?? 0) >= socketsPerUser)
            throw createLimitError('The user has reached the limit of open connections.', socketsPerUser);
          user = userId;
          changeCount(byUser, userId, 1);
          removeUnauthenticated();
        },
        release() {
          if (!isOpen) return;
          isOpen = false;
          open--;
          if (user === null) removeUnauthenticated();
          else changeCount(byUser, user, -1);
        },
      };
    },
  };
}

/** The error for a limit of `limit` connections. */
export function createLimitError(message: string, limit: number): WeftError {
  return new WeftError('RATE_LIMITED', message, { reason: 'capacity', limit, retry_after: 5 });
}

function changeCount(counts: Map<string, number>, key: string, change: number): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
