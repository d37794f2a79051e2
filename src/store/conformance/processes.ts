import { expect, test } from 'vitest';
import type { Store } from '../../ports/store.ts';
import type { ProcessRow } from '../../ports/store/processes.ts';
import { T0 } from './samples.ts';

function row(id: string, fields: Partial<ProcessRow> = {}): ProcessRow {
  return {
    id,
    role: 'all',
    version: '1.0.0',
    host: 'a.example',
    pid: 7,
    shares: false,
    startedAt: T0,
    aliveUntil: T0 + 10,
    ...fields,
  };
}

export function processesSuite(current: () => Store): void {
  // The store may list the process of the test itself.
  const live = async (now: number) =>
    (await current().processes.live(now)).filter(({ id }) => /^p\d+$/.test(id));

  test('a process is alive while its heartbeats are valid, with its own slot number', async () => {
    const { processes } = current();
    expect(await live(T0)).toEqual([]);
    const first = await processes.register(row('p1', { shares: true, role: 'api' }), T0);
    const second = await processes.register(row('p2', { startedAt: T0 + 1, aliveUntil: T0 + 20 }), T0);
    expect(second).toBe(first + 1);
    expect(await processes.register(row('p1', { aliveUntil: T0 + 15 }), T0 + 5)).toBe(first);
    expect(await live(T0 + 14)).toEqual([
      { ...row('p1', { aliveUntil: T0 + 15 }), slot: first },
      { ...row('p2', { startedAt: T0 + 1, aliveUntil: T0 + 20 }), slot: second },
    ]);
    expect((await live(T0 + 15)).map(({ id }) => id)).toEqual(['p2']);
    // A slot number is free when its process is not alive any more.
    expect(await processes.register(row('p3', { aliveUntil: T0 + 30 }), T0 + 15)).toBe(first);
    await processes.leave('p2');
    expect((await live(T0 + 15)).map(({ id }) => id)).toEqual(['p3']);
  });

  test('concurrent processes get different slot numbers', async () => {
    const { processes } = current();
    const slots = await Promise.all(
      Array.from({ length: 12 }, (_, i) => processes.register(row(`p${i}`), T0)),
    );
    expect(new Set(slots).size).toBe(12);
    expect(Math.max(...slots)).toBeLessThan(14);
  });
}
