import type { Clock } from '../../ports/clock.ts';
import { limits } from '../../ports/limits.ts';
import type { Session } from '../postgres/postgres-session.ts';

/** How long a session waits for its next statement, ms. */
const IDLE_MS = 10_000;

/** Sessions that are as new and wait to be used again, by who may use them. The oldest makes room for the newest. */
export class IdleSessionPool {
  readonly #clock: Pick<Clock, 'after'>;
  readonly #idle = new Map<Session, { key: string; place: string; cancel(): void; onClose: () => void }>();

  constructor(clock: Pick<Clock, 'after'>) {
    this.#clock = clock;
  }

  /** The one that was used last. */
  take(key: string): Session | null {
    let found: Session | null = null;
    for (const [session, entry] of this.#idle)
      if (entry.key === key && !session.socket.destroyed) found = session;
    if (found !== null) this.#forget(found);
    return found;
  }

  keep(key: string, place: string, session: Session): void {
    const [oldest] = this.#idle.keys();
    if (this.#idle.size >= limits.sqlIdle && oldest !== undefined) this.#end(oldest);
    const onClose = (): void => this.#forget(session);
    session.socket.once('close', onClose);
    this.#idle.set(session, {
      key,
      place,
      onClose,
      cancel: this.#clock.after(IDLE_MS, () => this.#end(session)),
    });
  }

  /** Ends the oldest of a place until so many wait. What waits there for other keys must not keep a new one out. */
  trim(place: string, most: number): void {
    const there = [...this.#idle].filter(([, entry]) => entry.place === place);
    for (const [session] of there.slice(0, Math.max(0, there.length - most))) this.#end(session);
  }

  close(): void {
    for (const session of this.#idle.keys()) this.#end(session);
  }

  #end(session: Session): void {
    this.#forget(session);
    endSession(session);
  }

  #forget(session: Session): void {
    const entry = this.#idle.get(session);
    if (entry === undefined) return;
    this.#idle.delete(session);
    entry.cancel();
    session.socket.off('close', entry.onClose);
  }
}

/** Says goodbye, and does not wait for an answer. */
export function endSession({ client, socket }: Session): void {
  client.end().catch(() => {});
  socket.end(() => socket.destroy());
}
