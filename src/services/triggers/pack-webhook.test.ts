import { expect, test } from 'vitest';
import type { PackTriggerCall } from '../../contract/packs/pack-call.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import type { ClaimedPoll } from '../../ports/store/polling.ts';
import { readCursor, servePackWebhook, type PackWebhookSteps, type Renewal } from './pack-webhook.ts';
import type { PolledItem } from './poll-items.ts';
import { PollFailure } from './poll-starts.ts';

const NOW = 1_000_000;

/** Serves a registered trigger for which a request with one item was received. */
function serve(options: {
  failures: number;
  key?: string;
  renewAt?: number;
  renewal?: Renewal;
  call?: (trigger: PackTriggerCall) => Promise<Json>;
}) {
  const {
    failures,
    key,
    renewAt = null,
    renewal = null,
    call = () => Promise.resolve({ items: [{ id: 1 }], state: { n: 2 } }),
  } = options;
  const started: PolledItem[] = [];
  const cursor = JSON.stringify({ address: 'a', state: { n: 1 }, renewAt });
  const spec: JsonObject = key === undefined ? {} : { key };
  const steps: PackWebhookSteps = {
    register: () => Promise.resolve('a'),
    toUrl: (address) => `https://weft.example.com/${address}`,
    call,
    firstRequest: () => Promise.resolve({ id: 'r', receivedAt: NOW - 10, request: { method: 'POST' } }),
    seen: () => Promise.resolve([]),
    start(items) {
      started.push(...items);
      return Promise.resolve(true);
    },
  };
  const poll = { cursor, number: 1, failures } as unknown as ClaimedPoll;
  return { started, ended: servePackWebhook(spec, poll, renewal, NOW, steps) };
}

test.each([
  ['a path that an item lacks', 'missing'],
  ['an expression that fails', '{{ item.missing + 1 }}'],
])('a key that is %s discards its request at the last attempt', async (_, key) => {
  await expect(serve({ failures: 0, key }).ended).rejects.toThrow();
  await expect(serve({ failures: 6, key }).ended).rejects.toThrow();
  const { started, ended } = serve({ failures: 7, key });
  const { takes, lastError, cursor } = await ended;
  expect(takes).toMatchObject({ id: 'r' });
  expect(lastError).toContain('was discarded after 8 attempts');
  // What the pack keeps is that of the request before.
  expect(readCursor(cursor!).state).toEqual({ n: 1 });
  expect(started).toEqual([]);
});

test('a renewal that fails does not hold up requests, and is tried again later', async () => {
  const { started, ended } = serve({
    failures: 0,
    renewAt: NOW - 1,
    call: ({ hook }) =>
      hook === 'renew'
        ? Promise.reject(new PollFailure('The token was revoked.'))
        : Promise.resolve({ items: [{ id: 1 }], state: { n: 2 } }),
  });
  const { takes, lastError, cursor, next } = await ended;
  expect(started).toHaveLength(1);
  expect(takes).toMatchObject({ id: 'r' });
  expect(lastError).toContain('could not be renewed: The token was revoked.');
  expect(readCursor(cursor!)).toMatchObject({ state: { n: 2 }, renewAt: NOW + 300_000 });
  expect(next).toBe(NOW + 300_000);
});

test('a registration is renewed at each time of the pack, whenever the trigger is served in between', async () => {
  const DAY_MS = 86_400_000;
  const HOUR_MS = 3_600_000;
  const renewals: number[] = [];
  let now = 0;
  let cursor: string | null = null;
  let registrations = 0;
  const steps: PackWebhookSteps = {
    register: () => Promise.resolve(`a${++registrations}`),
    toUrl: (address) => address,
    call({ hook, state }) {
      if (hook === 'renew') renewals.push(now);
      return Promise.resolve({ items: [], state });
    },
    firstRequest: () => Promise.resolve(null),
    seen: () => Promise.resolve([]),
    start: () => Promise.resolve(true),
  };
  let served = 0;
  while (now < 30 * DAY_MS) {
    const poll = { cursor, number: served++, failures: 0 } as unknown as ClaimedPoll;
    // Every two days at 06:00 UTC.
    const end = await servePackWebhook({}, poll, { hook: 'renew', cron: '0 6 */2 * *' }, now, steps);
    ({ cursor } = end);
    expect(end.lastError).toBeNull();
    expect(end.next).toBeGreaterThan(now);
    expect(end.next - now).toBeLessThanOrEqual(HOUR_MS);
    now = end.next;
  }
  // 1, 3, …, 29 January 1970.
  expect(renewals).toEqual(Array.from({ length: 15 }, (_, i) => i * 2 * DAY_MS + 6 * HOUR_MS));
  expect(registrations).toBe(1);
});

test('another error is not due to the request, which stays', async () => {
  const call = (): Promise<Json> => Promise.reject(new Error('The store is gone.'));
  await expect(serve({ failures: 50, call }).ended).rejects.toThrow('The store is gone.');
});

test('a trigger of an app names its account again once a day', async () => {
  const listeners = [{ event: 'changed', identifier: 'the account of the new token' }];
  const hooks: string[] = [];
  const { started, ended } = serve({
    failures: 0,
    renewAt: NOW,
    renewal: { hook: 'enable' },
    call({ hook, state }) {
      hooks.push(hook);
      return Promise.resolve({ items: [], state, listeners });
    },
  });
  const { enabled, cursor, takes } = await ended;
  expect(hooks).toEqual(['enable']);
  expect(enabled).toEqual({ address: 'a', listeners });
  expect(readCursor(cursor!)).toEqual({ address: 'a', state: { n: 1 }, renewAt: NOW + 86_400_000 });
  expect([takes, started]).toEqual([null, []]);
});
