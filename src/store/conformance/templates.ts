import { beforeEach, expect, test } from 'vitest';
import type { Store } from '../../ports/store.ts';
import type { TemplateRow } from '../../ports/store/templates.ts';
import { T0, user, type StoreUnderTest } from './samples.ts';

const MAX_TEMPLATES = 10;
const template = (name: string, version = '1.0.0', fields: Partial<TemplateRow> = {}): TemplateRow => ({
  ownerId: 'usr_a',
  name,
  version,
  description: `About ${name}`,
  parameters: [{ name: 'n', type: 'integer', required: true, options: [1, 2] }],
  workflow: { name: `${name} {{ parameters.n }}` },
  createdAt: T0,
  ...fields,
});

export function templatesSuite(current: () => StoreUnderTest): void {
  let store: Store['templates'];
  beforeEach(() => {
    store = current().store.templates;
  });

  test('versions coexist; the newest is the greatest, not the last', async () => {
    for (const version of ['1.9.0', '1.10.0', '1.2.30']) {
      expect(await store.create(template('t', version), MAX_TEMPLATES)).toBe('created');
    }
    expect(await store.get('usr_a', 't', null)).toEqual(template('t', '1.10.0'));
    expect(await store.get('usr_a', 't', '1.2.30')).toEqual(template('t', '1.2.30'));
    expect(await store.get('usr_a', 't', '1.2.3')).toBeNull();
    expect(await store.get('usr_a', 'T', null)).toBeNull();
    expect(await store.versions('usr_a', 't')).toEqual(['1.10.0', '1.9.0', '1.2.30']);
    const { workflow: _workflow, ...summary } = template('t', '1.10.0');
    expect(await store.list('usr_a', null, 0, 9)).toEqual({ rows: [summary], total: 1 });
  });

  test('one of two concurrent registrations of a version succeeds, and it never changes', async () => {
    const results = await Promise.all([
      store.create(template('t', '1.0.0', { description: 'first' }), MAX_TEMPLATES),
      store.create(template('t', '1.0.0', { description: 'second' }), MAX_TEMPLATES),
    ]);
    expect(results.toSorted()).toEqual(['created', 'exists']);
    const kept = await store.get('usr_a', 't', '1.0.0');
    expect(kept?.description).toBe(results[0] === 'created' ? 'first' : 'second');
    expect(await store.create(template('t', '1.0.0', { ownerId: 'usr_b' }), MAX_TEMPLATES)).toBe('created');
  });

  test('the limit per owner holds for concurrent creations', async () => {
    const results = await Promise.all(
      Array.from({ length: MAX_TEMPLATES + 3 }, (_, i) => store.create(template(`t${i}`), MAX_TEMPLATES)),
    );
    expect(results.filter((result) => result === 'created').length).toBe(MAX_TEMPLATES);
    expect(results.filter((result) => result === 'full').length).toBe(3);
    expect(await store.create(template('t0', '1.0.0', { ownerId: 'usr_b' }), MAX_TEMPLATES)).toBe('created');
  });

  test('lists are sorted by time, and search names and descriptions', async () => {
    await store.create(template('old', '1.0.0', { createdAt: T0 }), MAX_TEMPLATES);
    await store.create(
      template('new', '1.0.0', { createdAt: T0 + 2, description: '50 % of ÄPFEL' }),
      MAX_TEMPLATES,
    );
    await store.create(template('old', '0.9.0', { createdAt: T0 + 3, description: 'apart' }), MAX_TEMPLATES);
    const names = async (search: string | null, offset = 0, limit = 9): Promise<[string[], number]> => {
      const { rows, total } = await store.list('usr_a', search, offset, limit);
      return [rows.map((row) => row.name), total];
    };
    expect(await names(null)).toEqual([['new', 'old'], 2]);
    expect(await names(null, 1, 1)).toEqual([['old'], 2]);
    expect(await names(null, 5)).toEqual([[], 2]);
    expect(await names('ABOUT OLD')).toEqual([['old'], 1]);
    expect(await names('äpfel')).toEqual([['new'], 1]);
    expect(await names('0 %')).toEqual([['new'], 1]);
    expect(await names('_')).toEqual([[], 0]);
    // Only the newest version is searched, because it is the displayed one.
    expect(await names('apart')).toEqual([[], 0]);
  });

  test('belong to their owner; one version or all are deleted', async () => {
    for (const version of ['1.0.0', '2.0.0']) await store.create(template('t', version), MAX_TEMPLATES);
    expect(await store.get('usr_b', 't', null)).toBeNull();
    expect(await store.versions('usr_b', 't')).toEqual([]);
    expect(await store.list('usr_b', null, 0, 9)).toEqual({ rows: [], total: 0 });
    expect(await store.remove('usr_b', 't', null)).toBe(false);
    expect(await store.remove('usr_a', 't', '3.0.0')).toBe(false);
    expect(await store.remove('usr_a', 't', '2.0.0')).toBe(true);
    expect(await store.remove('usr_a', 't', '2.0.0')).toBe(false);
    expect((await store.get('usr_a', 't', null))?.version).toBe('1.0.0');
    expect(await store.remove('usr_a', 't', null)).toBe(true);
    expect(await store.remove('usr_a', 't', null)).toBe(false);
  });

  test('survive a restart, and are deleted with their owner', async () => {
    await current().store.accounts.createUser(user('usr_a'));
    await store.create(template('t'), MAX_TEMPLATES);
    await store.create(template('t', '1.0.0', { ownerId: 'usr_b' }), MAX_TEMPLATES);
    await current().reopen();
    store = current().store.templates;
    expect(await store.get('usr_a', 't', null)).toEqual(template('t'));
    await current().store.accounts.removeUser('usr_a');
    expect(await store.get('usr_a', 't', null)).toBeNull();
    expect(await store.get('usr_b', 't', null)).not.toBeNull();
  });
}
