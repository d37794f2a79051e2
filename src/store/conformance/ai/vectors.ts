import { beforeEach, expect, test } from 'vitest';
import { MAX_COLLECTIONS, type VectorCondition } from '../../../contract/ai/vectors.ts';
import { packEmbedding } from '../../../lib/vectors/packed-embedding.ts';
import type { Store } from '../../../ports/store.ts';
import type { StoredVectorDocument, VectorUpsert } from '../../../ports/store/ai/vectors.ts';
import { T0 } from '../samples.ts';

const document = (
  key: string,
  embedding: readonly number[],
  fields: StoredVectorDocument['fields'] = [],
): StoredVectorDocument => ({
  key,
  text: `Text of ${key}`,
  source: null,
  metadata: JSON.stringify(Object.fromEntries(fields)),
  fields,
  embedding: packEmbedding(embedding)!,
});

const DOCUMENTS = [
  document(
    'east',
    [1, 0],
    [
      ['lang', 'en'],
      ['year', 2020],
      ['open', true],
    ],
  ),
  document(
    'north',
    [0, 1],
    [
      ['lang', 'de'],
      ['year', 2022],
      ['open', false],
    ],
  ),
  document(
    'north-east',
    [1, 1],
    [
      ['lang', 'en'],
      ['lang', 'fr'],
      ['year', 2024.5],
    ],
  ),
];

/** `hasSearch`: PostgreSQL without pgvector refuses collections. */
export function vectorsSuite(store: () => Store): void {
  let hasSearch = true;
  const upsert = (fields: Partial<VectorUpsert> = {}, ownerId = 'usr_a') =>
    store().vectors.upsert(ownerId, {
      id: `vc_${ownerId}_${fields.collection ?? 'docs'}`,
      collection: 'docs',
      model: 'm',
      dimensions: 2,
      documents: DOCUMENTS,
      at: T0,
      ...fields,
    });
  const query = (
    embedding: readonly number[],
    conditions: readonly VectorCondition[] = [],
    { ownerId = 'usr_a', model = 'm', limit = 10, collection = 'docs' } = {},
  ) =>
    store().vectors.query(ownerId, {
      collection,
      model,
      dimensions: embedding.length,
      embedding: packEmbedding(embedding)!,
      conditions,
      limit,
    });
  const keys = async (...args: Parameters<typeof query>) => {
    const result = await query(...args);
    return result.kind === 'found' ? result.matches.map(({ key }) => key) : result;
  };

  beforeEach(async () => {
    const first = await upsert();
    hasSearch = first.kind === 'stored';
    if (!hasSearch)
      expect(first).toMatchObject({ kind: 'refused', issue: expect.stringContaining('pgvector') });
  });

  test('a database that cannot compare embeddings refuses collections, and has none', async ({ skip }) => {
    skip(hasSearch);
    expect(await query([1, 0])).toMatchObject({ kind: 'refused', field: 'collection' });
    expect(await store().vectors.list('usr_a', null, 0, 10)).toEqual({ items: [], total: 0 });
    expect(await store().vectors.removeDocuments('usr_a', 'docs', { conditions: [] })).toBe(0);
    expect(await store().vectors.remove('usr_a', 'docs')).toBe(false);
  });

  test('the most similar documents come first', async ({ skip }) => {
    skip(!hasSearch);
    expect(await query([2, 0.1], [], { limit: 2 })).toMatchObject({
      kind: 'found',
      matches: [
        {
          key: 'east',
          score: expect.closeTo(0.99875, 3),
          text: 'Text of east',
          source: null,
          metadata: { lang: 'en', year: 2020, open: true },
        },
        { key: 'north-east', score: expect.closeTo(0.7415, 3) },
      ],
    });
    expect(await query([-1, 0], [], { limit: 1 })).toMatchObject({ matches: [{ key: 'north' }] });
  });

  test('conditions compare fields of the metadata', async ({ skip }) => {
    skip(!hasSearch);
    const found = async (...conditions: VectorCondition[]) => await keys([1, 0.1], conditions);
    expect(await found({ field: 'lang', operator: 'in', values: ['en'] })).toEqual(['east', 'north-east']);
    expect(await found({ field: 'lang', operator: 'in', values: ['fr', 'de', 'it'] })).toEqual([
      'north-east',
      'north',
    ]);
    expect(await found({ field: 'open', operator: 'in', values: [false, 2020] })).toEqual(['north']);
    expect(await found({ field: 'year', operator: 'in', values: [2024.5] })).toEqual(['north-east']);
    expect(await found({ field: 'year', operator: 'in', values: ['2020'] })).toEqual([]);
    expect(await found({ field: 'year', operator: 'greater_or_equal', value: 2022 })).toEqual([
      'north-east',
      'north',
    ]);
    expect(await found({ field: 'year', operator: 'less_than', value: 2022 })).toEqual(['east']);
    expect(await found({ field: 'lang', operator: 'greater_than', value: 'en' })).toEqual(['north-east']);
    expect(await found({ field: 'missing', operator: 'less_or_equal', value: 5 })).toEqual([]);
    expect(
      await found(
        { field: 'year', operator: 'greater_than', value: 2020 },
        { field: 'year', operator: 'less_or_equal', value: 2022 },
        { field: 'lang', operator: 'in', values: ['de'] },
      ),
    ).toEqual(['north']);
  });

  test('an upsert is repeated without a trace, and replaces by key', async ({ skip }) => {
    skip(!hasSearch);
    expect(await upsert({ id: 'vc_other' })).toEqual({ kind: 'stored', stored: 3 });
    expect(await store().vectors.get('usr_a', 'docs')).toEqual({
      name: 'docs',
      model: 'm',
      dimensions: 2,
      documents: 3,
      createdAt: T0,
      updatedAt: T0,
    });
    await upsert({ documents: [document('east', [0, -1], [['lang', 'it']])], at: T0 + 5 });
    expect(await keys([0, -1], [], { limit: 1 })).toEqual(['east']);
    expect(await keys([1, 0], [{ field: 'lang', operator: 'in', values: ['en'] }])).toEqual(['north-east']);
    expect(await store().vectors.get('usr_a', 'docs')).toMatchObject({ documents: 3, updatedAt: T0 + 5 });
  });

  test('another model or number of dimensions is refused, and nothing is stored', async ({ skip }) => {
    skip(!hasSearch);
    const more = [document('more', [1, 0, 0])];
    expect(await upsert({ model: 'n', documents: more })).toMatchObject({ kind: 'refused', field: 'model' });
    expect(await upsert({ dimensions: 3, documents: more })).toMatchObject({ field: 'embeddings' });
    expect(await query([1, 0, 0])).toMatchObject({ kind: 'refused', field: 'embedding' });
    expect(await query([1, 0], [], { model: 'n' })).toMatchObject({ kind: 'refused', field: 'model' });
    expect(await store().vectors.get('usr_a', 'docs')).toMatchObject({ documents: 3 });
  });

  test('collections belong to their owner, and are limited', async ({ skip }) => {
    skip(!hasSearch);
    expect(await query([1, 0], [], { ownerId: 'usr_b' })).toMatchObject({
      kind: 'refused',
      field: 'collection',
    });
    await upsert({ model: 'n', documents: DOCUMENTS.slice(0, 1) }, 'usr_b');
    expect(await store().vectors.list('usr_b', null, 0, 10)).toMatchObject({
      total: 1,
      items: [{ name: 'docs', model: 'n', documents: 1 }],
    });
    expect(await store().vectors.remove('usr_c', 'docs')).toBe(false);
    for (let i = 1; i < MAX_COLLECTIONS; i++)
      await upsert({ collection: `c${i}`, documents: DOCUMENTS.slice(0, 1) });
    expect(await upsert({ collection: 'more' })).toMatchObject({ kind: 'refused', type: 'limit' });
    expect(await store().vectors.list('usr_a', 'c9', 1, 3)).toMatchObject({
      total: 11,
      items: [{ name: 'c90' }, { name: 'c91' }, { name: 'c92' }],
    });
  });

  test('documents are deleted by key and by conditions', async ({ skip }) => {
    skip(!hasSearch);
    const remove = (which: Parameters<Store['vectors']['removeDocuments']>[2], collection = 'docs') =>
      store().vectors.removeDocuments('usr_a', collection, which);
    expect(await remove({ keys: ['east', 'missing'] })).toBe(1);
    expect(await remove({ keys: ['east'] }, 'missing')).toBe(0);
    expect(await keys([1, 0])).toEqual(['north-east', 'north']);
    const many = Array.from({ length: 1_201 }, (_, i) => document(`m${i}`, [1, i], [['many', true]]));
    await upsert({ documents: many });
    expect(await remove({ conditions: [{ field: 'many', operator: 'in', values: [true] }] })).toBe(1_201);
    expect(await store().vectors.get('usr_a', 'docs')).toMatchObject({ documents: 2 });
  });

  test('a deleted collection begins anew', async ({ skip }) => {
    skip(!hasSearch);
    expect(await store().vectors.remove('usr_a', 'docs')).toBe(true);
    expect(await store().vectors.get('usr_a', 'docs')).toBeNull();
    expect(await store().vectors.remove('usr_a', 'docs')).toBe(false);
    await upsert({ model: 'n', documents: DOCUMENTS.slice(0, 1) });
    expect(await store().vectors.get('usr_a', 'docs')).toMatchObject({ model: 'n', documents: 1 });
  });
}
