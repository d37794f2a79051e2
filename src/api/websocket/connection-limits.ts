import { WeftError } from '../../contract/errors.ts';
import { limits } from '../../ports/limits.ts';

export type SocketLimits = {
  readonly sockets: number;
  readonly socketsPerUser: number;
  readonly unprovedSockets: number;
  readonly unprovedSocketsPerAddress: number;
};

/** The place of one socket among those that are open. */
export type SocketReservation = {
  /**
   * Counts the socket for its user; again is fine.
   * @throws {WeftError} RATE_LIMITED when he has as many as one may have; it stays unproved until it leaves.
   */
  proved(userId: string): void;
  /** Safe to call twice. */
  leave(): void;
};

/** Counts the open sockets. Those that have not said who they are have bounds of their own, so that they cannot keep users out. */
export type ConnectionLimits = {
  /** @throws {WeftError} RATE_LIMITED when there is no room. */
  enter(address: string): SocketReservation;
};

export function createConnectionLimits(bounds: SocketLimits = limits): ConnectionLimits {
  const byUser = new Map<string, number>();
  const unprovedByAddress = new Map<string, number>();
  let open = 0;
  let unproved = 0;

  return {
    enter(address) {
      const { sockets, unprovedSockets, unprovedSocketsPerAddress } = bounds;
      if (open >= sockets) throw full('The service has as many connections open as it takes.', sockets);
      if (unproved >= unprovedSockets)
        throw full('Too many connections have not sent their credential yet.', unprovedSockets);
      if ((unprovedByAddress.get(address) ?? 0) >= unprovedSocketsPerAddress) {
        throw full(
          'Too many connections of this address have not sent their credential yet.',
          unprovedSocketsPerAddress,
        );
      }
      open++;
      unproved++;
      add(unprovedByAddress, address, 1);
      let user: string | null = null;
      let isOpen = true;
      const noLongerUnproved = (): void => {
        unproved--;
        add(unprovedByAddress, address, -1);
      };
      return {
        proved(userId) {
          if (!isOpen || user !== null) return;
          const { socketsPerUser } = bounds;
          if ((byUser.get(userId) ?? 0) >= socketsPerUser)
            throw full('The user has as many connections open as one may have.', socketsPerUser);
          user = userId;
          add(byUser, userId, 1);
          noLongerUnproved();
        },
        leave() {
          if (!isOpen) return;
          isOpen = false;
          open--;
          if (user === null) noLongerUnproved();
          else add(byUser, user, -1);
        },
      };
    },
  };
}

/** The error of a cap: `limit` connections are open. */
export function full(message: string, limit: number): WeftError {
  return new WeftError('RATE_LIMITED', message, { reason: 'capacity', limit, retry_after: 5 });
}

function add(counts: Map<string, number>, key: string, change: number): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
