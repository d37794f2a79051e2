import { beforeEach, expect, test } from 'vitest';
import type { Store } from '../../ports/store.ts';
import type { PackRow } from '../../ports/store/packs.ts';
import { T0, workflow, type StoreUnderTest } from './samples.ts';

const MOST = { versions: 5, bytes: 10_000 };
const pack = (name: string, version = '1.0.0', changed: Partial<PackRow> = {}): PackRow => ({
  name,
  version,
  kind: 'openapi',
  title: `The ${name} API`,
  description: `About ${name}`,
  operations: 3,
  documentHash: `hash of ${name}`,
  documentSize: 5_000_000_000,
  sourceUrl: `https://example.com/${name}.json`,
  installedBy: 'usr_a',
  installedAt: T0,
  manifest: `manifest of ${name} ${version}`,
  document: `document of ${name}`,
  ...changed,
});
function toSummary(row: PackRow) {
  const { manifest: _manifest, document: _document, ...summary } = row;
  return summary;
}

export function packsSuite(current: () => StoreUnderTest): void {
  let store: Store['packs'];
  beforeEach(() => {
    store = current().store.packs;
  });

  const remove = (name: string, version: string | null, checkedAt: number) =>
    store.remove({ name, nodeType: `openapi.${name}` }, version, checkedAt);

  test('versions coexist, by name and version; each new one increases the number of changes', async () => {
    expect(await store.changes()).toBe(0);
    const rows = [pack('b', '1.10.0', { sourceUrl: null }), pack('b', '1.9.0'), pack('a')];
    for (const row of rows) expect(await store.create(row, MOST)).toBe('created');
    expect(await store.changes()).toBe(3);
    expect(await store.all()).toEqual([rows[2]!, rows[1]!, rows[0]!].map(toSummary));
    expect(await store.manifest('b', '1.9.0')).toBe('manifest of b 1.9.0');
    expect(await store.document('b', '1.10.0')).toBe('document of b');
    for (const [name, version] of [
      ['b', '1.0.0'],
      ['c', '1.9.0'],
    ] as const) {
      expect(await store.manifest(name, version)).toBeNull();
      expect(await store.document(name, version)).toBeNull();
    }
  });

  test('a version never changes: the same document again is the same, another one is refused', async () => {
    expect(await store.create(pack('a'), MOST)).toBe('created');
    expect(await store.create(pack('a', '1.0.0', { manifest: 'other', title: 'Other' }), MOST)).toBe('same');
    expect(await store.create(pack('a', '1.0.0', { documentHash: 'other' }), MOST)).toBe('exists');
    expect(await store.changes()).toBe(1);
    expect(await store.all()).toEqual([toSummary(pack('a'))]);
    expect(await store.manifest('a', '1.0.0')).toBe('manifest of a 1.0.0');
    const results = await Promise.all(
      ['x', 'y'].map((documentHash) => store.create(pack('c', '1.0.0', { documentHash }), MOST)),
    );
    expect(results.toSorted()).toEqual(['created', 'exists']);
  });

  test('the limits of count and bytes hold for concurrent installations; a document counts once', async () => {
    const results = await Promise.all(
      Array.from({ length: MOST.versions + 2 }, (_, i) => store.create(pack(`p${i}`), MOST)),
    );
    expect(results.filter((result) => result === 'created')).toHaveLength(MOST.versions);
    expect(results.filter((result) => result === 'full')).toHaveLength(2);
    for (const { name } of await store.all()) expect(await remove(name, null, T0)).toBe('removed');
    const large = { document: 'x'.repeat(6_000), manifest: 'y' };
    expect(await store.create(pack('a', '1.0.0', large), MOST)).toBe('created');
    expect(await store.create(pack('a', '1.1.0', large), MOST)).toBe('created');
    expect(await store.create(pack('b', '1.0.0', large), MOST)).toBe('full');
    expect(await remove('a', '1.0.0', T0)).toBe('removed');
    expect(await store.document('a', '1.1.0')).toBe(large.document);
    expect(await store.create(pack('b', '1.0.0', large), MOST)).toBe('full');
    expect(await remove('a', null, T0)).toBe('removed');
    expect(await store.create(pack('b', '1.0.0', large), MOST)).toBe('created');
  });

  test('a pack from a package keeps its kind and its archive', async () => {
    const archive = Buffer.from([0x1f, 0x8b, 0, 255]).toString('base64');
    const row = pack('slack', '0.17.9', { kind: 'npm', sourceUrl: null, document: archive });
    expect(await store.create(row, MOST)).toBe('created');
    expect(await store.all()).toEqual([toSummary(row)]);
    expect(await store.document('slack', '0.17.9')).toBe(archive);
  });

  test('a removed version can be installed again; every change is counted', async () => {
    await store.create(pack('a'), MOST);
    await store.create(pack('a', '1.1.0'), MOST);
    expect(await remove('a', '9.0.0', T0)).toBe('missing');
    expect(await remove('other', null, T0)).toBe('missing');
    const seen = [await store.changes()];
    expect(await remove('a', '1.0.0', T0)).toBe('removed');
    seen.push(await store.changes());
    expect(await store.all()).toEqual([toSummary(pack('a', '1.1.0'))]);
    expect(await store.create(pack('a', '1.0.0', { documentHash: 'other' }), MOST)).toBe('created');
    seen.push(await store.changes());
    expect(await remove('a', null, T0)).toBe('removed');
    seen.push(await store.changes());
    expect(await store.all()).toEqual([]);
    expect(seen).toEqual([2, 3, 4, 5]);
  });

  test('lists the workflows of all owners that use a pack, and does not remove a pack in use', async () => {
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
    await store.create(pack('p'), MOST);
    for (let i = 0; i < 110; i++) await save(`wf_${i + 100}`, 1, i % 50 === 0 ? 'openapi.p' : 'delay', T0);
    await save('wf_100', 2, 'delay', T0);
    await save('wf_100', 3, 'openapi.p', T0);
    await save('wf_b', 1, 'openapi.p', T0, 'usr_b');
    const uses = await store.uses('openapi.p', null, 100);
    expect(uses).toEqual([
      { workflowId: 'wf_100', ownerId: 'usr_a', name: 'about wf_100', versions: [1, 3] },
      { workflowId: 'wf_150', ownerId: 'usr_a', name: 'about wf_150', versions: [1] },
      { workflowId: 'wf_200', ownerId: 'usr_a', name: 'about wf_200', versions: [1] },
      { workflowId: 'wf_b', ownerId: 'usr_b', name: 'about wf_b', versions: [1] },
    ]);
    expect(await store.uses('openapi.p', '1.0.0', 2)).toHaveLength(2);
    expect(await store.uses('openapi.p', '2.0.0', 100)).toEqual([]);
    expect(await store.uses('quoted', null, 100)).toEqual([]);
    // Only workflows saved after the check are checked again.
    await save('wf_late', 1, 'openapi.p', T0 + 20);
    expect(await remove('p', null, T0 + 10)).toBe('used');
    expect(await remove('p', '1.0.0', T0 + 10)).toBe('used');
    expect(await remove('p', '1.0.0', T0 + 30)).toBe('removed');
  });

  test('packs outlive a restart and the user who installed them', async () => {
    await store.create(pack('a'), MOST);
    await current().store.accounts.removeUser('usr_a');
    await current().reopen();
    expect(await current().store.packs.all()).toEqual([toSummary(pack('a'))]);
    expect(await current().store.packs.manifest('a', '1.0.0')).toBe('manifest of a 1.0.0');
  });
}
