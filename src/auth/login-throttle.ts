import { WeftError } from '../contract/errors.ts';
import type { Clock } from '../ports/clock.ts';

/** Failures in a row that cost nothing: for one email, and (people behind one address share it) for one address. */
const FREE_BY_EMAIL = 5;
const FREE_BY_ADDRESS = 200;
const FIRST_DELAY = 500;
const MAX_DELAY = 4_000;
/** ms after which failures are forgotten. */
const MEMORY = 15 * 60_000;
const MAX_KEYS = 50_000;
/** Tries that may wait at once: for one email from one address, and in all. */
const MAX_WAITING = 5;
const MAX_WAITING_IN_ALL = 1_000;

/**
 * Slows guessing down without locking anybody out: after five failures in a row for one email (whether it exists or not)
 * each further try waits 0.5 s, 1 s, 2 s, then 4 s before it is looked at; the right password still works. When five tries
 * for one email from one address wait, further ones are refused (429).
 */
export type LoginThrottle = {
  /** Waits as long as this try must. @throws {WeftError} RATE_LIMITED when too many wait already. */
  wait(email: string, address: string): Promise<void>;
  failed(email: string, address: string): void;
  succeeded(email: string): void;
};

type Failures = { count: number; last: number };

export function createLoginThrottle(clock: Clock): LoginThrottle {
  // In the order of the last failure, so that the oldest are at the front.
  const failures = new Map<string, Failures>();
  const waiting = new Map<string, number>();
  let waitingInAll = 0;

  function countOf(key: string): number {
    const entry = failures.get(key);
    return entry === undefined || clock.now() - entry.last > MEMORY ? 0 : entry.count;
  }
  function add(key: string): void {
    const count = countOf(key) + 1;
    failures.delete(key);
    failures.set(key, { count, last: clock.now() });
    for (const [old, entry] of failures) {
      if (failures.size <= MAX_KEYS && clock.now() - entry.last <= MEMORY) break;
      failures.delete(old);
    }
  }
  const emailKey = (email: string): string => `email ${email.toLowerCase()}`;
  const addressKey = (address: string): string => `address ${address}`;

  return {
    async wait(email, address) {
      const delay = Math.max(
        delayAfter(countOf(emailKey(email)) - FREE_BY_EMAIL),
        delayAfter(countOf(addressKey(address)) - FREE_BY_ADDRESS),
      );
      if (delay === 0) return;
      const place = `${email.toLowerCase()} ${address}`;
      const before = waiting.get(place) ?? 0;
      if (before >= MAX_WAITING || waitingInAll >= MAX_WAITING_IN_ALL) {
        throw new WeftError('RATE_LIMITED', 'Too many failed logins; wait a little before the next try.', {
          reason: 'capacity',
          retry_after: Math.ceil(MAX_DELAY / 1000),
        });
      }
      waiting.set(place, before + 1);
      waitingInAll++;
      await new Promise<void>((resolve) => clock.after(delay, resolve));
      waitingInAll--;
      const now = waiting.get(place) ?? 1;
      if (now <= 1) waiting.delete(place);
      else waiting.set(place, now - 1);
    },
    failed(email, address) {
      add(emailKey(email));
      add(addressKey(address));
    },
    succeeded(email) {
      failures.delete(emailKey(email));
    },
  };
}

function delayAfter(over: number): number {
  return over < 0 ? 0 : Math.min(MAX_DELAY, FIRST_DELAY * 2 ** Math.min(over, 10));
}
