import { beforeEach, expect, test } from 'vitest';
import type { Store } from '../../ports/store.ts';
import type { CustomNodeRow } from '../../ports/store/custom-nodes.ts';
import { T0, user, workflow, type StoreUnderTest } from './samples.ts';

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

  test('versions coexist, by type and version; each new one increases the number of changes', async () => {
    expect(await store.changes('usr_a')).toBe(0);
    for (const version of ['1.9.0', '1.10.0', '1.2.30'])
      expect(await store.create(row('t', version), MOST)).toBe('created');
    expect(await store.create(row('a'), MOST)).toBe('created');
    expect(await store.create(row('t', '1.0.0', 'usr_b'), MOST)).toBe('created');
    expect(await store.changes('usr_a')).toBe(4);
    expect(await store.all('usr_a')).toEqual([
      row('a'),
      row('t', '1.2.30'),
      row('t', '1.9.0'),
      row('t', '1.10.0'),
    ]);
    expect(await store.all('usr_b')).toEqual([row('t', '1.0.0', 'usr_b')]);
  });

  test('one of two concurrent registrations of a version succeeds, and it never changes', async () => {
    const results = await Promise.all([
      store.create(row('t', '1.0.0', 'usr_a', 'first'), MOST),
      store.create(row('t', '1.0.0', 'usr_a', 'second'), MOST),
    ]);
    expect(results.toSorted()).toEqual(['created', 'exists']);
    const [kept] = await store.all('usr_a');
    expect(kept?.node.handler).toBe(results[0] === 'created' ? 'first' : 'second');
  });

  test('the limits of count and bytes per owner hold for concurrent registrations', async () => {
    const results = await Promise.all(
      Array.from({ length: MOST.versions + 2 }, (_, i) => store.create(row(`t${i}`), MOST)),
    );
    expect(results.filter((result) => result === 'created')).toHaveLength(MOST.versions);
    expect(results.filter((result) => result === 'full')).toHaveLength(2);
    expect(await store.create(row('big', '1.0.0', 'usr_b', 'x'.repeat(10_000)), MOST)).toBe('full');
    expect(await store.create(row('big', '1.0.0', 'usr_b', 'x'.repeat(9_000)), MOST)).toBe('created');
    expect(await store.create(row('more', '1.0.0', 'usr_b', 'x'.repeat(900)), MOST)).toBe('full');
  });

  const times = { deletedAt: T0 + 10, checkedAt: T0 + 10 };

  test('a deleted version cannot be registered again', async () => {
    for (const version of ['1.0.0', '1.1.0']) await store.create(row('t', version), MOST);
    await store.create(row('t', '1.0.0', 'usr_b'), MOST);
    expect(await store.remove('usr_a', 't', '9.0.0', times, 3)).toBe('missing');
    expect(await store.remove('usr_a', 'other', null, times, 3)).toBe('missing');
    const seen = [await store.changes('usr_a')];
    expect(await store.remove('usr_a', 't', '1.0.0', times, 3)).toBe('removed');
    seen.push(await store.changes('usr_a'));
    expect(await store.all('usr_a')).toEqual([row('t', '1.1.0')]);
    expect(await store.create(row('t', '1.0.0'), MOST)).toBe('deleted');
    expect(await store.create(row('t', '1.2.0'), MOST)).toBe('created');
    seen.push(await store.changes('usr_a'));
    expect(await store.remove('usr_a', 't', null, times, 2)).toBe('full');
    expect(await store.remove('usr_a', 't', null, times, 3)).toBe('removed');
    seen.push(await store.changes('usr_a'));
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    expect(new Set(seen).size).toBe(seen.length);
    expect(await store.all('usr_a')).toEqual([]);
    expect(await store.all('usr_b')).toHaveLength(1);
  });

  test('lists the workflows that use a node, and does not delete a node in use', async () => {
    const { workflows } = current().store;
    const save = (id: string, version: number, type: string, at: number, ownerId = 'usr_a') =>
      workflows.save(
        workflow(id, {
          row: { ownerId, version, name: `about ${id}`, updatedAt: at },
          definition: {
            nodes: [{ id: 'x', type, config: { text: '"type":"quoted"' }, version: '1.0.0' }],
            connections: [],
          },
          expected: version === 1 ? null : version - 1,
        }),
      );
    await store.create(row('t'), MOST);
    for (let i = 0; i < 30; i++) await save(`wf_${i + 10}`, 1, i % 2 === 0 ? 't' : 'delay', T0);
    await save('wf_10', 2, 'delay', T0);
    await save('wf_10', 3, 't', T0);
    await save('wf_b', 1, 't', T0, 'usr_b');
    const uses = await store.uses('usr_a', 't', null, 100);
    expect(uses).toHaveLength(15);
    expect(uses[0]).toEqual({ workflowId: 'wf_10', name: 'about wf_10', versions: [1, 3] });
    expect(await store.uses('usr_a', 't', '1.0.0', 3)).toHaveLength(3);
    expect(await store.uses('usr_a', 't', '2.0.0', 100)).toEqual([]);
    expect(await store.uses('usr_a', 'quoted', null, 100)).toEqual([]);
    expect(await store.uses('usr_c', 't', null, 100)).toEqual([]);
    await save('wf_late', 1, 't', T0 + 20);
    expect(await store.remove('usr_a', 't', null, times, 10)).toBe('used');
    expect(await store.all('usr_a')).toHaveLength(1);
  });

  test('are deleted with their owner', async () => {
    const { accounts } = current().store;
    await accounts.createUser(user('usr_a'));
    await store.create(row('t'), MOST);
    await store.create(row('t', '1.0.0', 'usr_b'), MOST);
    expect(await accounts.removeUser('usr_a')).toBe(true);
    expect(await store.all('usr_a')).toEqual([]);
    expect(await store.changes('usr_b')).toBe(1);
  });
}
