import { describe, expect, test } from 'vitest';
import { toDefinition, toDoc, type JsonObject } from '../../web/src/canvas/model/document.ts';
import { setConfig } from '../../web/src/canvas/model/edit/edit-config.ts';
import { addBody, moveIntoBody, moveOut } from '../../web/src/canvas/model/edit/edit-bodies.ts';
import {
  connect,
  findConnectError,
  disconnect,
  findDisconnectError,
  insertIntoEdge,
} from '../../web/src/canvas/model/edit/edit-connections.ts';
import {
  addNode,
  changeNodes,
  findIdError,
  putInBody,
  removeNodes,
  renameNode,
  setDisabled,
  setName,
} from '../../web/src/canvas/model/edit/edit-nodes.ts';
import { addNote, changeNote, removeNotes } from '../../web/src/canvas/model/edit/edit-notes.ts';
import { formatEdgeId, getGraphIndex } from '../../web/src/canvas/model/graph-index.ts';
import { getBodies } from '../../web/src/canvas/model/structure.ts';
import { builtinCatalog as cat } from './support/builtin-catalog.ts';
import { parseDocument } from './support/doc.ts';

const connections = (doc: Parameters<typeof toDefinition>[0]): string[] =>
  toDefinition(doc).connections.map(({ from, to, sourcePort }) => `${from}.${sourcePort ?? ''} → ${to}`);

describe('a document', () => {
  test('comes back as the definition that it was made of', () => {
    const definition = {
      nodes: [{ id: 'a', type: 'set', position: { x: 1, y: 2 }, notes: 'why' }],
      connections: [{ from: 'a', to: 'b' }],
      annotations: [
        { kind: 'note', id: 'n', text: 'hello', x: 1, y: 2, width: 100, height: 80, colour: 'blue' },
        'something of another tool',
      ],
    };
    const doc = toDoc(definition);
    expect(doc.notes.get('n')?.text).toBe('hello');
    expect(toDefinition(doc)).toEqual(definition);
  });
});

describe('nodes', () => {
  test('get ids that are free and can be read', () => {
    const first = addNode(toDoc({}), cat, 'set', { position: { x: 0, y: 0 } });
    const second = addNode(first.doc, cat, 'set', { position: { x: 0, y: 0 } });
    expect([first.id, second.id]).toEqual(['set', 'set_2']);
  });

  test('a new id is followed by connections, bodies, fields and templates', () => {
    const doc = parseDocument(
      {
        get: 'http_request',
        c: ['condition', { trueAction: 'get' }],
        loop: ['for_each', { nodes: ['get'] }],
        use: [
          'set',
          { fields: { a: '{{ nodes.get.body + nodes["get"].x + "nodes.get" }}', b: 'nodes.get' } },
        ],
        other: ['set', { fields: { a: '{{ nodes.getter.x }} {{ input.nodes.get }}' } }],
      },
      ['get → use'],
    );
    const next = renameNode(doc, 'get', 'fetch it');
    expect(next.nodes.get('use')?.config).toEqual({
      fields: { a: '{{ nodes["fetch it"].body + nodes["fetch it"].x + "nodes.get" }}', b: 'nodes.get' },
    });
    expect(next.nodes.get('c')?.config).toEqual({ trueAction: 'fetch it' });
    expect(next.nodes.get('loop')?.config).toEqual({ nodes: ['fetch it'] });
    expect(next.nodes.get('other')).toBe(doc.nodes.get('other'));
    expect(next.connections).toEqual([{ from: 'fetch it', to: 'use' }]);
    expect([...next.nodes.keys()][0]).toBe('fetch it');
  });

  test('an invalid or duplicate id is rejected', () => {
    const doc = parseDocument({ a: 'set', b: 'set' });
    expect(findIdError(doc, 'a/b', 'a')).toContain('without "/"');
    expect(findIdError(doc, 'b', 'a')).toContain('another node');
    expect(findIdError(doc, 'a', 'a')).toBeNull();
    expect(renameNode(doc, 'a', 'b')).toBe(doc);
  });

  test('removing a node removes all references to it', () => {
    const doc = parseDocument(
      {
        t: 'trigger',
        c: ['condition', { trueAction: 'x', falseAction: 't' }],
        x: 'set',
        loop: ['for_each', { nodes: ['in_1', 'in_2'] }],
        in_1: 'set',
        in_2: 'set',
      },
      ['t → c', 't → loop'],
    );
    const next = removeNodes(doc, cat, ['x', 'loop']);
    expect([...next.nodes.keys()]).toEqual(['t', 'c']);
    expect(next.nodes.get('c')?.config).toEqual({ falseAction: 't' });
    expect(next.connections).toEqual([{ from: 't', to: 'c' }]);
    expect(removeNodes(doc, cat, ['nobody'])).toBe(doc);
  });

  test('an edit without an effect returns the same document', () => {
    const doc = parseDocument({ a: 'set' });
    expect(changeNodes(doc, ['a'], (entry) => setName(entry, ''))).toBe(doc);
    expect(changeNodes(doc, ['a'], (entry) => setDisabled(entry, false))).toBe(doc);
  });
});

describe('connections', () => {
  const doc = parseDocument({ t: 'trigger', a: 'set', b: 'set', c: 'condition' }, ['t → a', 'a → b']);

  test('join only what fits', () => {
    expect(findConnectError(doc, cat, { from: 'b', to: 't' })).toContain('trigger');
    expect(findConnectError(doc, cat, { from: 'b', to: 'b' })).toContain('itself');
    expect(findConnectError(doc, cat, { from: 'b', to: 'a' })).toContain('cycle');
    expect(findConnectError(doc, cat, { from: 'a', to: 'b' })).toContain('already');
    expect(findConnectError(doc, cat, { from: 'a', port: 'nope', to: 'c' })).toContain('does not exist');
    expect(findConnectError(doc, cat, { from: 't', port: 'error', to: 'c' })).toContain('does not exist');
    expect(findConnectError(doc, cat, { from: 'a', port: 'error', to: 'c' })).toBeNull();
  });

  test('a port accepts only matching types', () => {
    const typed = new Map(cat).set('typed', {
      ...cat.get('set')!,
      id: 'typed',
      inputs: [{ name: 'in', type: 'array', required: true, description: '' }],
      outputs: [{ name: 'out', type: 'object', description: '' }],
    });
    const two = parseDocument({ a: 'typed', b: 'typed', f: 'filter' });
    expect(findConnectError(two, typed, { from: 'a', to: 'b' })).toBe(
      'The output out (object) does not fit the input in (array).',
    );
    expect(findConnectError(two, typed, { from: 'f', to: 'b' })).toBeNull();
  });

  test('name their ports, and go again', () => {
    const next = connect(doc, cat, { from: 'b', to: 'c' });
    expect(next.connections.at(-1)).toEqual({ from: 'b', to: 'c', sourcePort: 'out', targetPort: 'in' });
    const back = disconnect(next, cat, [
      formatEdgeId('b', 'out', 'c', 'in'),
      formatEdgeId('t', 'out', 'a', 'in'),
    ]);
    expect(connections(back)).toEqual(['a. → b']);
  });

  test('follow a renamed port, and are removed with a deleted one', () => {
    const cases = (...names: string[]): JsonObject => ({
      cases: names.map((name) => ({ name, condition: {} })),
    });
    const doc = parseDocument({ s: ['switch', cases('eu', 'us')], a: 'set', b: 'set', c: 'set' }, [
      's.eu → a',
      's.us → b',
      's.default → c',
    ]);
    expect(connections(setConfig(doc, cat, 's', cases('europe', 'us')))).toEqual([
      's.europe → a',
      's.us → b',
      's.default → c',
    ]);
    expect(connections(setConfig(doc, cat, 's', cases('us')))).toEqual(['s.us → b', 's.default → c']);
    expect(connections(setConfig(doc, cat, 's', cases('us', 'eu')))).toEqual(connections(doc));
  });

  test('take a node between them', () => {
    const free = parseDocument({ t: 'trigger', a: 'set', b: 'set', new: 'set' }, ['t → a', 'a → b']);
    const next = insertIntoEdge(free, cat, formatEdgeId('t', 'out', 'a', 'in'), 'new');
    expect(connections(next)).toEqual(['a. → b', 't.out → new', 'new.out → a']);
    expect(insertIntoEdge(free, cat, formatEdgeId('a', 'out', 'b', 'in'), 't')).toBe(free);
    expect(insertIntoEdge(free, cat, formatEdgeId('a', 'out', 'b', 'in'), 'a')).toBe(free);
  });

  test('a connection named by a field is removed with the field', () => {
    const named = parseDocument({ c: ['condition', { trueAction: 'a' }], a: 'set' });
    const [edge] = getGraphIndex(named, cat).edges;
    expect(edge).toMatchObject({ kind: 'named', port: 'true', to: 'a' });
    expect(disconnect(named, cat, [edge!.id]).nodes.get('c')?.config).toEqual({});
  });
});

describe('bodies', () => {
  const loop = parseDocument(
    {
      t: 'trigger',
      loop: ['for_each', { nodes: ['a', 'b', 'c', 'gone'] }],
      a: 'set',
      b: 'set',
      c: 'set',
      out: 'set',
    },
    ['t → loop', 'loop → out'],
  );
  const order = getGraphIndex(loop, cat).edges.filter(({ kind }) => kind === 'order');

  test('show the order in which their nodes run', () => {
    expect(order.map(({ from, to }) => `${from} → ${to}`)).toEqual(['a → b', 'b → c']);
  });

  test('the first drawn connection writes the order out', () => {
    expect(connections(connect(loop, cat, { from: 'a', to: 'c' })).slice(2)).toEqual([
      'a.out → b',
      'b.out → c',
      'a.out → c',
    ]);
    expect(connections(connect(loop, cat, { from: 'a', port: 'error', to: 'b' })).slice(2)).toEqual([
      'b.out → c',
      'a.error → b',
    ]);
    expect(connections(connect(loop, cat, { from: 'c', to: 'a' })).slice(2)).toEqual([
      'a.out → b',
      'c.out → a',
    ]);
  });

  test('removing an order edge turns the others into connections', () => {
    expect(findDisconnectError(loop, cat, order[0]!.id)).toBeNull();
    expect(connections(disconnect(loop, cat, [order[0]!.id])).slice(2)).toEqual(['b.out → c']);
    const two = removeNodes(loop, cat, ['c']);
    expect(findDisconnectError(two, cat, order[0]!.id)).toContain('in order');
  });

  test('rejects connections between the inside and the outside of a body', () => {
    expect(findConnectError(loop, cat, { from: 'a', to: 'out' })).toContain('outside');
    const moved = moveIntoBody(loop, cat, ['out'], { container: 'loop', body: 'body', index: 1 });
    expect(moved.nodes.get('loop')?.config).toEqual({ nodes: ['a', 'out', 'b', 'c', 'gone'] });
    expect(connections(moved)).toEqual(['t. → loop']);
    expect(moved.nodes.get('out')?.position).toBeUndefined();
    const back = moveOut(moved, cat, new Map([['b', { x: 5, y: 6 }]]));
    expect(back.nodes.get('loop')?.config).toEqual({ nodes: ['a', 'out', 'c', 'gone'] });
    expect(back.nodes.get('b')?.position).toEqual({ x: 5, y: 6 });
  });

  test('a trigger stays outside, and no node contains itself', () => {
    const location = { container: 'loop', body: 'body', index: 0 };
    expect(moveIntoBody(loop, cat, ['t'], location)).toBe(loop);
    expect(moveIntoBody(loop, cat, ['loop'], location)).toBe(loop);
  });

  test('a node moves within its body', () => {
    const moved = moveIntoBody(loop, cat, ['c'], { container: 'loop', body: 'body', index: 0 });
    expect(moved.nodes.get('loop')?.config).toEqual({ nodes: ['c', 'a', 'b', 'gone'] });
    const later = moveIntoBody(loop, cat, ['a'], { container: 'loop', body: 'body', index: 2 });
    expect(later.nodes.get('loop')?.config).toEqual({ nodes: ['b', 'a', 'c', 'gone'] });
  });

  test('parallel gets another branch', () => {
    const doc = parseDocument({ p: ['parallel', { branches: [{ name: 'branch_2', nodes: [] }] }] });
    expect(addBody(doc, 'p').nodes.get('p')?.config).toEqual({
      branches: [
        { name: 'branch_2', nodes: [] },
        { name: 'branch_1', nodes: [] },
      ],
    });
  });

  test('an agent begins with a model and gets a tool, and the lane for approvals appears when a tool needs it', () => {
    const { doc, id } = addNode(parseDocument({}), cat, 'agent', { position: { x: 0, y: 0 } });
    expect(doc.nodes.get('llm')?.type).toBe('llm');
    expect(getBodies(doc.nodes.get(id)!)).toEqual([{ name: 'model', nodes: ['llm'] }]);
    const tool = { name: 'tool_1', description: '', nodes: [] };
    const entry = addBody(doc, id).nodes.get(id)!;
    expect(entry.config).toEqual({ model: ['llm'], tools: [tool] });
    const config = { ...entry.config, tools: [{ ...tool, approval: { required: true } }] };
    const asking = { ...entry, config };
    expect(getBodies(asking).map(({ name }) => name)).toEqual(['model', 'approval', 'tools.tool_1']);
    const filled = putInBody({ ...doc, nodes: new Map(doc.nodes).set(id, asking) }, ['ask'], {
      container: id,
      body: 'approval',
      index: 0,
    });
    expect(filled.nodes.get(id)?.config).toEqual({ ...config, approval: ['ask'] });
  });
});

test('comments are added, changed and removed', () => {
  const { doc, id } = addNote(toDoc({}), { x: 1, y: 2 });
  const next = changeNote(doc, id!, { text: 'hello', colour: 'pink' });
  expect(toDefinition(next).annotations).toEqual([
    { kind: 'note', id: 'note_1', text: 'hello', x: 1, y: 2, width: 240, height: 120, colour: 'pink' },
  ]);
  expect(changeNote(next, id!, { text: 'hello' })).toBe(next);
  expect(toDefinition(removeNotes(next, [id!])).annotations).toBeUndefined();
});
