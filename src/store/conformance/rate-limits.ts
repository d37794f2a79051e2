import { beforeEach, expect, test } from 'vitest';
import type { Store } from '../../ports/store.ts';
import { HOUR_MS, T0, user } from './samples.ts';

export function throttlingSuite(current: () => Store): void {
  let store: Store['throttling'];
  beforeEach(() => {
    store = current().throttling;
  });

  test('windows are replaced, listed by page in the order of their ends, and deleted when expired', async () => {
    const row = (userId: string, endsAt: number, used = 1) => ({ userId, endsAt, used });
    await store.saveRateWindows([row('b', T0 + 1), row('a', T0 + 2), row('c', T0 + 2), row('d', T0)], T0 - 1);
    await store.saveRateWindows([row('a', T0 + 2, 7)], T0 - 1);
    expect(await store.rateWindows(T0, null, 9)).toEqual([
      row('b', T0 + 1),
      row('a', T0 + 2, 7),
      row('c', T0 + 2),
    ]);
    expect(await store.rateWindows(T0, row('b', T0 + 1), 1)).toEqual([row('a', T0 + 2, 7)]);
    expect(await store.rateWindows(T0, row('a', T0 + 2), 9)).toEqual([row('c', T0 + 2)]);
    await store.saveRateWindows([], T0 + 1);
    expect(await store.rateWindows(0, null, 9)).toHaveLength(2);
    expect(await store.rateWindows(T0 + HOUR_MS, null, 9)).toEqual([]);
  });

  test('a deleted user leaves no window', async () => {
    await current().accounts.createUser(user('usr_a'));
    await store.saveRateWindows([{ userId: 'usr_a', endsAt: T0 + 5, used: 1 }], T0);
    await current().accounts.removeUser('usr_a');
    expect(await store.rateWindows(T0, null, 9)).toEqual([]);
  });

  test('failed logins are replaced, listed newest first, and deleted when old', async () => {
    const row = (key: string, count: number, lastAt: number) => ({ key, count, lastAt });
    await store.saveLoginFailures([row('a', 1, T0), row('b', 2, T0 + 1)], T0);
    await store.saveLoginFailures([row('a', 3, T0 + 2)], T0);
    expect(await store.loginFailures(T0, 9)).toEqual([row('a', 3, T0 + 2), row('b', 2, T0 + 1)]);
    expect(await store.loginFailures(T0, 1)).toEqual([row('a', 3, T0 + 2)]);
    expect(await store.loginFailures(T0 + 2, 9)).toEqual([row('a', 3, T0 + 2)]);
    await store.saveLoginFailures([], T0 + 2);
    expect(await store.loginFailures(0, 9)).toEqual([row('a', 3, T0 + 2)]);
  });
}
