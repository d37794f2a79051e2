import { expect, test } from 'vitest';
import { openTrigger } from '../../web/src/canvas/model/open-trigger.ts';
import { builtinCatalog } from './support/builtin-catalog.ts';
import { parseDocument } from './support/doc.ts';

const manual = ['trigger', { triggerType: 'manual' }] as const;
const webhook = ['trigger', { triggerType: 'webhook' }] as const;
const at = { x: 0, y: 0 };

test.each([
  ['an empty workflow', {}, {}, null],
  ['the only trigger, which is manual', { a: manual, b: 'set' }, {}, 'a'],
  ['a trigger of no kind yet', { a: 'trigger' }, {}, 'a'],
  ['the only trigger, from a place that was pointed at', { a: manual }, { position: at, screen: at }, 'a'],
  ['the only trigger, from another node', { a: manual, b: 'set' }, { from: { node: 'b' } }, 'a'],
  ['the selected one of two', { a: manual, b: manual }, { from: { node: 'b' } }, 'b'],
  ['two triggers and none selected', { a: manual, b: manual }, {}, null],
  ['a trigger that is set up', { a: webhook }, {}, null],
  ['a selected trigger that is set up', { a: manual, b: webhook }, { from: { node: 'b' } }, null],
  ['one that is dropped somewhere', { a: manual }, { position: at }, null],
  ['one that leads to a node', { a: manual, b: 'set' }, { to: { node: 'b' } }, null],
])('%s', (_title, nodes, target, expected) => {
  expect(openTrigger(parseDocument(nodes), builtinCatalog, target)).toBe(expected);
});
