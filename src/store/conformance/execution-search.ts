import { beforeEach, expect, test } from 'vitest';
import type { NodeError, TriggerType } from '../../contract/execution.ts';
import type { Store } from '../../ports/store.ts';
import { beginning, creation, HOUR_MS, next, T0, workflow } from './samples.ts';

const error = (message: string, nodeId = 'fetch', data?: string): NodeError => ({
  type: 'server_error',
  message,
  node_id: nodeId,
  attempt: 1,
  ...(data === undefined ? {} : { data }),
});

/** Search of executions, and reads of their retries. */
export function executionSearchSuite(current: () => Store): void {
  let store: Store;
  beforeEach(async () => {
    store = current();
    await store.workflows.save(workflow('wf_a'));
    await store.workflows.save(workflow('wf_c'));
    await store.workflows.save(workflow('wf_b', { row: { ownerId: 'usr_b' } }));
  });
  const fail = (id: string, at: number, failure: NodeError, workflowId = 'wf_a') =>
    creation(id, { status: 'failed', error: failure, create: { createdAt: T0 + at, workflowId } });
  const found = async (...args: Parameters<Store['executions']['search']>): Promise<string[]> =>
    (await store.executions.search(...args)).hits.map((hit) => hit.id);

  test('finds executions by words of the message, failed node, trigger and id', async () => {
    const started = (type: TriggerType, id: string, at: number) =>
      creation(id, { create: { createdAt: T0 + at, trigger: { type, note: '"type":"webhook"' } } });
    await store.executions.commit([
      fail('ex_1a', 1, error('POST https://shop.example responded with 500: "Läuft nicht"')),
      fail('ex_1b', 2, error('GET https://shop.example responded with 404', 'fetch_2', 'responded with 500')),
      fail('ex_2a', 3, error('100%_done \\ is not a number', 'sum'), 'wf_c'),
      started('webhook', 'ex_2b', 4),
      started('schedule', 'ex_3', 5),
      creation('ex_2z', {
        status: 'failed',
        error: error('responded with 500'),
        create: { ownerId: 'usr_b', workflowId: 'wf_b' },
      }),
    ]);
    expect(await found('usr_a', {}, { words: ['RESPONDED'] })).toEqual(['ex_1b', 'ex_1a']);
    expect(await found('usr_a', {}, { words: ['500', 'responded'] })).toEqual(['ex_1a']);
    expect(await found('usr_a', {}, { words: ['"läuft'] })).toEqual(['ex_1a']);
    expect(await found('usr_a', {}, { words: ['LÄUFT'] })).toEqual(['ex_1a']);
    expect(await found('usr_a', {}, { words: ['%_D', '\\'] })).toEqual(['ex_2a']);
    expect(await found('usr_a', {}, { words: ['server_error'] })).toEqual([]);
    expect(await found('usr_a', { workflowId: 'wf_a' }, { words: ['number'] })).toEqual([]);
    expect(await found('usr_a', {}, { failedNode: 'fetch' })).toEqual(['ex_1a']);
    expect(await found('usr_a', {}, { failedNode: 'fetch_2', words: ['404'] })).toEqual(['ex_1b']);
    expect(await found('usr_a', { status: 'failed' }, { failedNode: 'fet' })).toEqual([]);
    expect(await found('usr_a', {}, { trigger: 'webhook' })).toEqual(['ex_2b']);
    expect(await found('usr_a', {}, { idPrefix: 'ex_2' })).toEqual(['ex_2b', 'ex_2a']);
    expect(await found('usr_a', { from: T0 + 4 }, { idPrefix: 'ex_' })).toEqual(['ex_3', 'ex_2b']);
    expect(await store.executions.search('usr_a', {}, { words: ['number'] })).toEqual({
      hits: [{ id: 'ex_2a', texts: ['100%_done \\ is not a number'] }],
      searchedFrom: null,
    });
  });

  test('finds executions by words in the input and in outputs, of any status', async () => {
    const begin = (v: unknown) => ({ e: 'begin', at: T0, entry: 'n1', input: { v } });
    const end = (v: unknown) => ({ e: 'end', p: 'n1', o: { v: { main: v } } });
    const rows = (...events: object[]) => ({ events: JSON.stringify(events) });
    await store.executions.commit([
      creation('ex_1', {
        ...rows(begin({ order: 'A-4711', note: 'Für "Zoë"\nund C:\\Daten' }), end({ total: 129.5 })),
        create: { createdAt: T0 + 1 },
      }),
      creation('ex_2', {
        ...rows(begin({ order: 'A-4712' }), { e: 'end', p: 'n2', stop: { output: ['STRASSE'] } }),
        create: { createdAt: T0 + 2, workflowId: 'wf_c' },
      }),
      beginning('ex_3', { ...rows(begin({ order: 'B-4711' })), create: { createdAt: T0 + 3 } }),
      creation('ex_4', { ...rows(begin('A-4711')), create: { ownerId: 'usr_b', workflowId: 'wf_b' } }),
      fail('ex_5', 5, error('No customer 4711')),
      creation('ex_6', { ...rows(begin(`${'x'.repeat(600_000)} 4711`)), create: { createdAt: T0 + 6 } }),
    ]);
    await store.executions.commit([
      next('ex_3', 1, 1, { ...rows(end({ invoice: 'INV-9' })), status: 'running', endTime: null }),
      next('ex_3', 1, 2, { ...rows({ e: 'end', p: 'n2', respond: { body: { ok: 'posted' } } }) }),
    ]);
    expect(await found('usr_a', {}, { words: ['4711'] })).toEqual(['ex_5', 'ex_3', 'ex_1']);
    expect(await found('usr_a', {}, { words: ['a-4711'] })).toEqual(['ex_1']);
    expect(await found('usr_a', {}, { words: ['ZOË'] })).toEqual(['ex_1']);
    expect(await found('usr_a', {}, { words: ['129.5', 'c:\\daten'] })).toEqual(['ex_1']);
    expect(await found('usr_a', {}, { words: ['straße'] })).toEqual(['ex_2']);
    expect(await found('usr_a', {}, { words: ['inv-9', 'b-4711', 'POSTED'] })).toEqual(['ex_3']);
    // Neither the names of fields nor of ports.
    for (const word of ['order', 'main', 'begin'])
      expect(await found('usr_a', {}, { words: [word] })).toEqual([]);
    expect(await found('usr_a', { status: 'failed' }, { words: ['4711'] })).toEqual(['ex_5']);
    expect(await found('usr_a', { status: 'completed' }, { words: ['4711'] })).toEqual(['ex_3', 'ex_1']);
    expect(await found('usr_a', { workflowId: 'wf_c' }, { words: ['a-471'] })).toEqual(['ex_2']);
    expect(await found('usr_a', {}, { words: ['4711'], trigger: 'webhook' })).toEqual([]);
    expect(await found('usr_a', {}, { words: ['4711'], failedNode: 'fetch' })).toEqual(['ex_5']);
    expect(await store.executions.search('usr_a', { to: T0 + 2 }, { words: ['4711', 'zoë'] })).toEqual({
      hits: [
        { id: 'ex_1', texts: expect.toSatisfy((texts: string[]) => texts.includes('A-4711')) as string[] },
      ],
      searchedFrom: null,
    });
    await store.maintenance.prune(T0 + 99 * HOUR_MS, 100);
    expect(await found('usr_a', {}, { words: ['a-4711'] })).toEqual([]);
  });

  test('a search reads the first and the last values of a long execution', async () => {
    const end = (v: string) => JSON.stringify([{ e: 'end', p: 'n1', o: { v: { main: v } } }]);
    await store.executions.commit([beginning('ex_1', { events: end('value-0.') })]);
    for (let seq = 1; seq < 30; seq++)
      await store.executions.commit([
        next('ex_1', 1, seq, { events: end(`value-${seq}.`), status: 'running', endTime: null }),
      ]);
    const covered: number[] = [];
    for (let seq = 0; seq < 30; seq++)
      if ((await found('usr_a', {}, { words: [`value-${seq}.`] })).length > 0) covered.push(seq);
    expect(covered).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 22, 23, 24, 25, 26, 27, 28, 29]);
  });

  test('a search of values reads 64 MiB and parses 16 MiB, and continues before the time that it names', async () => {
    const filler = 'lorem ipsum '.repeat(40_000);
    for (let i = 0; i < 150; i += 30)
      await store.executions.commit(
        Array.from({ length: 30 }, (_, k) =>
          creation(`ex_${String(i + k).padStart(3, '0')}`, {
            events: JSON.stringify([
              { e: 'begin', input: { v: `${filler}${i + k === 0 ? 'needle' : 'hay'}` } },
            ]),
            create: { createdAt: T0 + i + k },
          }),
        ),
      );
    const first = await store.executions.search('usr_a', {}, { words: ['needle'] });
    expect(first.hits).toEqual([]);
    expect(first.searchedFrom).toBeGreaterThan(T0 + 5);
    expect(first.searchedFrom).toBeLessThan(T0 + 20);
    const rest = await store.executions.search('usr_a', { to: first.searchedFrom! }, { words: ['needle'] });
    expect(rest.hits.map(({ id }) => id)).toEqual(['ex_000']);
    expect(rest.searchedFrom).toBeNull();
    const all = await store.executions.search('usr_a', {}, { words: ['ipsum'] });
    expect(all.hits.length).toBeGreaterThan(30);
    expect(all.hits.length).toBeLessThan(50);
    expect(all.searchedFrom).toBeGreaterThan(T0 + 100);
  });

  test('a search covers 10,000 executions, and continues before the time that it names', async () => {
    for (let i = 0; i < 11_000; i += 1_000)
      await store.executions.commit(
        Array.from({ length: 1_000 }, (_, k) =>
          creation(`ex_${String(i + k).padStart(5, '0')}`, {
            create: {
              createdAt: T0 + i + k,
              trigger: { type: (i + k) % 1_000 === 0 ? 'webhook' : 'manual' },
            },
          }),
        ),
      );
    const first = await store.executions.search('usr_a', {}, { trigger: 'webhook' });
    expect(first.searchedFrom).toBe(T0 + 1_000);
    expect(first.hits).toHaveLength(10);
    const rest = await store.executions.search('usr_a', { to: first.searchedFrom! }, { trigger: 'webhook' });
    expect(rest).toEqual({ hits: [{ id: 'ex_00000', texts: [] }], searchedFrom: null });
    const many = await store.executions.search('usr_a', {}, { trigger: 'manual' });
    expect(many.hits).toHaveLength(1_000);
    expect(many.searchedFrom).toBeGreaterThan(T0 + 9_900);
  });

  test('the last executions of many workflows, only of the owner', async () => {
    await store.executions.commit([
      creation('ex_1', { create: { createdAt: T0 + 1 } }),
      beginning('ex_2', { startTime: null, create: { createdAt: T0 + 2 } }),
      creation('ex_3', { create: { createdAt: T0 } }),
      creation('ex_4', { create: { ownerId: 'usr_b', workflowId: 'wf_b' } }),
    ]);
    expect(await store.executions.listLast('usr_a', ['wf_a', 'wf_b', 'wf_c', 'wf_none'])).toEqual([
      { id: 'ex_2', workflowId: 'wf_a', status: 'running', startTime: null },
    ]);
    expect(await store.executions.listLast('usr_a', ['wf_c'])).toEqual([]);
    expect(await store.executions.listLast('usr_a', [])).toEqual([]);
  });

  test('retries and rows of many executions, only of the owner', async () => {
    const retry = (id: string, retryOf: string, more: object = {}) =>
      beginning(id, { create: { retryOf, ...more } });
    await store.executions.commit([
      creation('ex_1'),
      creation('ex_2'),
      retry('ex_3', 'ex_1'),
      creation('ex_4', { status: 'failed', create: { retryOf: 'ex_1' } }),
      retry('ex_5', 'ex_2'),
      retry('ex_6', 'ex_2', { ownerId: 'usr_b', workflowId: 'wf_b' }),
    ]);
    const retries = await store.executions.listRetries('usr_a', ['ex_1', 'ex_2', 'ex_3', 'ex_none']);
    expect(retries.map(({ id, retryOf, status }) => [id, retryOf, status])).toEqual([
      ['ex_5', 'ex_2', 'running'],
      ['ex_4', 'ex_1', 'failed'],
      ['ex_3', 'ex_1', 'running'],
    ]);
    expect(retries[0]!.startTime).toBe(T0);
    expect(await store.executions.listRetries('usr_a', [])).toEqual([]);
    const rows = await store.executions.many('usr_a', ['ex_1', 'ex_6', 'ex_none']);
    expect(rows).toEqual([await store.executions.get('usr_a', 'ex_1')]);
    expect(await store.executions.many('usr_a', [])).toEqual([]);
  });
}
