import { expect, test, vi } from 'vitest';
import type { NodeType } from '../../contract/node-type.ts';
import type { OpenApiManifest } from '../../contract/packs/packs.ts';
import { presentNode } from '../../api/serializers/node.ts';
import { createNodeTypes } from '../../nodes/catalog.ts';
import { createOpenApiNode } from '../../nodes/openapi/openapi-node.ts';
import type { PackSummary } from '../../ports/store/packs.ts';
import { createPackCatalog } from './pack-catalog.ts';
import { compressText } from './pack-encoding.ts';

const builtin = createNodeTypes([]);
const createManifest = (name: string): OpenApiManifest => ({
  kind: 'openapi',
  name,
  version: '1.0.0',
  documentVersion: '1',
  title: name,
  description: 'About it',
  servers: [],
  securitySchemes: [],
  operations: [],
  warnings: [],
});
const createSummary = (name: string): PackSummary => ({
  name,
  version: '1.0.0',
  kind: 'openapi',
  title: name,
  description: 'About it',
  operations: 1,
  documentHash: name,
  documentSize: 1,
  sourceUrl: null,
  installedBy: 'usr_a',
  installedAt: 1,
});

/** A catalog of named packs, which may change, and the names of the manifests it created types of. */
async function createCatalog(...names: string[]) {
  const state = { changes: names.length, names };
  const made: string[] = [];
  const texts = new Map<string, string>();
  for (const name of ['a', 'b', 'c'])
    texts.set(name, await compressText(JSON.stringify(createManifest(name))));
  const manifest = vi.fn((name: string) => Promise.resolve(texts.get(name) ?? null));
  const catalog = createPackCatalog(
    builtin,
    {
      changes: () => Promise.resolve(state.changes),
      all: () => Promise.resolve(state.names.map(createSummary)),
      manifest,
    },
    (given): NodeType => {
      if (given.title !== '') made.push(given.name);
      return createOpenApiNode(given as OpenApiManifest);
    },
  );
  return { catalog, state, made, manifest };
}

test('without packs, the catalog is the built-in one, and nothing is read', async () => {
  const { catalog, manifest } = await createCatalog();
  expect(await catalog.types()).toBe(builtin);
  expect(manifest).not.toHaveBeenCalled();
});

test('a list entry needs no manifest; everything else of the type is made from it, once', async () => {
  const { catalog, made } = await createCatalog('a', 'b');
  const types = await catalog.types();
  expect(
    types
      .all()
      .map(presentNode)
      .map(({ id, pack }) => [id, pack?.name]),
  ).toEqual([
    ['openapi.a', 'a'],
    ['openapi.b', 'b'],
  ]);
  expect(made).toEqual([]);
  const type = types.get('openapi.b', '1.0.0');
  expect(type?.timeout).toBe(createOpenApiNode(createManifest('b')).timeout);
  expect(type !== undefined && 'check' in type).toBe(true);
  expect(made).toEqual(['b']);
});

test('a change keeps the types of the other packs, and reads only new packs', async () => {
  const { catalog, state, manifest } = await createCatalog('a', 'b');
  const [before, again] = await Promise.all([catalog.types(), catalog.types()]);
  expect(again).toBe(before);
  expect(await catalog.types()).toBe(before);
  expect(manifest).toHaveBeenCalledTimes(2);
  Object.assign(state, { changes: 4, names: ['b', 'c'] });
  const after = await catalog.types();
  expect(manifest).toHaveBeenCalledTimes(3);
  expect(after.get('openapi.b')).toBe(before.get('openapi.b'));
  expect(after.get('openapi.a')).toBeUndefined();
  expect(after.versions('openapi.c')).toHaveLength(1);
  expect(await catalog.manifest('a', '1.0.0')).toBeNull();
});
