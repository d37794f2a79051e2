import { describe, expect, test } from 'vitest';
import {
  paste,
  copySelection,
  parsePiece,
  serializePiece,
} from '../../web/src/canvas/model/edit/clipboard.ts';
import { toDoc } from '../../web/src/canvas/model/document.ts';
import { builtinCatalog as cat } from './support/builtin-catalog.ts';
import { parseDocument } from './support/doc.ts';

const doc = parseDocument(
  {
    t: 'trigger',
    loop: ['for_each', { items: '{{ nodes.t.rows }}', nodes: ['a', 'b'] }],
    a: 'set',
    b: ['set', { fields: { x: '{{ nodes.a.x + nodes.t.y }}' } }],
    c: ['condition', { trueAction: 'loop' }],
  },
  ['t → loop', 'a → b'],
);

describe('copy and paste', () => {
  test('a container is copied with its body; copied nodes stay connected under new ids', () => {
    const text = serializePiece(copySelection(doc, cat, ['loop', 'c']));
    const { doc: next, nodes } = paste(doc, cat, parsePiece(text)!, { x: 1_000, y: 1_000 });
    expect(nodes).toEqual(['loop_2', 'c_2']);
    expect(next.nodes.get('loop_2')?.config).toEqual({ items: '{{ nodes.t.rows }}', nodes: ['a_2', 'b_2'] });
    expect(next.nodes.get('b_2')?.config).toEqual({ fields: { x: '{{ nodes.a_2.x + nodes.t.y }}' } });
    expect(next.nodes.get('c_2')?.config).toEqual({ trueAction: 'loop_2' });
    expect(next.connections.slice(2)).toEqual([{ from: 'a_2', to: 'b_2' }]);
    expect(next.nodes.get('loop_2')?.position).toEqual({ x: 1_000, y: 1_000 });
    expect(next.nodes.get('c_2')?.position?.x).toBe(1_900);
    expect(next.nodes.get('loop')).toBe(doc.nodes.get('loop'));
  });

  test('in another workflow, ids stay and what names strangers goes', () => {
    const { doc: next } = paste(toDoc({}), cat, copySelection(doc, cat, ['c']), { x: 0, y: 0 });
    expect(next.nodes.get('c')).toMatchObject({ config: {}, position: { x: 0, y: 0 } });
  });

  test('a member that is copied alone is placed on the canvas', () => {
    const { doc: next, nodes } = paste(doc, cat, copySelection(doc, cat, ['a']), { x: 40, y: 60 });
    expect(nodes).toEqual(['a_2']);
    expect(next.nodes.get('a_2')?.position).toEqual({ x: 40, y: 60 });
  });

  test('a whole workflow and a definition can be pasted, anything else cannot', () => {
    expect(
      parsePiece(JSON.stringify({ name: 'w', definition: { nodes: [{ id: 'x', type: 'set' }] } }))?.nodes
        .size,
    ).toBe(1);
    expect(parsePiece('{"nodes":[{"id":"x","type":"set"}],"connections":[]}')?.nodes.size).toBe(1);
    for (const text of [
      'hello',
      '{"nodes":[]}',
      '{"nodes":[{"id":1}]}',
      '{"nodes":[{"id":"x","type":"set"}],"connections":[3]}',
      '[1]',
      '{',
    ])
      expect(parsePiece(text), text).toBeNull();
  });

  test('comments come along', () => {
    const noted = {
      ...doc,
      notes: toDoc({
        annotations: [{ kind: 'note', id: 'n', text: 'x', x: 0, y: 0, width: 100, height: 100 }],
      }).notes,
    };
    const { doc: next, notes } = paste(noted, cat, copySelection(noted, cat, [], ['n']), { x: 200, y: 0 });
    expect(notes).toEqual(['n_2']);
    expect(next.notes.get('n_2')).toMatchObject({ text: 'x', x: 200, y: 0 });
  });
});
