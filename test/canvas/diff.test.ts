import { describe, expect, test } from 'vitest';
import { compareDocs, isEmptyDiff, countChanges } from '../../web/src/canvas/model/diff.ts';
import { toDoc, type Doc, type Entry } from '../../web/src/canvas/model/document.ts';
import { changeNodes, removeNodes, renameNode } from '../../web/src/canvas/model/edit/edit-nodes.ts';
import { connect } from '../../web/src/canvas/model/edit/edit-connections.ts';
import { mergeDocs } from '../../web/src/canvas/model/merge.ts';
import { builtinCatalog as cat } from './support/builtin-catalog.ts';
import { parseDocument } from './support/doc.ts';

const base = parseDocument(
  {
    t: 'trigger',
    a: ['http_request', { url: 'https://a', headers: { accept: 'x', 'x-key': '1' } }],
    b: ['set', { fields: { x: 1 } }],
    loop: ['for_each', { nodes: ['m'] }],
    m: 'set',
  },
  ['t → a', 'a → b'],
);

const config = (doc: Doc, id: string, change: object): Doc =>
  changeNodes(doc, [id], (entry) => ({ ...entry, config: { ...entry.config, ...change } }) as Entry);
const again = (doc: Doc): Doc =>
  toDoc(
    JSON.parse(JSON.stringify({ nodes: [...doc.nodes.values()], connections: doc.connections })) as object,
  );

describe('the difference', () => {
  test('of equal documents is empty, also after reading one again', () => {
    expect(isEmptyDiff(compareDocs(base, base))).toBe(true);
    expect(isEmptyDiff(compareDocs(base, again(base)))).toBe(true);
  });

  test('names nodes, connections and fields', () => {
    let next = config(base, 'a', { headers: { accept: 'y', 'x-key': '1' }, method: 'POST' });
    next = removeNodes(next, cat, ['b']);
    next = connect(next, cat, { from: 'a', port: 'error', to: 'loop' });
    next = changeNodes(next, ['t'], (entry) => ({ ...entry, position: { x: 9, y: 9 } }));
    const diff = compareDocs(base, next);
    expect(diff.removed.map(({ id }) => id)).toEqual(['b']);
    expect(diff.moved).toEqual(['t']);
    expect(diff.changed).toEqual([
      {
        id: 'a',
        fields: [
          { path: 'config.method', before: undefined, after: 'POST' },
          { path: 'config.headers.accept', before: 'x', after: 'y' },
        ],
      },
    ]);
    expect(diff.connected).toEqual([{ from: 'a', to: 'loop', sourcePort: 'error', targetPort: 'in' }]);
    expect(diff.disconnected).toEqual([{ from: 'a', to: 'b' }]);
    expect(countChanges(diff)).toBe(4);
  });
});

describe('two sides of a change', () => {
  test('that touch different things are put together', () => {
    const mine = connect(config(base, 'a', { url: 'https://mine' }), cat, {
      from: 'a',
      port: 'error',
      to: 'b',
    });
    const theirs = config(config(base, 'a', { method: 'POST' }), 'b', { fields: { x: 2 } });
    const { doc, conflicts } = mergeDocs(base, mine, theirs);
    expect(conflicts).toEqual([]);
    expect(doc.nodes.get('a')?.config).toEqual({
      url: 'https://mine',
      method: 'POST',
      headers: { accept: 'x', 'x-key': '1' },
    });
    expect(doc.nodes.get('b')?.config).toEqual({ fields: { x: 2 } });
    expect(doc.connections).toEqual(mine.connections);
  });

  test('that touch the same field are a conflict, and the local change wins', () => {
    const { doc, conflicts } = mergeDocs(
      base,
      config(base, 'a', { url: 'https://mine' }),
      config(base, 'a', { url: 'https://theirs' }),
    );
    expect(conflicts).toEqual([{ node: 'a', what: 'config.url' }]);
    expect(doc.nodes.get('a')?.config?.['url']).toBe('https://mine');
  });

  test('the same change on both sides is not a conflict', () => {
    const next = config(base, 'a', { url: 'https://same' });
    expect(mergeDocs(base, next, again(next)).conflicts).toEqual([]);
  });

  test('removing a node that the other side changed is a conflict', () => {
    const gone = removeNodes(base, cat, ['b']);
    expect(
      mergeDocs(base, gone, config(base, 'b', { fields: {} })).conflicts.map(({ what }) => what),
    ).toEqual(['removed on one side, changed on the other']);
    expect(mergeDocs(base, gone, base).conflicts).toEqual([]);
    expect(mergeDocs(base, gone, base).doc.nodes.has('b')).toBe(false);
    const connected = connect(base, cat, { from: 'b', to: 'loop' });
    expect(mergeDocs(base, gone, connected).conflicts.map(({ node }) => node)).toContain('b');
  });

  test('a node that one side moved into a body and the other removed is reported', () => {
    const gone = removeNodes(base, cat, ['m']);
    const changed = config(base, 'loop', { nodes: ['m', 'b'] });
    expect(mergeDocs(base, gone, changed).conflicts.length).toBeGreaterThan(0);
  });

  test('nodes that both moved are no conflict', () => {
    const at = (x: number): Doc => changeNodes(base, ['a'], (entry) => ({ ...entry, position: { x, y: 0 } }));
    const { doc, conflicts } = mergeDocs(base, at(1), at(2));
    expect(conflicts).toEqual([]);
    expect(doc.nodes.get('a')?.position?.x).toBe(1);
  });

  test('a rename on one side is a removal and an addition', () => {
    const { conflicts, doc } = mergeDocs(
      base,
      renameNode(base, 'b', 'z'),
      config(base, 'a', { method: 'PUT' }),
    );
    expect(conflicts).toEqual([]);
    expect([...doc.nodes.keys()].toSorted()).toEqual(['a', 'loop', 'm', 't', 'z']);
  });
});
