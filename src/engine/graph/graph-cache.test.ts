import { expect, test } from 'vitest';
import type { Definition } from '../../contract/definition.ts';
import { createNodeTypes } from '../../nodes/catalog.ts';
import { builtinNodes } from '../../nodes/registry.ts';
import type { VersionKey, WorkflowVersionRow } from '../../ports/store/workflows.ts';
import { GraphCache } from './graph-cache.ts';

const types = createNodeTypes(builtinNodes);
const clock = { now: () => Date.now(), soon: (run: () => void) => void setImmediate(run) };

/** Workflows of one owner, each version of `nodes` nodes, and how often one was read. */
function cacheOver(nodes: number) {
  const definition: Definition = {
    nodes: Array.from({ length: nodes }, (_, i) => ({
      id: `n${i}`,
      type: 'trigger',
      position: { x: 0, y: 0 },
      config: { triggerType: 'manual' },
    })),
    connections: [],
  };
  const asked: string[] = [];
  const row = (ownerId: string, { workflowId, version }: VersionKey): WorkflowVersionRow | null => {
    asked.push(`${workflowId}@${version}`);
    return ownerId === 'ann' && version > 0
      ? { workflowId, version, name: null, author: null, definition, createdAt: 0 }
      : null;
  };
  const cache = new GraphCache(
    {
      version: (ownerId, workflowId, version) => Promise.resolve(row(ownerId, { workflowId, version })),
      getManyVersions: (ownerId, wanted) =>
        Promise.resolve(wanted.map((key) => row(ownerId, key)).filter((found) => found !== null)),
    },
    { of: () => Promise.resolve(types) },
    clock,
  );
  return { cache, asked };
}

test('reads a version once, and returns it only to its owner', async () => {
  const { cache, asked } = cacheOver(2);
  expect(cache.getCached('ann', 'a', 1)).toBe(undefined);
  const graph = await cache.load('ann', 'a', 1);
  expect(graph?.nodes.size).toBe(2);
  expect(cache.getCached('ann', 'a', 1)).toBe(graph);
  expect(await cache.load('ann', 'a', 1)).toBe(graph);
  expect(asked).toEqual(['a@1']);
  expect(cache.getCached('bob', 'a', 1)).toBe(undefined);
  expect(await cache.load('bob', 'a', 1)).toBe(null);
  expect(cache.getCached('ann', 'a', 1)).toBe(graph);
  expect(await cache.load('ann', 'a', 0)).toBe(null);
});

test('returns several graphs in the requested order and reads only missing ones', async () => {
  const { cache, asked } = cacheOver(1);
  const known = await cache.load('ann', 'a', 2);
  const wanted = [
    { workflowId: 'b', version: 1 },
    { workflowId: 'a', version: 2 },
    { workflowId: 'a', version: 0 },
    { workflowId: 'b', version: 1 },
  ];
  const graphs = await cache.loadMany('ann', wanted);
  expect(asked).toEqual(['a@2', 'b@1', 'a@0']);
  expect(graphs).toEqual([cache.getCached('ann', 'b', 1), known, null, cache.getCached('ann', 'b', 1)]);
  expect(graphs[0]).toBeDefined();
});

test('evicts the least recently used graphs first and keeps the newest', async () => {
  const { cache } = cacheOver(10_000);
  const all = ['a@1', 'a@2', ...'bcdefghij'.split('').map((workflow) => `${workflow}@1`)];
  const load = (key: string) => cache.load('ann', key[0]!, Number(key[2]));
  const kept = () => all.filter((key) => cache.getCached('ann', key[0]!, Number(key[2])) !== undefined);
  for (const key of all.slice(0, -1)) await load(key);
  await load('a@1');
  expect(kept()).toEqual(all.slice(0, -1));
  await load('j@1');
  expect(kept()).toEqual(all.filter((key) => key !== 'b@1'));
});
