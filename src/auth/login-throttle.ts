import { createHmac } from 'node:crypto';
import { WeftError } from '../contract/errors.ts';
import { getClientNetwork } from '../lib/network/client-network.ts';
import { createWriteBehind } from '../lib/async/write-behind.ts';
import type { Bus } from '../ports/bus.ts';
import type { Clock } from '../ports/clock.ts';
import type { LoginFailuresRow, ThrottlingStore } from '../ports/store/accounts/rate-limits.ts';

/** Number of consecutive failures per email without a delay. */
const UNDELAYED_FAILURES = 5;
/**
 * Number of different emails that may fail from one client network within `ADDRESS_WINDOW_MS` before its
 * attempts are delayed, then rejected.
 */
const DELAY_THRESHOLD = 20;
const REJECTION_THRESHOLD = 100;
const ADDRESS_WINDOW_MS = 10 * 60_000;
const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 4_000;
/** How long failures are stored, ms. */
const FAILURE_LIFETIME_MS = 15 * 60_000;
/** Maximum number of emails, addresses, and pairs of both with a successful login. */
const MAX_KEYS = 50_000;
/** Maximum number of waiting attempts: per email and address, and in total. */
const MAX_WAITING = 5;
const MAX_WAITING_IN_ALL = 1_000;
/** Maximum delay until a failure is on disk, ms: however many fail, they are written together. */
const FLUSH_DELAY_MS = 1_000;

export type LoginThrottleDeps = {
  store: Pick<ThrottlingStore, 'saveLoginFailures' | 'loginFailures'>;
  clock: Pick<Clock, 'now' | 'after'>;
  /** The key of the HMAC under which emails are stored: some users type a password in the email field. */
  key: Uint8Array;
  report(message: string, error: unknown): void;
  /** Shares counts with other processes: each counts the failures of all. */
  bus: Bus;
};

/**
 * Slows down password guessing without locking users out: after five consecutive failures for one email
 * (whether or not it exists) each further attempt waits 0.5 s, 1 s, 2 s, then 4 s before it is checked; the
 * correct password still works. When five attempts for one email from one address wait, further ones are
 * rejected (429).
 *
 * From an address at which this email has logged in before, only the failures from there count: guessing from
 * elsewhere does not slow the user down. A client network (an IPv4 address or an IPv6 /64) from which 20
 * different emails failed within ten minutes is delayed in the same way; after 100 it is rejected with 429,
 * except for emails that have logged in there. A login therefore changes nothing for other addresses, and
 * cannot be detected from them.
 */
export type LoginThrottle = {
  /** Waits for the delay of this attempt. @throws {WeftError} RATE_LIMITED when too many wait already. */
  wait(email: string, address: string): Promise<void>;
  failed(email: string, address: string): void;
  succeeded(email: string, address: string): void;
  /** Loads the failures that previous processes counted. */
  open(): Promise<void>;
  /** Writes pending counts. Never rejects. */
  close(): Promise<void>;
};

type Failures = { count: number; last: number };

export function createLoginThrottle(deps: LoginThrottleDeps): LoginThrottle {
  const { store, clock } = deps;
  const byEmail = new Map<string, Failures>();
  /** The last failure of each email, by client network; the oldest first. */
  const byAddress = new Map<string, Map<string, number>>();
  /** Pairs of email and address with a successful login, with their failures since. */
  const byPlace = new Map<string, Failures>();
  const waiting = new Map<string, number>();
  let waitingInAll = 0;

  const disk = createWriteBehind({
    delay: FLUSH_DELAY_MS,
    after: (ms, run) => clock.after(ms, run),
    async write(keys) {
      const rows: LoginFailuresRow[] = [];
      for (const key of keys) {
        const entry = byEmail.get(key);
        if (entry !== undefined) rows.push({ key, count: entry.count, lastAt: entry.last });
      }
      await store.saveLoginFailures(rows, clock.now() - FAILURE_LIFETIME_MS);
    },
    failed: (error) => deps.report('failed logins could not be written', error),
  });

  const hashEmail = (email: string): string =>
    createHmac('sha256', deps.key).update(email.toLowerCase()).digest('base64url');
  const formatSourceKey = (email: string, address: string): string => `${email} ${address}`;

  function countFailures(failures: Map<string, Failures>, key: string): number {
    const entry = failures.get(key);
    // A clock that was set back must not keep a failure.
    return entry === undefined || Math.abs(clock.now() - entry.last) > FAILURE_LIFETIME_MS ? 0 : entry.count;
  }

  function add(failures: Map<string, Failures>, key: string): void {
    const entry = { count: countFailures(failures, key) + 1, last: clock.now() };
    failures.delete(key);
    failures.set(key, entry);
    forget(failures);
  }

  /** The map is in order of the last change: the oldest entries are first. */
  function forget(failures: Map<string, Failures>): void {
    const mayExpire = failures !== byPlace;
    for (const [old, entry] of failures) {
      if (failures.size <= MAX_KEYS && !(mayExpire && clock.now() - entry.last > FAILURE_LIFETIME_MS)) return;
      failures.delete(old);
    }
  }

  function addAccount(email: string, address: string): void {
    const accounts = byAddress.get(address) ?? new Map<string, number>();
    accounts.delete(email);
    accounts.set(email, clock.now());
    for (const [oldest] of accounts) {
      if (accounts.size <= REJECTION_THRESHOLD) break;
      accounts.delete(oldest);
    }
    byAddress.delete(address);
    byAddress.set(address, accounts);
    for (const [oldest] of byAddress) {
      if (byAddress.size <= MAX_KEYS && failedAccounts(oldest).length > 0) break;
      byAddress.delete(oldest);
    }
  }

  /**
   * Returns the times of failures of different emails from this network within the window; the oldest first.
   */
  function failedAccounts(address: string): number[] {
    return [...(byAddress.get(address)?.values() ?? [])].filter(
      (at) => Math.abs(clock.now() - at) <= ADDRESS_WINDOW_MS,
    );
  }

  /** `email` is hashed. */
  function note(email: string, address: string, hasFailed: boolean): void {
    const sourceKey = formatSourceKey(email, address);
    if (hasFailed) {
      if (byPlace.has(sourceKey)) add(byPlace, sourceKey);
      add(byEmail, email);
      addAccount(email, address);
    } else {
      byPlace.delete(sourceKey);
      byPlace.set(sourceKey, { count: 0, last: clock.now() });
      forget(byPlace);
    }
  }
  deps.bus.subscribe('login', ({ email, address, failed }) => note(email, address, failed));

  return {
    async wait(email, clientAddress) {
      const hash = hashEmail(email);
      const address = getClientNetwork(clientAddress);
      const sourceKey = formatSourceKey(hash, address);
      const accounts = failedAccounts(address);
      if (accounts.length >= REJECTION_THRESHOLD && !byPlace.has(sourceKey)) {
        const ends = accounts[0]! + ADDRESS_WINDOW_MS - clock.now();
        throw new WeftError('RATE_LIMITED', 'Too many logins have failed from this address.', {
          reason: 'capacity',
          retry_after: Math.max(1, Math.ceil(ends / 1000)),
        });
      }
      const ofEmail = byPlace.has(sourceKey)
        ? countFailures(byPlace, sourceKey)
        : countFailures(byEmail, hash);
      const delay = Math.max(
        delayAfter(ofEmail - UNDELAYED_FAILURES),
        delayAfter(accounts.length - DELAY_THRESHOLD),
      );
      if (delay === 0) return;
      const before = waiting.get(sourceKey) ?? 0;
      if (before >= MAX_WAITING || waitingInAll >= MAX_WAITING_IN_ALL) {
        throw new WeftError('RATE_LIMITED', 'Too many failed logins; wait before the next attempt.', {
          reason: 'capacity',
          retry_after: Math.ceil(MAX_DELAY_MS / 1000),
        });
      }
      waiting.set(sourceKey, before + 1);
      waitingInAll++;
      await new Promise<void>((resolve) => clock.after(delay, resolve));
      waitingInAll--;
      const now = waiting.get(sourceKey) ?? 1;
      if (now <= 1) waiting.delete(sourceKey);
      else waiting.set(sourceKey, now - 1);
    },
    failed(email, clientAddress) {
      const hash = hashEmail(email);
      const address = getClientNetwork(clientAddress);
      note(hash, address, true);
      deps.bus.publish('login', { email: hash, address, failed: true });
      disk.mark(hash);
    },
    succeeded(email, clientAddress) {
      const hash = hashEmail(email);
      const address = getClientNetwork(clientAddress);
      note(hash, address, false);
      deps.bus.publish('login', { email: hash, address, failed: false });
    },
    async open() {
      const rows = await store.loginFailures(clock.now() - FAILURE_LIFETIME_MS, MAX_KEYS);
      for (const { key, count, lastAt } of rows.reverse()) byEmail.set(key, { count, last: lastAt });
    },
    close: () => disk.close(),
  };
}

function delayAfter(over: number): number {
  return over < 0 ? 0 : Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(over, 10));
}
