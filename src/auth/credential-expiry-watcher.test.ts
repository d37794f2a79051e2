import { expect, test } from 'vitest';
import type { WeftError } from '../contract/errors.ts';
import type { Principal } from '../contract/principal.ts';
import { ManualClock } from '../../test/support/time/manual-clock.ts';
import type { CredentialKind } from './credential-kinds.ts';
import { createCredentialExpiryWatcher } from './credential-expiry-watcher.ts';
import { createPrincipalCache } from './principal-cache.ts';

/** A session of user a, unless told otherwise. */
function session(sessionId: string, more: Partial<Principal> = {}): Principal {
  return { userId: 'a', role: 'member', plan: 'pro', scopes: null, via: 'session', sessionId, ...more };
}

/** A watch over sessions that are alive while `alive` has them; `reads` are those made. */
function setUp() {
  const clock = new ManualClock();
  const cache = createPrincipalCache();
  const alive = new Set(['s1', 's2']);
  const reads: string[] = [];
  const errors: unknown[] = [];
  let respond = (id: string): Promise<boolean> => Promise.resolve(alive.has(id));
  const kind: CredentialKind = {
    getId: ({ sessionId }) => sessionId ?? '',
    isAlive: ({ sessionId }) => {
      reads.push(sessionId ?? '');
      return respond(sessionId ?? '');
    },
    ended: 'ended',
    expired: 'expired',
  };
  const watch = createCredentialExpiryWatcher({
    kinds: { session: kind },
    cache,
    clock,
    onError: (error) => errors.push(error),
  });
  const ends: string[] = [];
  const start = (principal: Principal, name = principal.sessionId ?? ''): (() => void) =>
    watch.watch(principal, (error: WeftError) => ends.push(`${name}: ${error.code} ${error.message}`));
  return {
    clock,
    cache,
    alive,
    reads,
    errors,
    ends,
    start,
    answerWith: (next: typeof respond) => (respond = next),
  };
}
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
async function pass(clock: ManualClock, seconds: number): Promise<void> {
  for (let i = 0; i < seconds; i++) {
    clock.advance(1_000);
    await turn();
  }
}

test('a credential that this process ends is reported immediately, to its watchers only', async () => {
  const { cache, alive, ends, start } = setUp();
  start(session('s1'), 'one');
  start(session('s1'), 'two');
  start(session('s2'));
  alive.delete('s1');
  cache.forget({ sessionId: 's1' });
  await turn();
  expect(ends).toEqual(['one: UNAUTHORIZED ended', 'two: UNAUTHORIZED ended']);
});

test('a signal without an end changes nothing', async () => {
  const { cache, ends, start } = setUp();
  start(session('s1'));
  cache.forget({ sessionId: 's1' });
  cache.forget({ userId: 'a' });
  await turn();
  expect(ends).toEqual([]);
});

test('what others end shows within 5 s, by one read in that time however many watch', async () => {
  const { clock, alive, reads, ends, start } = setUp();
  for (let i = 0; i < 1_000; i++) start(session('s1'), `w${i}`);
  await turn();
  expect(reads).toEqual(['s1']);
  await pass(clock, 20);
  expect(reads.length).toBeGreaterThanOrEqual(5);
  expect(reads.length).toBeLessThanOrEqual(6);
  alive.delete('s1');
  await pass(clock, 5);
  expect(ends).toHaveLength(1_000);
});

test('what ended before the watch began', async () => {
  const { ends, start } = setUp();
  start(session('s3'));
  expect(ends).toEqual([]);
  await turn();
  expect(ends).toEqual(['s3: UNAUTHORIZED ended']);
});

test('a signal while a read is under way makes another read', async () => {
  const { cache, ends, start, answerWith } = setUp();
  const responses: ((alive: boolean) => void)[] = [];
  answerWith(() => new Promise((resolve) => responses.push(resolve)));
  start(session('s1'));
  cache.forget({ sessionId: 's1' });
  expect(responses).toHaveLength(1);
  responses[0]!(true);
  await turn();
  expect(responses).toHaveLength(2);
  responses[1]!(false);
  await turn();
  expect(ends).toEqual(['s1: UNAUTHORIZED ended']);
});

test('each ends at its own time, also when the clock is set', async () => {
  const { clock, ends, start } = setUp();
  const now = clock.now();
  start(session('s1', { expiresAt: now + 10_000 }), 'early');
  start(session('s1', { expiresAt: now + 3_600_000 }), 'late');
  start(session('s2', { expiresAt: now + 2 ** 40 }), 'years');
  start(session('s2', { expiresAt: now - 1 }), 'over');
  expect(ends).toEqual([]);
  await pass(clock, 9);
  expect(ends).toEqual(['over: UNAUTHORIZED expired']);
  await pass(clock, 1);
  expect(ends).toEqual(['over: UNAUTHORIZED expired', 'early: UNAUTHORIZED expired']);
  clock.advance(3_600_000);
  await turn();
  expect(ends.at(-1)).toBe('late: UNAUTHORIZED expired');
  expect(ends).toHaveLength(3);
});

test('a stopped watcher is not called, and without watchers nothing is read', async () => {
  const { clock, cache, alive, reads, ends, start } = setUp();
  const stop = start(session('s1', { expiresAt: clock.now() + 1_000 }));
  await turn();
  stop();
  stop();
  alive.clear();
  cache.forget({ sessionId: 's1' });
  await pass(clock, 30);
  expect([ends, reads]).toEqual([[], ['s1']]);
});

test('a read that fails is tried again; when it keeps failing the credential counts as ended', async () => {
  const { clock, errors, ends, start, answerWith } = setUp();
  answerWith(() => Promise.reject(new Error('the disk')));
  start(session('s1'));
  await pass(clock, 12);
  expect(ends).toEqual([]);
  expect(errors.length).toBeGreaterThanOrEqual(3);
  answerWith(() => Promise.resolve(true));
  await pass(clock, 5);
  answerWith(() => Promise.reject(new Error('the disk')));
  await pass(clock, 19);
  expect(ends).toEqual([]);
  await pass(clock, 10);
  expect(ends).toEqual(['s1: UNAUTHORIZED ended']);
});

test('an unknown credential kind is never valid', async () => {
  const { ends, start } = setUp();
  start(session('s1', { via: 'oauth' }), 'kept');
  start(session('s1', { via: 'oauth' }), 'left')();
  await turn();
  expect(ends).toEqual(['kept: UNAUTHORIZED The credential is no longer valid.']);
});

test('many credentials are read a few at a time', async () => {
  const { clock, start, reads, answerWith } = setUp();
  let under = 0;
  let most = 0;
  for (let i = 0; i < 500; i++) start(session(`m${i}`));
  answerWith(async () => {
    most = Math.max(most, ++under);
    await turn();
    under--;
    return true;
  });
  reads.length = 0;
  // The first reads of all ended them; those that begin now stay.
  await turn();
  for (let i = 0; i < 500; i++) start(session(`n${i}`));
  for (let i = 0; i < 30; i++) await turn();
  most = 0;
  reads.length = 0;
  for (let i = 0; i < 5; i++) {
    clock.advance(1_000);
    for (let j = 0; j < 30; j++) await turn();
  }
  expect(new Set(reads).size).toBe(500);
  expect(most).toBeLessThanOrEqual(50);
});
