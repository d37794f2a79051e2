import { beforeEach, expect, test } from 'vitest';
import type { PackListener } from '../../contract/packs/pack-call.ts';
import type { Store } from '../../ports/store.ts';
import type { PackRow } from '../../ports/store/packs.ts';
import type { PollingTrigger } from '../../ports/store/active-triggers.ts';
import { schedule, T0, workflow, type StoreUnderTest } from './samples.ts';

const ADDRESS = 'first';
const installedPack: PackRow = {
  name: 'weather',
  version: '1.0.0',
  kind: 'npm',
  title: 'Weather',
  description: '',
  operations: 1,
  documentHash: 'hash',
  documentSize: 1,
  sourceUrl: null,
  installedBy: 'usr_a',
  installedAt: T0,
  manifest: 'manifest',
  document: 'document',
};
const end = {
  lastError: null,
  failures: 0,
  number: 1,
  etag: null,
  lastModified: null,
  remember: [],
  listed: [],
};

export function packTriggersSuite(current: () => StoreUnderTest): void {
  let store: Store;
  let version = 0;
  beforeEach(() => {
    ({ store } = current());
    version = 0;
  });
  async function save(memory: PollingTrigger['memory'] | null): Promise<void> {
    const expected = version === 0 ? null : version;
    version += 1;
    const polls: PollingTrigger[] = memory === null ? [] : [{ ...schedule('wf_p', 'a', T0), memory }];
    const row = { version, activeVersion: memory === null ? null : version };
    const live = { webhooks: [], schedules: [], completionTriggers: [], pollingTriggers: polls };
    expect(await store.workflows.save(workflow('wf_p', { row, expected, live }))).toEqual({ kind: 'saved' });
  }
  const request = (id: string, receivedAt: number) => ({ id, receivedAt, request: { raw: id } });
  const receive = (id: string, at: number, most = 9) =>
    store.packTriggers.receive(ADDRESS, request(id, at), most);
  async function enable(listeners: PackListener[] = []): Promise<void> {
    const claim = await store.polls.claim('wf_p', 'a', T0, T0 + 1_000);
    expect(await store.packTriggers.register(claim!, ADDRESS)).toEqual({ address: ADDRESS });
    const received = { processed: null, now: T0 + 5 };
    const listens = { pack: 'demo', address: ADDRESS, listeners };
    expect(
      await store.polls.settle(claim!, { ...end, cursor: 'kept', next: T0 + 500, received, listens }),
    ).toBe(true);
  }

  test('a request makes the trigger due, and is removed with the end of its poll', async () => {
    await save('nothing');
    expect(await receive('a', T0)).toBe('unknown');
    await enable();
    expect(await store.polls.next()).toBe(T0 + 500);
    expect(await receive('a', T0 + 10, 2)).toBe('stored');
    expect(await store.polls.next()).toBe(T0 + 10);
    const claim = await store.polls.claim('wf_p', 'a', T0 + 10, T0 + 1_000);
    expect(await receive('b', T0 + 11, 2)).toBe('stored');
    expect(await receive('c', T0 + 12, 2)).toBe('full');
    expect(await store.polls.next()).toBe(T0 + 1_000);
    const first = await store.packTriggers.firstRequest('wf_p', 'a');
    expect(first).toEqual(request('a', T0 + 10));
    const received = { processed: first, now: T0 + 20 };
    await store.polls.settle(claim!, { ...end, cursor: 'kept', next: T0 + 500, received });
    expect(await store.packTriggers.firstRequest('wf_p', 'a')).toEqual(request('b', T0 + 11));
    expect(await store.polls.next()).toBe(T0 + 20);
  });

  test('requests keep the order in which they were stored, whatever the clocks of their processes', async () => {
    await save('nothing');
    await enable();
    for (const [id, at] of [
      ['b', T0 + 10],
      ['a', T0 + 10],
      ['c', T0 - 5_000],
    ] as const)
      expect(await receive(id, at)).toBe('stored');
    for (const id of ['b', 'a', 'c']) {
      const claim = (await store.polls.claim('wf_p', 'a', (await store.polls.next())!, T0 + 1_000))!;
      const processed = await store.packTriggers.firstRequest('wf_p', 'a');
      expect(processed?.id).toBe(id);
      await store.polls.settle(claim, { ...end, cursor: 'kept', next: T0, received: { processed, now: T0 } });
    }
  });

  test('an event of an app is stored for each active trigger that listens to it', async () => {
    const most = { requests: 2, triggers: 1 };
    const event = { pack: 'demo', event: 'changed', identifier: 'acme', after: '' };
    const nothing = { last: null, stored: [], full: [] };
    await save('nothing');
    expect(await store.packApps.receive(event, request('a', T0), most)).toEqual(nothing);
    await enable([{ event: 'changed', identifier: 'acme' }]);
    for (const other of [{ pack: 'other' }, { event: 'removed' }, { identifier: 'other' }])
      expect(await store.packApps.receive({ ...event, ...other }, request('a', T0), most)).toEqual(nothing);
    const stored = await store.packApps.receive(event, request('a', T0 + 10), most);
    expect(stored).toMatchObject({ last: ADDRESS, stored: [{ workflowId: 'wf_p', nodeId: 'a' }], full: [] });
    expect(await store.polls.next()).toBe(T0 + 10);
    const further = { ...event, after: ADDRESS };
    expect(await store.packApps.receive(further, request('a', T0 + 10), most)).toEqual(nothing);
    await store.packApps.receive(event, request('b', T0 + 11), most);
    const full = await store.packApps.receive(event, request('c', T0 + 12), most);
    expect(full).toMatchObject({ stored: [], full: [{ workflowId: 'wf_p' }] });
    expect(await store.packApps.remove('demo')).toBe(1);
    await save(null);
    expect(await store.packApps.receive(event, request('d', T0 + 13), most)).toEqual(nothing);
    expect(await store.packApps.remove('demo')).toBe('missing');
  });

  test('an app belongs to an installed pack, and keeps its address', async () => {
    const app = { pack: 'weather', address: 'first', secret: 'sealed', updatedAt: T0 };
    expect(await store.packApps.put(app)).toBeNull();
    await store.packs.create(installedPack, { versions: 9, bytes: 9_000 });
    expect(await store.packApps.put(app)).toEqual(app);
    const changed = { ...app, secret: 'other', updatedAt: T0 + 1 };
    expect(await store.packApps.put({ ...changed, address: 'second' })).toEqual(changed);
    expect(await store.packApps.find('first')).toEqual(changed);
    expect(await store.packApps.find('second')).toBeNull();
    const pack = { name: 'weather', nodeType: 'npm.weather' };
    expect(await store.packs.remove(pack, null, T0)).toBe('removed');
    expect(await store.packApps.get('weather')).toBeNull();
  });

  test('a registration whose end is unknown is not used again', async () => {
    await save('nothing');
    const claim = (await store.polls.claim('wf_p', 'a', T0, T0 + 1_000))!;
    expect(await store.packTriggers.register(claim, ADDRESS)).toEqual({ address: ADDRESS });
    expect(await store.packTriggers.register(claim, 'second')).toEqual({ address: 'second' });
    expect(await store.packTriggers.register({ ...claim, fence: claim.fence - 1 }, 'third')).toBeNull();
    expect(await store.packTriggers.find(ADDRESS)).toBeNull();
    expect(await store.packTriggers.find('second')).toMatchObject({ nodeId: 'a', cursor: null });
  });

  test('the end of a trigger adds a removal, after which the address is used again', async () => {
    await save('nothing');
    await enable();
    await receive('a', T0 + 10);
    await save(null);
    expect(await receive('b', T0 + 11)).toBe('unknown');
    await save('all');
    const again = (await store.polls.claim('wf_p', 'a', T0, T0 + 1_000))!;
    expect(again.cursor).toBeNull();
    expect(await store.packTriggers.register(again, 'second')).toBe('waiting');
    const [removal] = await store.packTriggers.dueRemovals(T0, 9);
    expect(removal).toMatchObject({ address: ADDRESS, nodeId: 'a', cursor: 'kept', failures: 0, dueAt: 0 });
    const claims = [1, 2].map(() => store.packTriggers.claimRemoval(ADDRESS, 0, T0 + 50));
    expect((await Promise.all(claims)).filter(Boolean)).toEqual([true]);
    expect(await store.packTriggers.nextRemoval()).toBe(T0 + 50);
    await store.packTriggers.endRemoval(ADDRESS, T0 + 50, { kind: 'retry', failures: 1, next: T0 + 60 });
    expect(await store.packTriggers.claimRemoval(ADDRESS, T0 + 60, T0 + 90)).toBe(true);
    await store.packTriggers.endRemoval(ADDRESS, T0 + 90, { kind: 'done' });
    expect(await store.packTriggers.nextRemoval()).toBeNull();
    expect(await store.packTriggers.register(again, 'second')).toEqual({ address: ADDRESS });
    expect(await store.packTriggers.firstRequest('wf_p', 'a')).toEqual(request('a', T0 + 10));
  });

  test('a removal that is given up is shown, and its address is not used again', async () => {
    await save('nothing');
    await enable();
    await save(null);
    await store.packTriggers.claimRemoval(ADDRESS, 0, T0 + 50);
    await store.packTriggers.endRemoval(ADDRESS, T0 + 50, { kind: 'given_up', error: 'gone' });
    expect(await store.workflows.schedules('usr_a', 'wf_p')).toMatchObject([{ lastError: 'gone' }]);
    await save('all');
    const claim = (await store.polls.claim('wf_p', 'a', T0, T0 + 1_000))!;
    expect(await store.packTriggers.register(claim, 'second')).toEqual({ address: 'second' });
  });

  test('a changed trigger loses its requests, and a deleted workflow keeps only the removal', async () => {
    await save('nothing');
    await enable();
    await receive('a', T0 + 10);
    await save('nothing');
    expect(await store.packTriggers.find(ADDRESS)).toBeNull();
    expect(await store.packTriggers.firstRequest('wf_p', 'a')).toBeNull();
    expect(await store.packTriggers.dueRemovals(T0, 9)).toHaveLength(1);
    await store.workflows.remove('usr_a', 'wf_p');
    expect(await store.packTriggers.dueRemovals(T0, 9)).toHaveLength(1);
  });
}
