import { createInProcessBuses } from '../coordination/in-process/bus.ts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ManualClock } from '../../test/support/time/manual-clock.ts';
import type { ThrottlingStore } from '../ports/store/accounts/rate-limits.ts';
import { createTempStore } from '../../test/support/temporary-store.ts';
import { createLoginThrottle, type LoginThrottle } from './login-throttle.ts';

const HERE = '192.0.2.1';
const THERE = '203.0.113.9';
const email = 'Ada@example.com';

let clock: ManualClock;
let kept: Awaited<ReturnType<typeof createTempStore>>;
let throttle: LoginThrottle;
let writes: number;
let written: Promise<void> = Promise.resolve();
beforeEach(async () => {
  clock = new ManualClock();
  kept = await createTempStore();
  writes = 0;
  throttle = await open();
});
afterEach(async () => {
  await throttle.close();
  await kept.close();
});

async function open(key = 1): Promise<LoginThrottle> {
  const { store } = kept;
  const made = createLoginThrottle({
    bus: createInProcessBuses(() => {}).join(),
    store: {
      loginFailures: (...args: Parameters<ThrottlingStore['loginFailures']>) =>
        store.throttling.loginFailures(...args),
      saveLoginFailures: (...args: Parameters<ThrottlingStore['saveLoginFailures']>) => {
        writes++;
        return (written = store.throttling.saveLoginFailures(...args));
      },
    },
    clock,
    key: Buffer.alloc(32, key),
    report: (message, error) => {
      throw new Error(message, { cause: error });
    },
  });
  await made.open();
  return made;
}

/** ms that a try would have to wait; 429 when it is refused. */
async function measureDelay(who: string, address: string): Promise<number> {
  const began = clock.now();
  const ended: number[] = [];
  const wait = throttle.wait(who, address).then(
    () => ended.push(clock.now() - began),
    () => ended.push(429),
  );
  for (let i = 0; i < 100 && ended.length === 0; i++) {
    await Promise.resolve();
    await Promise.resolve();
    if (ended.length === 0) clock.advance(100);
  }
  await wait;
  return ended[0]!;
}
function fail(who: string, address: string, n: number): void {
  for (let i = 0; i < n; i++) throttle.failed(who, address);
}
/** What was to be written is. */
async function settle(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  await written;
  await new Promise((resolve) => setImmediate(resolve));
}

test('five failures are free, then tries wait longer and longer, but never for ever', async () => {
  const waits: number[] = [];
  for (let i = 0; i < 12; i++) {
    waits.push(await measureDelay(email, HERE));
    throttle.failed(email, HERE);
  }
  expect(waits).toEqual([0, 0, 0, 0, 0, 500, 1000, 2000, 4000, 4000, 4000, 4000]);
  fail(email, HERE, 1_000_000 / 1_000);
  expect(await measureDelay(email, THERE)).toBe(4_000);
  clock.advance(15 * 60_000 + 1);
  expect(await measureDelay(email, HERE)).toBe(0);
});

test('emails count without regard to case, and each for itself', async () => {
  fail(email.toUpperCase(), HERE, 6);
  expect(await measureDelay(email.toLowerCase(), THERE)).toBe(1_000);
  expect(await measureDelay('other@example.com', HERE)).toBe(0);
});

test('one address that tries many emails is slowed too', async () => {
  for (let i = 0; i < 21; i++) throttle.failed(`u${i}@example.com`, HERE);
  expect(await measureDelay('new@example.com', HERE)).toBe(1_000);
  expect(await measureDelay('new@example.com', THERE)).toBe(0);
});

test('an address with 100 failures of different emails is rejected for ten minutes, except for users who logged in there', async () => {
  throttle.succeeded(email, HERE);
  for (let i = 0; i < 99; i++) throttle.failed(`u${i}@example.com`, HERE);
  expect(await measureDelay('new@example.com', HERE)).toBe(4_000);
  throttle.failed('u99@example.com', HERE);
  expect(await measureDelay('new@example.com', HERE)).toBe(429);
  expect(await measureDelay(email, HERE)).toBe(4_000);
  expect(await measureDelay('new@example.com', THERE)).toBe(0);
  clock.advance(10 * 60_000 + 1);
  expect(await measureDelay('new@example.com', HERE)).toBe(0);
});

test('all addresses of one IPv6 /64 count as one', async () => {
  for (let i = 0; i < 100; i++) throttle.failed(`u${i}@example.com`, `2001:db8::${i.toString(16)}`);
  expect(await measureDelay('new@example.com', '2001:db8::ffff')).toBe(429);
  expect(await measureDelay('new@example.com', '2001:db8:0:1::1')).toBe(0);
});

test('a user with a successful login from an address is not delayed there by failures from elsewhere', async () => {
  throttle.succeeded(email, HERE);
  fail(email, THERE, 500);
  for (let i = 0; i < 3; i++) expect(await measureDelay(email, HERE)).toBe(0);
  expect(await measureDelay(email, THERE)).toBe(4_000);
  // Guessing from the person's own address is slowed like anywhere else.
  fail(email, HERE, 5);
  expect(await measureDelay(email, HERE)).toBe(500);
  throttle.succeeded(email, HERE);
  expect(await measureDelay(email, HERE)).toBe(0);
});

test('a login from another address cannot be detected', async () => {
  const seen: number[][] = [];
  for (const isKnown of [true, false]) {
    const who = `${isKnown}@example.com`;
    fail(who, THERE, 6);
    const waits = [await measureDelay(who, THERE)];
    if (isKnown) throttle.succeeded(who, HERE);
    waits.push(await measureDelay(who, THERE));
    fail(who, THERE, 1);
    waits.push(await measureDelay(who, THERE));
    seen.push(waits);
  }
  expect(seen[0]).toEqual(seen[1]);
});

test('a crash loses the failures of the last second at most; a stop loses none', async () => {
  fail(email, HERE, 7);
  expect(writes).toBe(0);
  clock.advance(1_000);
  await settle();
  expect(writes).toBe(1);
  fail(email, HERE, 1);
  // Killed here: the eighth is lost.
  const killed = throttle;
  throttle = await open();
  expect(await measureDelay(email, THERE)).toBe(2_000);
  throttle.failed(email, THERE);
  await throttle.close();
  await kept.reopen();
  throttle = await open();
  expect(await measureDelay(email, THERE)).toBe(4_000);
  clock.advance(15 * 60_000);
  throttle = await open();
  expect(await measureDelay(email, THERE)).toBe(0);
  await killed.close();
});

test('only failures write, however many: once a second', async () => {
  for (let i = 0; i < 2_500; i++) throttle.failed(`u${i % 500}@example.com`, HERE);
  for (let i = 0; i < 100; i++) throttle.succeeded(`u${i}@example.com`, THERE);
  clock.advance(1_000);
  await settle();
  expect(writes).toBe(1);
  clock.advance(60_000);
  await settle();
  expect(writes).toBe(1);
  const rows = await kept.store.throttling.loginFailures(0, 9_999);
  expect(rows).toHaveLength(500);
  expect(rows.every((row) => row.count === 5)).toBe(true);
});

test('no data on disk reveals the email', async () => {
  const typed = 'my secret password, in the wrong field';
  throttle.failed(typed, HERE);
  await throttle.close();
  const [row] = await kept.store.throttling.loginFailures(0, 9);
  expect(JSON.stringify(row)).not.toContain('secret');
  throttle = await open(2);
  throttle.failed(typed, HERE);
  await throttle.close();
  expect(new Set((await kept.store.throttling.loginFailures(0, 9)).map((each) => each.key)).size).toBe(2);
});

test('five tries of one email from one address wait; the next is refused, and the places come back', async () => {
  fail(email, THERE, 9);
  const tries = Array.from({ length: 6 }, () => throttle.wait(email, THERE));
  const last = tries.pop();
  await expect(last).rejects.toMatchObject({ code: 'RATE_LIMITED', details: { reason: 'capacity' } });
  // Another address has places of its own.
  const elsewhere = throttle.wait(email, HERE);
  clock.advance(4_000);
  await Promise.all([...tries, elsewhere]);
  expect(await measureDelay(email, THERE)).toBe(4_000);
});

test('a clock that is set back does not make failures last', async () => {
  let now = 10 * 3_600_000;
  const delays: number[] = [];
  const other = createLoginThrottle({
    bus: createInProcessBuses(() => {}).join(),
    store: kept.store.throttling,
    clock: { now: () => now, after: (ms, run) => (delays.push(ms), run(), () => {}) },
    key: Buffer.alloc(32),
    report: () => {},
  });
  for (let i = 0; i < 9; i++) other.failed(email, HERE);
  now -= 3_600_000;
  await other.wait(email, HERE);
  expect(delays.every((ms) => ms < 60_000)).toBe(true);
});
