import { createHmac } from 'node:crypto';
import { WeftError } from '../contract/errors.ts';
import { clientNetwork } from '../lib/network/client-network.ts';
import { createWriteBehind } from '../lib/async/write-behind.ts';
import type { Bus } from '../ports/bus.ts';
import type { Clock } from '../ports/clock.ts';
import type { LoginFailuresRow, ThrottlingStore } from '../ports/store/rate-limits.ts';

/** Failures in a row for one email that cost nothing. */
const FREE_BY_EMAIL = 5;
/** Different emails that may fail from one client network within `ADDRESS_WINDOW_MS` before its tries are delayed, then refused. */
const DELAYED_FROM_ACCOUNTS = 20;
const REFUSED_FROM_ACCOUNTS = 100;
const ADDRESS_WINDOW_MS = 10 * 60_000;
const FIRST_DELAY = 500;
const MAX_DELAY = 4_000;
/** ms after which failures are forgotten. */
const MEMORY = 15 * 60_000;
/** Emails, addresses, and places from which somebody logged in, that are remembered at once. */
const MAX_KEYS = 50_000;
/** Tries that may wait at once: for one email from one address, and in all. */
const MAX_WAITING = 5;
const MAX_WAITING_IN_ALL = 1_000;
/** ms from a failure to its count being on disk: however many fail, it is one write in that time. */
const FLUSH = 1_000;

export type LoginThrottleDeps = {
  store: Pick<ThrottlingStore, 'saveLoginFailures' | 'loginFailures'>;
  clock: Pick<Clock, 'now' | 'after'>;
  /** Emails are stored as what this makes of them: some that people type are passwords. */
  key: Uint8Array;
  report(message: string, error: unknown): void;
  /** Other processes: each counts what all of them see. */
  bus: Bus;
};

/**
 * Slows guessing down without locking anybody out: after five failures in a row for one email (whether it exists or not)
 * each further try waits 0.5 s, 1 s, 2 s, then 4 s before it is looked at; the right password still works. When five tries
 * for one email from one address wait, further ones are refused (429).
 *
 * From an address at which this email has logged in before, only the failures from there count: whoever guesses elsewhere
 * slows himself. A client network (an IPv4 address or an IPv6 /64) at which 20 different emails failed within ten minutes is
 * delayed in the same way; after 100 it is refused with 429, except for emails that have logged in there. A login therefore changes nothing for other addresses, and nobody there can tell that it happened.
 */
export type LoginThrottle = {
  /** Waits as long as this try must. @throws {WeftError} RATE_LIMITED when too many wait already. */
  wait(email: string, address: string): Promise<void>;
  failed(email: string, address: string): void;
  succeeded(email: string, address: string): void;
  /** Takes up the failures that earlier processes saw. */
  open(): Promise<void>;
  /** Writes what is not on disk yet. Never rejects. */
  close(): Promise<void>;
};

type Failures = { count: number; last: number };

export function createLoginThrottle(deps: LoginThrottleDeps): LoginThrottle {
  const { store, clock } = deps;
  const byEmail = new Map<string, Failures>();
  /** When each email last failed, by client network; the oldest failure first. */
  const byAddress = new Map<string, Map<string, number>>();
  /** Places (an email at an address) that have logged in, with the failures there since. */
  const byPlace = new Map<string, Failures>();
  const waiting = new Map<string, number>();
  let waitingInAll = 0;

  const disk = createWriteBehind({
    delay: FLUSH,
    after: (ms, run) => clock.after(ms, run),
    async write(keys) {
      const rows: LoginFailuresRow[] = [];
      for (const key of keys) {
        const entry = byEmail.get(key);
        if (entry !== undefined) rows.push({ key, count: entry.count, lastAt: entry.last });
      }
      await store.saveLoginFailures(rows, clock.now() - MEMORY);
    },
    failed: (error) => deps.report('failed logins could not be written', error),
  });

  const emailOf = (email: string): string =>
    createHmac('sha256', deps.key).update(email.toLowerCase()).digest('base64url');
  const placeOf = (email: string, address: string): string => `${email} ${address}`;

  function countOf(failures: Map<string, Failures>, key: string): number {
    const entry = failures.get(key);
    // A clock that was set back must not make a failure last.
    return entry === undefined || Math.abs(clock.now() - entry.last) > MEMORY ? 0 : entry.count;
  }

  function add(failures: Map<string, Failures>, key: string): void {
    const entry = { count: countOf(failures, key) + 1, last: clock.now() };
    failures.delete(key);
    failures.set(key, entry);
    forget(failures);
  }

  /** A map in the order of the last change: the oldest are at the front. */
  function forget(failures: Map<string, Failures>): void {
    const mayExpire = failures !== byPlace;
    for (const [old, entry] of failures) {
      if (failures.size <= MAX_KEYS && !(mayExpire && clock.now() - entry.last > MEMORY)) return;
      failures.delete(old);
    }
  }

  function addAccount(email: string, address: string): void {
    const accounts = byAddress.get(address) ?? new Map<string, number>();
    accounts.delete(email);
    accounts.set(email, clock.now());
    for (const [oldest] of accounts) {
      if (accounts.size <= REFUSED_FROM_ACCOUNTS) break;
      accounts.delete(oldest);
    }
    byAddress.delete(address);
    byAddress.set(address, accounts);
    for (const [oldest] of byAddress) {
      if (byAddress.size <= MAX_KEYS && failedAccounts(oldest).length > 0) break;
      byAddress.delete(oldest);
    }
  }

  /** When the different emails failed from this network within the window; the oldest first. */
  function failedAccounts(address: string): number[] {
    return [...(byAddress.get(address)?.values() ?? [])].filter(
      (at) => Math.abs(clock.now() - at) <= ADDRESS_WINDOW_MS,
    );
  }

  /** `email` as its hash. */
  function note(email: string, address: string, hasFailed: boolean): void {
    const place = placeOf(email, address);
    if (hasFailed) {
      if (byPlace.has(place)) add(byPlace, place);
      add(byEmail, email);
      addAccount(email, address);
    } else {
      byPlace.delete(place);
      byPlace.set(place, { count: 0, last: clock.now() });
      forget(byPlace);
    }
  }
  deps.bus.subscribe('login', ({ email, address, failed }) => note(email, address, failed));

  return {
    async wait(email, clientAddress) {
      const hash = emailOf(email);
      const address = clientNetwork(clientAddress);
      const place = placeOf(hash, address);
      const accounts = failedAccounts(address);
      if (accounts.length >= REFUSED_FROM_ACCOUNTS && !byPlace.has(place)) {
        const ends = accounts[0]! + ADDRESS_WINDOW_MS - clock.now();
        throw new WeftError('RATE_LIMITED', 'Too many logins have failed from this address.', {
          reason: 'capacity',
          retry_after: Math.max(1, Math.ceil(ends / 1000)),
        });
      }
      const ofEmail = byPlace.has(place) ? countOf(byPlace, place) : countOf(byEmail, hash);
      const delay = Math.max(
        delayAfter(ofEmail - FREE_BY_EMAIL),
        delayAfter(accounts.length - DELAYED_FROM_ACCOUNTS),
      );
      if (delay === 0) return;
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
    failed(email, clientAddress) {
      const hash = emailOf(email);
      const address = clientNetwork(clientAddress);
      note(hash, address, true);
      deps.bus.publish('login', { email: hash, address, failed: true });
      disk.mark(hash);
    },
    succeeded(email, clientAddress) {
      const hash = emailOf(email);
      const address = clientNetwork(clientAddress);
      note(hash, address, false);
      deps.bus.publish('login', { email: hash, address, failed: false });
    },
    async open() {
      const rows = await store.loginFailures(clock.now() - MEMORY, MAX_KEYS);
      for (const { key, count, lastAt } of rows.reverse()) byEmail.set(key, { count, last: lastAt });
    },
    close: () => disk.close(),
  };
}

function delayAfter(over: number): number {
  return over < 0 ? 0 : Math.min(MAX_DELAY, FIRST_DELAY * 2 ** Math.min(over, 10));
}
