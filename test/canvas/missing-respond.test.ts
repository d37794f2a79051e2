import { expect, test } from 'vitest';
import { listEndsWithoutRespond } from '../../web/src/canvas/model/missing-respond.ts';
import { builtinCatalog } from './support/builtin-catalog.ts';
import { parseDocument } from './support/doc.ts';

const hook = ['trigger', { triggerType: 'webhook', respond: 'respond' }] as const;
const loop = (...nodes: string[]) => ['for_each', { items: [], nodes }] as const;

test.each<[string, Parameters<typeof parseDocument>[0], string[], string[]]>([
  ['a trigger with nothing after it', { hook }, [], ['hook']],
  ['a path that ends in a respond node', { hook, a: 'set', r: 'respond' }, ['hook → a', 'a → r'], []],
  ['a path that ends elsewhere', { hook, a: 'set' }, ['hook → a'], ['a']],
  ['what follows a respond node', { hook, r: 'respond', a: 'set' }, ['hook → r', 'r → a'], []],
  [
    'a condition with one branch',
    { hook, c: 'condition', r: 'respond' },
    ['hook → c', 'c.true → r'],
    ['c (false)'],
  ],
  [
    'a condition with two branches',
    { hook, c: 'condition', r: 'respond', a: 'set' },
    ['hook → c', 'c.true → r', 'c.false → a'],
    ['a'],
  ],
  [
    'a case of a switch',
    { hook, s: ['switch', { cases: [{ name: 'eu', condition: {} }] }], r: 'respond' },
    ['hook → s', 's.default → r'],
    ['s (eu)'],
  ],
  ['an error port alone', { hook, a: 'set', r: 'respond' }, ['hook → a', 'a.error → r'], ['a']],
  ['a respond node in a loop', { hook, l: loop('r'), r: 'respond' }, ['hook → l'], []],
  ['a loop without one', { hook, l: loop('a'), a: 'set' }, ['hook → l'], ['l']],
  ['a stop', { hook, x: 'stop' }, ['hook → x'], []],
  ['another trigger', { hook, r: 'respond', other: 'trigger', a: 'set' }, ['hook → r', 'other → a'], []],
])('%s', (_title, nodes, connections, expected) => {
  const doc = parseDocument(nodes, connections);
  const named = { ...doc, nodes: new Map([...doc.nodes].map(([id, node]) => [id, { ...node, name: id }])) };
  expect(listEndsWithoutRespond(named, builtinCatalog, 'hook')).toEqual(expected);
});
