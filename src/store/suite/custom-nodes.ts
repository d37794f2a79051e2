import { beforeEach, expect, test } from 'vitest';
import type { CustomNodeRow, Store } from '../../ports/store.ts';
import { T0, user, type StoreUnderTest } from './samples.ts';

const MOST = { versions: 5, bytes: 10_000 };
const row = (nodeType: string, version = '1.0.0', ownerId = 'usr_a', handler = 'code'): CustomNodeRow => ({
  ownerId,
  node: {
    nodeType,
    version,
    description: `About ${nodeType}`,
    inputs: [{ name: 'n', type: 'number', required: true, description: '', validation: { minimum: 1 } }],
    outputs: [{ name: 'doubled', type: 'number' }],
    handler,
  },
  createdAt: T0,
});

export function customNodesSuite(current: () => StoreUnderTest): void {
  let store: Store['customNodes'];
  beforeEach(() => {
    store = current().store.customNodes;
  });

  test('versions live side by side, by type and version; the count tells of every new one', async () => {
    expect(await store.count('usr_a')).toBe(0);
    for (const version of ['1.9.0', '1.10.0', '1.2.30'])
      expect(await store.create(row('t', version), MOST)).toBe('created');
    expect(await store.create(row('a'), MOST)).toBe('created');
    expect(await store.create(row('t', '1.0.0', 'usr_b'), MOST)).toBe('created');
    expect(await store.count('usr_a')).toBe(4);
    expect(await store.all('usr_a')).toEqual([
      row('a'),
      row('t', '1.2.30'),
      row('t', '1.9.0'),
      row('t', '1.10.0'),
    ]);
    expect(await store.all('usr_b')).toEqual([row('t', '1.0.0', 'usr_b')]);
  });

  test('of two that register the same version one wins, and it never changes', async () => {
    const results = await Promise.all([
      store.create(row('t', '1.0.0', 'usr_a', 'first'), MOST),
      store.create(row('t', '1.0.0', 'usr_a', 'second'), MOST),
    ]);
    expect(results.toSorted()).toEqual(['created', 'exists']);
    const [kept] = await store.all('usr_a');
    expect(kept?.node.handler).toBe(results[0] === 'created' ? 'first' : 'second');
  });

  test('an owner has room for so many, and so many bytes, whatever comes at once', async () => {
    const results = await Promise.all(
      Array.from({ length: MOST.versions + 2 }, (_, i) => store.create(row(`t${i}`), MOST)),
    );
    expect(results.filter((result) => result === 'created')).toHaveLength(MOST.versions);
    expect(results.filter((result) => result === 'full')).toHaveLength(2);
    expect(await store.create(row('big', '1.0.0', 'usr_b', 'x'.repeat(10_000)), MOST)).toBe('full');
    expect(await store.create(row('big', '1.0.0', 'usr_b', 'x'.repeat(9_000)), MOST)).toBe('created');
    expect(await store.create(row('more', '1.0.0', 'usr_b', 'x'.repeat(900)), MOST)).toBe('full');
  });

  test('they go with their owner', async () => {
    const { people } = current().store;
    await people.createUser(user('usr_a'));
    await store.create(row('t'), MOST);
    await store.create(row('t', '1.0.0', 'usr_b'), MOST);
    expect(await people.removeUser('usr_a')).toBe(true);
    expect(await store.all('usr_a')).toEqual([]);
    expect(await store.count('usr_b')).toBe(1);
  });
}
