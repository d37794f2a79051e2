import { beforeEach, expect, test } from 'vitest';
import type { Json } from '../../lib/json/json.ts';
import { limits } from '../../ports/limits.ts';
import type { Store } from '../../ports/store.ts';
import type { WorkflowChange } from '../../ports/store/workflows.ts';
import { beginning, creation, HOUR_MS, next, route, schedule, T0, user, workflow } from './samples.ts';

export function workflowsSuite(current: () => Store): void {
  let store: Store;
  beforeEach(() => {
    store = current();
  });
  const list = async (filter: Parameters<Store['workflows']['list']>[1], owner = 'usr_a') =>
    (await store.workflows.list(owner, filter, 0, 100)).rows.map((row) => row.id);

  test('saved workflows are read back, version by version', async () => {
    const settings = { timeout: '5m', max_concurrency: 2 };
    const first = workflow('wf_1', {
      row: { settings, tags: ['x', 'ü'], description: 'd', activeVersion: null },
    });
    expect(await store.workflows.save(first)).toEqual({ kind: 'saved' });
    expect(await store.workflows.get('usr_a', 'wf_1')).toEqual({
      ...first.row,
      nodeCount: 1,
      executionCount: 0,
    });
    const definition = { nodes: [], connections: [], annotations: ['note'] };
    const row = { version: 2, name: 'Two', updatedAt: T0 + 1 };
    const second = workflow('wf_1', { row, definition, expected: 1 });
    expect(await store.workflows.save(second)).toEqual({ kind: 'saved' });
    expect(await store.workflows.get('usr_a', 'wf_1')).toMatchObject({
      name: 'Two',
      version: 2,
      nodeCount: 0,
    });
    expect((await store.workflows.version('usr_a', 'wf_1', 1))?.definition).toEqual(first.definition);
    expect(await store.workflows.version('usr_a', 'wf_1', 2)).toEqual({
      workflowId: 'wf_1',
      version: 2,
      name: null,
      author: null,
      definition,
      createdAt: T0 + 1,
    });
    expect(await store.workflows.version('usr_a', 'wf_1', 3)).toBeNull();
    expect(await store.workflows.versions('usr_a', 'wf_1', 0, 1)).toEqual({
      rows: [{ version: 2, name: null, author: null, createdAt: T0 + 1, nodeCount: 0 }],
      total: 2,
    });
    const key = { workflowId: 'wf_1', version: 1 };
    expect(await store.workflows.nameVersion({ ...key, ownerId: 'usr_a' }, 'First')).toBe(true);
    expect(await store.workflows.nameVersion({ ...key, ownerId: 'usr_b' }, 'Mine')).toBe(false);
    expect(await store.workflows.nameVersion({ ...key, ownerId: 'usr_a', version: 9 }, 'x')).toBe(false);
    expect((await store.workflows.version('usr_a', 'wf_1', 1))?.name).toBe('First');
    expect((await store.workflows.versions('usr_a', 'wf_1', 1, 1))?.rows).toMatchObject([{ name: 'First' }]);
    expect(await store.workflows.nameVersion({ ...key, ownerId: 'usr_a' }, null)).toBe(true);
    expect((await store.workflows.version('usr_a', 'wf_1', 1))?.name).toBeNull();
  });

  test('the author of a version, with the name of that time', async () => {
    await store.accounts.createUser(user('usr_a', { name: 'Ada' }));
    const apiKey = {
      id: 'key_a',
      ownerId: 'usr_a',
      name: 'Deployment',
      hash: 'hash',
      prefix: 'weft_',
      scopes: null,
      expiresAt: null,
      createdAt: T0,
      lastUsedAt: null,
    };
    await store.accounts.createApiKey(apiKey);
    const save = (version: number, author: WorkflowChange['author']) =>
      store.workflows.save({
        ...workflow('wf_1', { row: { version }, expected: version === 1 ? null : version - 1 }),
        author: author ?? null,
      });
    await save(1, null);
    await save(2, { type: 'user', id: 'usr_a' });
    await save(3, { type: 'api_key', id: apiKey.id });
    await save(4, { type: 'oauth_client', id: 'client_that_was_deleted' });
    await store.accounts.removeApiKey('usr_a', apiKey.id);
    const found = await store.workflows.versions('usr_a', 'wf_1', 0, 10);
    expect(found?.rows.map(({ author }) => author)).toEqual([
      null,
      { type: 'api_key', name: 'Deployment' },
      { type: 'user', name: 'Ada' },
      null,
    ]);
    expect((await store.workflows.version('usr_a', 'wf_1', 2))?.author).toEqual({
      type: 'user',
      name: 'Ada',
    });
  });

  test('definitions of tests are numbered once, not listed, and deleted after their executions', async () => {
    await store.workflows.save(workflow('wf_a'));
    const { definition } = workflow('wf_b');
    const test = {
      ownerId: 'usr_a',
      workflowId: 'wf_a',
      definition,
      author: { type: 'user' as const, id: 'usr_a' },
      createdAt: T0,
    };
    expect(await store.workflows.saveTest({ ...test, ownerId: 'usr_b' })).toBeNull();
    expect(await store.workflows.saveTest(test)).toBe(-1);
    expect(await store.workflows.saveTest(test)).toBe(-2);
    expect(await store.workflows.version('usr_a', 'wf_a', -2)).toMatchObject({ version: -2, definition });
    expect(await store.workflows.versions('usr_a', 'wf_a', 0, 10)).toMatchObject({
      rows: [{ version: 1 }],
      total: 1,
    });
    const create = { workflowVersion: -2, retention: 48 * HOUR_MS };
    await store.executions.commit([creation('ex_test', { create })]);

    const isThere = async (version: number): Promise<boolean> =>
      (await store.workflows.version('usr_a', 'wf_a', version)) !== null;
    await store.maintenance.prune(T0 + 24 * HOUR_MS + 1, 10);
    expect([await isThere(-1), await isThere(-2)]).toEqual([false, true]);
    await store.maintenance.prune(T0 + 72 * HOUR_MS, 10);
    expect(await isThere(-2)).toBe(false);
    expect(await store.workflows.saveTest(test)).toBe(-3);
  });

  test('the active triggers of a workflow', async () => {
    const event = {
      workflowId: 'wf_1',
      nodeId: 'on',
      ownerId: 'usr_a',
      kind: 'event' as const,
      on: 'completed' as const,
      source: null,
      target: 'wf_1',
    };
    const live = {
      webhooks: [route('wf_1', 'a/:b')],
      schedules: [],
      completionTriggers: [event],
      pollingTriggers: [],
    };
    await store.workflows.save(workflow('wf_1', { live }));
    const other = {
      webhooks: [route('wf_2', 'c')],
      schedules: [],
      completionTriggers: [],
      pollingTriggers: [],
    };
    await store.workflows.save(workflow('wf_2', { live: other }));
    expect(await store.workflows.listWebhooksAndCompletionTriggers('wf_1')).toEqual({
      webhooks: live.webhooks,
      completionTriggers: [event],
    });
    expect(await store.workflows.listWebhooksAndCompletionTriggers('wf_3')).toEqual({
      webhooks: [],
      completionTriggers: [],
    });
  });

  test('pinned outputs are replaced, limited, and deleted with their workflow', async () => {
    const { pinnedOutputs } = store;
    const pin = (nodeId: string, output: Json, owner = 'usr_a', ports: string[] | null = null) =>
      pinnedOutputs.put(owner, 'wf_1', { nodeId, output, ports, pinnedAt: T0 });
    expect(await pin('a', 1)).toBe('missing');
    expect(await pinnedOutputs.list('usr_a', 'wf_1')).toBeNull();
    await store.workflows.save(workflow('wf_1'));
    expect(await pin('a', { text: 'ü\u0000' })).toBe('saved');
    expect(await pin('b', null, 'usr_a', ['true'])).toBe('saved');
    expect(await pin('b', [1])).toBe('saved');
    expect(await pin('c', { x: 1, y: 2 })).toBe('saved');
    expect(await pin('c', { x: 1, y: 2 }, 'usr_a', ['x', 'y'])).toBe('saved');
    expect(await pin('b', 1, 'usr_b')).toBe('missing');
    expect(await pinnedOutputs.list('usr_a', 'wf_1')).toEqual([
      { nodeId: 'a', output: { text: 'ü\u0000' }, ports: null, pinnedAt: T0 },
      { nodeId: 'b', output: [1], ports: null, pinnedAt: T0 },
      { nodeId: 'c', output: { x: 1, y: 2 }, ports: ['x', 'y'], pinnedAt: T0 },
    ]);
    expect(await pinnedOutputs.remove('usr_a', 'wf_1', 'c')).toBe(true);
    expect(await pinnedOutputs.list('usr_b', 'wf_1')).toBeNull();
    const half = 'x'.repeat(limits.pinnedOutputBytes / 2);
    expect(await pin('b', half)).toBe('saved');
    expect(await pin('c', half)).toBe('too_large');
    expect(await pinnedOutputs.remove('usr_b', 'wf_1', 'b')).toBe(false);
    expect(await pinnedOutputs.remove('usr_a', 'wf_1', 'b')).toBe(true);
    expect(await pinnedOutputs.remove('usr_a', 'wf_1', 'b')).toBe(false);
    for (let i = 1; i < limits.pinnedOutputs; i++) expect(await pin(`n${i}`, i)).toBe('saved');
    expect(await pin('one more', 1)).toBe('too_many');
    expect(await pin('a', 2)).toBe('saved');
    await store.workflows.remove('usr_a', 'wf_1');
    await store.workflows.save(workflow('wf_2'));
    expect(await pinnedOutputs.list('usr_a', 'wf_1')).toBeNull();
    expect(await pinnedOutputs.list('usr_a', 'wf_2')).toEqual([]);
  });

  test('a stale version or a missing workflow is not saved', async () => {
    expect(await store.workflows.save(workflow('wf_1', { expected: 1, row: { version: 2 } }))).toEqual({
      kind: 'missing',
    });
    await store.workflows.save(workflow('wf_1'));
    const change = (fields: object) => workflow('wf_1', { row: { version: 2, ...fields }, expected: 1 });
    expect(await store.workflows.save(change({ ownerId: 'usr_b' }))).toEqual({ kind: 'missing' });
    const both = await Promise.all([store.workflows.save(change({})), store.workflows.save(change({}))]);
    expect(both).toEqual([{ kind: 'saved' }, { kind: 'stale', current: 2 }]);
    expect(await store.workflows.save(workflow('wf_1'))).toEqual({ kind: 'stale', current: 2 });
  });

  test('a dry run returns the same as a save, and changes nothing', async () => {
    const live = {
      webhooks: [route('wf_1', 'orders')],
      schedules: [],
      completionTriggers: [],
      pollingTriggers: [],
    };
    const dry = (id: string, rest = {}) =>
      store.workflows.save({ ...workflow(id, { live, ...rest }), isDryRun: true });
    expect(await dry('wf_1')).toEqual({ kind: 'saved' });
    expect(await store.workflows.get('usr_a', 'wf_1')).toBeNull();
    expect(await store.workflows.listWebhooks()).toEqual([]);
    await store.workflows.save(workflow('wf_1', { live }));
    expect(await dry('wf_2')).toMatchObject({ kind: 'taken', endpoint: 'orders' });
    expect(await dry('wf_1', { row: { version: 3 }, expected: 2 })).toEqual({ kind: 'stale', current: 1 });
    expect(await dry('wf_1', { row: { version: 2 }, expected: 1 })).toEqual({ kind: 'saved' });
    expect(await store.workflows.get('usr_a', 'wf_1')).toMatchObject({ version: 1 });
  });

  test('an active method and endpoint belong to one workflow', async () => {
    const save = (id: string, endpoints: string[], rest = {}) =>
      store.workflows.save(
        workflow(id, {
          live: {
            webhooks: endpoints.map((e) => route(id, e)),
            schedules: [],
            completionTriggers: [],
            pollingTriggers: [],
          },
          ...rest,
        }),
      );
    expect(await save('wf_1', ['orders/:id', 'b'])).toEqual({ kind: 'saved' });
    const taken = { kind: 'taken', method: 'POST', endpoint: 'orders/:number' };
    expect(await save('wf_2', ['c', 'orders/:number'])).toEqual(taken);
    expect(await store.workflows.get('usr_a', 'wf_2')).toBeNull();
    expect((await save('wf_2', ['x', 'x'])).kind).toBe('taken');
    const get = {
      webhooks: [route('wf_2', 'orders/:id', 'GET')],
      schedules: [],
      completionTriggers: [],
      pollingTriggers: [],
    };
    expect(await store.workflows.save(workflow('wf_2', { live: get }))).toEqual({ kind: 'saved' });
    expect((await store.workflows.listWebhooks()).map((w) => `${w.method} ${w.shape}`).toSorted()).toEqual([
      'GET orders/:',
      'POST b',
      'POST orders/:',
    ]);
    expect(await save('wf_1', ['b'], { row: { version: 2 }, expected: 1 })).toEqual({ kind: 'saved' });
    expect(await save('wf_3', ['orders/:id'])).toEqual({ kind: 'saved' });
    expect(await store.workflows.listWebhooks()).toContainEqual(route('wf_3', 'orders/:id'));
  });

  test('schedules: due in order, advanced only from their current time', async () => {
    const schedules = [schedule('wf_1', 'a', 30), schedule('wf_1', 'b', 10), schedule('wf_1', 'c', null)];
    await store.workflows.save(
      workflow('wf_1', { live: { webhooks: [], schedules, completionTriggers: [], pollingTriggers: [] } }),
    );
    expect(await store.workflows.nextSchedule()).toBe(10);
    expect((await store.workflows.dueSchedules(30, 9)).map((s) => s.nodeId)).toEqual(['b', 'a']);
    expect(await store.workflows.dueSchedules(30, 1)).toEqual([{ ...schedules[1], queuedUntil: null }]);
    await store.workflows.queueTicks('wf_1', 'b', 20);
    await store.workflows.queueTicks('wf_1', 'b', 25);
    expect((await store.workflows.dueSchedules(30, 9)).map((s) => s.queuedUntil)).toEqual([25, null]);
    const tick = { workflowId: 'wf_1', nodeId: 'b', due: 10, next: 70 };
    expect(await store.workflows.moveSchedule(tick, 'busy')).toBe(true);
    expect(await store.workflows.moveSchedule(tick, 'busy')).toBe(false);
    expect((await store.workflows.schedules('usr_a', 'wf_1'))[1]).toMatchObject({
      nextRunAt: 70,
      lastError: 'busy',
    });
    expect(await store.workflows.moveSchedule({ ...tick, due: 70, next: null }, null)).toBe(true);
    expect(await store.workflows.nextSchedule()).toBe(30);
    expect(await store.workflows.schedules('usr_b', 'wf_1')).toEqual([]);
    await store.workflows.save(workflow('wf_1', { row: { version: 2 }, expected: 1 }));
    expect(await store.workflows.nextSchedule()).toBeNull();
  });

  test('lists: by status, tag and text in any script, with literal special characters', async () => {
    const rows = [
      { name: 'Straße nach Genève', description: 'ÜBER 100% of_it' },
      { name: 'ΟΔΟΣ', description: String.raw`back\slash`, tags: ['A', 'b'] },
      { name: 'of it', description: '100', tags: ['a'], status: 'draft' as const },
    ];
    for (const [i, row] of rows.entries()) {
      await store.workflows.save(workflow(`wf_${i}`, { row: { ...row, createdAt: T0 + i } }));
    }
    await store.workflows.save(workflow('wf_b', { row: { ownerId: 'usr_b', name: 'über' } }));
    expect(await list({})).toEqual(['wf_2', 'wf_1', 'wf_0']);
    expect(await list({ status: 'draft' })).toEqual(['wf_2']);
    expect(await list({ tag: 'a' })).toEqual(['wf_2']);
    expect(await list({ tag: 'A', search: 'σ' })).toEqual(['wf_1']);
    for (const search of ['über', 'STRASSE', 'genÈve', 'gene\u0300ve', '100%', 'of_it']) {
      expect([search, await list({ search })]).toEqual([search, ['wf_0']]);
    }
    expect(await list({ search: 'οδος' })).toEqual(['wf_1']);
    expect(await list({ search: '\\S' })).toEqual(['wf_1']);
    expect(await list({ search: '%' })).toEqual(['wf_0']);
    expect(await list({ search: 'of' })).toEqual(['wf_2', 'wf_0']);
    expect(await list({ search: "' OR 1=1 --" })).toEqual([]);
    expect(await store.workflows.list('usr_a', {}, 1, 1)).toMatchObject({ rows: [{ id: 'wf_1' }], total: 3 });
  });

  test("hides an owner's workflows from other owners", async () => {
    await store.workflows.save(workflow('wf_1'));
    expect(await store.workflows.get('usr_b', 'wf_1')).toBeNull();
    expect(await store.workflows.version('usr_b', 'wf_1', 1)).toBeNull();
    expect(await store.workflows.versions('usr_b', 'wf_1', 0, 9)).toBeNull();
    expect(await list({}, 'usr_b')).toEqual([]);
    expect(await store.workflows.remove('usr_b', 'wf_1')).toBe(false);
    expect(await store.workflows.get('usr_a', 'wf_1')).not.toBeNull();
  });

  test('deleting a workflow deletes everything of it, and nothing else', async () => {
    const live = {
      webhooks: [route('wf_1', 'x')],
      schedules: [schedule('wf_1', 'a', 10)],
      completionTriggers: [],
      pollingTriggers: [],
    };
    await store.workflows.save(workflow('wf_1', { live, row: { tags: ['t'] } }));
    await store.workflows.save(workflow('wf_2'));
    const dedupe = { scope: 's', key: 'k', fingerprint: 'f', expiresAt: T0 + HOUR_MS };
    await store.executions.commit([
      beginning('ex_big', { create: { workflowId: 'wf_1', dedupe }, setTimers: [{ path: 'a', dueAt: 1 }] }),
      ...Array.from({ length: 5_000 }, (_, i) => next('ex_big', 1, i + 1, { status: 'running' })),
      ...Array.from({ length: 250 }, (_, i) => creation(`ex_${i}`, { create: { workflowId: 'wf_1' } })),
      creation('ex_other', { create: { workflowId: 'wf_2' } }),
    ]);
    expect((await store.workflows.get('usr_a', 'wf_1'))?.executionCount).toBe(251);
    expect(await store.workflows.remove('usr_a', 'wf_1')).toBe(true);
    expect(await store.workflows.remove('usr_a', 'wf_1')).toBe(false);
    expect(await store.workflows.get('usr_a', 'wf_1')).toBeNull();
    expect(await store.workflows.version('usr_a', 'wf_1', 1)).toBeNull();
    expect(await store.workflows.listWebhooks()).toEqual([]);
    expect(await store.workflows.nextSchedule()).toBeNull();
    expect(await store.executions.nextTimer()).toBeNull();
    expect(await store.executions.get('usr_a', 'ex_big')).toBeNull();
    expect(await store.executions.journal('usr_a', 'ex_big', 0, 9)).toEqual([]);
    expect(await store.executions.findDedupe('usr_a', 's', 'k', T0)).toBeNull();
    expect((await store.executions.list('usr_a', {}, 0, 9)).rows.map((row) => row.id)).toEqual(['ex_other']);
    expect(await store.executions.statusCounts()).toMatchObject({ running: 0, completed: 1 });
    expect((await store.executions.commit([next('ex_big', 1, 5_001)]))[0]).toEqual({ kind: 'stale' });
    const gone = await store.executions.commit([creation('ex_new', { create: { workflowId: 'wf_1' } })]);
    expect(gone).toEqual([{ kind: 'workflow_gone' }]);
  });
}
