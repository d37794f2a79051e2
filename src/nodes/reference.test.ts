import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { createNodeTypes } from './catalog.ts';
import { renderNodeReference } from './reference.ts';
import { builtinNodes } from './registry.ts';

it('docs/reference/nodes.md is up to date; regenerate it with: npm test -- src/nodes/reference.test.ts -u', async () => {
  await expect(renderNodeReference(createNodeTypes(builtinNodes).all())).toMatchFileSnapshot(
    '../../docs/reference/nodes.md',
  );
});

it('the registry is in order and lists every file', () => {
  const names = builtinNodes.map(({ type }) => type);
  expect(names, 'Change src/nodes/registry.ts: sort builtinNodes by type').toEqual([...names].sort());
  const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.node.ts'))
    .map((file) => file.replace(/^.*\//, '').replace('.node.ts', '').replaceAll('-', '_'));
  expect(files.sort(), 'Change src/nodes/registry.ts').toEqual(names);
});

it('returns the newest version, and any version by its number', () => {
  const [first] = builtinNodes;
  if (first === undefined) throw new Error('no node types');
  const types = createNodeTypes([first, { ...first, version: '1.10.0' }, { ...first, version: '1.9.0' }]);
  expect(types.versions(first.type).map(({ version }) => version)).toEqual(['1.10.0', '1.9.0', '1.0.0']);
  expect(types.get(first.type)?.version).toBe('1.10.0');
  expect(types.get(first.type, '1.9.0')?.version).toBe('1.9.0');
  expect(types.get(first.type, '2.0.0')).toBeUndefined();
  expect(types.get('toString')).toBeUndefined();
  expect(types.all()).toHaveLength(1);
  expect(() => createNodeTypes([first, first])).toThrow(/listed twice/);
});
