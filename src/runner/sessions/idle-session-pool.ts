import type { Socket } from 'node:net';
import type { Clock } from '../../ports/clock.ts';
import { limits } from '../../ports/limits.ts';

/** How long an idle session is kept. */
const IDLE_TIMEOUT_MS = 10_000;

/**
 * An authenticated connection. `end` sends the termination message of the protocol, without waiting for a
 * response.
 */
export type Session = { readonly socket: Socket; end(): void };

/** Idle sessions that can be reused, by key. The oldest one is closed when the pool is full. */
export class IdleSessionPool<S extends Session> {
  readonly #clock: Pick<Clock, 'after'>;
  readonly #idle = new Map<S, { key: string; place: string; cancel(): void; onClose: () => void }>();

  constructor(clock: Pick<Clock, 'after'>) {
    this.#clock = clock;
  }

  /** Takes the most recently used session. */
  take(key: string): S | null {
    let found: S | null = null;
    for (const [session, entry] of this.#idle)
      if (entry.key === key && !session.socket.destroyed) found = session;
    if (found !== null) this.#forget(found);
    return found;
  }

  keep(key: string, reservation: string, session: S): void {
    const [oldest] = this.#idle.keys();
    if (this.#idle.size >= limits.idleSqlConnections && oldest !== undefined) this.#end(oldest);
    const onClose = (): void => this.#forget(session);
    session.socket.once('close', onClose);
    this.#idle.set(session, {
      key,
      place: reservation,
      onClose,
      cancel: this.#clock.after(IDLE_TIMEOUT_MS, () => this.#end(session)),
    });
  }

  /**
   * Closes the oldest idle sessions of a server down to a limit, so that idle sessions with other keys do not
   * block a new one.
   */
  trim(reservation: string, most: number): void {
    const there = [...this.#idle].filter(([, entry]) => entry.place === reservation);
    for (const [session] of there.slice(0, Math.max(0, there.length - most))) this.#end(session);
  }

  close(): void {
    for (const session of this.#idle.keys()) this.#end(session);
  }

  #end(session: S): void {
    this.#forget(session);
    endSession(session);
  }

  #forget(session: S): void {
    const entry = this.#idle.get(session);
    if (entry === undefined) return;
    this.#idle.delete(session);
    entry.cancel();
    session.socket.off('close', entry.onClose);
  }
}

/** Ends a session without waiting for a response. */
export function endSession(session: Session): void {
  session.end();
  session.socket.end(() => session.socket.destroy());
}
