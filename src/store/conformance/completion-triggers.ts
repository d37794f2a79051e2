import { beforeEach, expect, test } from 'vitest';
import type { Store } from '../../ports/store.ts';
import type { CompletionStart } from '../../ports/store/completion-triggers.ts';
import type { CompletionTrigger } from '../../ports/store/active-triggers.ts';
import { beginning, creation, next, workflow, type StoreUnderTest } from './samples.ts';

const trigger = (workflowId: string, nodeId = 'on'): CompletionStart => ({
  workflowId,
  nodeId,
  kind: 'event',
});
const setting: CompletionStart = { workflowId: 'wf_b', nodeId: null, kind: 'error' };
const pending = (executionId: string, start: CompletionStart) => ({
  ownerId: 'usr_a',
  executionId,
  ...start,
});

export function completionTriggersSuite(current: () => StoreUnderTest): void {
  let store: Store;
  beforeEach(async () => {
    ({ store } = current());
    await store.workflows.save(workflow('wf_a'));
  });

  test('pending starts are written with the end of the execution, and kept until they are removed', async () => {
    await store.executions.commit([
      beginning('ex_2'),
      creation('ex_1', { completionStarts: [trigger('wf_b'), setting] }),
    ]);
    expect(await store.executions.listPendingStarts(null, 9)).toEqual([
      pending('ex_1', setting),
      pending('ex_1', trigger('wf_b')),
    ]);
    const results = await store.executions.commit([
      next('ex_2', 1, 1, { completionStarts: [trigger('wf_b')] }),
      next('ex_2', 1, 2, { completionStarts: [trigger('wf_c')] }),
    ]);
    // A checkpoint after the end is stale, and starts nothing.
    expect(results.map((result) => result.kind)).toEqual(['written', 'stale']);
    await current().reopen();
    ({ store } = current());
    const all = await store.executions.listPendingStarts(null, 9);
    expect(all).toHaveLength(3);
    expect(await store.executions.listPendingStarts(null, 1)).toEqual(all.slice(0, 1));
    expect(await store.executions.listPendingStarts(all[0]!, 9)).toEqual(all.slice(1));
    await store.executions.removePendingStart(all[1]!);
    await store.executions.removePendingStart(all[1]!);
    expect(await store.executions.listPendingStarts(null, 9)).toEqual([all[0], all[2]]);
  });

  test('a stopped execution starts nothing', async () => {
    await store.executions.commit([beginning('ex_1')]);
    await store.executions.stop('usr_a', 'ex_1', 1, '[]');
    await store.executions.commit([next('ex_1', 1, 1, { completionStarts: [setting] })]);
    expect(await store.executions.listPendingStarts(null, 9)).toEqual([]);
  });

  test('routes are replaced with their workflow, and deleted with it', async () => {
    const route = (nodeId: string | null, rest: Partial<CompletionTrigger> = {}): CompletionTrigger => ({
      workflowId: 'wf_b',
      nodeId,
      ownerId: 'usr_a',
      kind: 'event',
      on: 'completed',
      source: 'wf_a',
      target: 'wf_b',
      ...rest,
    });
    const routes = [
      route(null, { kind: 'error', on: 'failed', source: 'wf_b', target: 'wf_a' }),
      route('all', { source: null }),
      route('on'),
    ];
    const live = (completionTriggers: CompletionTrigger[]) => ({
      live: { webhooks: [], schedules: [], completionTriggers, pollingTriggers: [] },
    });
    await store.workflows.save(workflow('wf_b', live(routes)));
    const found = async () =>
      (await store.workflows.listCompletionTriggers()).toSorted((a, b) =>
        (a.nodeId ?? '').localeCompare(b.nodeId ?? ''),
      );
    expect(await found()).toEqual(routes);
    const row = { version: 2 };
    await store.workflows.save(workflow('wf_b', { ...live(routes.slice(1)), row, expected: 1 }));
    expect(await found()).toEqual(routes.slice(1));
    await store.workflows.remove('usr_a', 'wf_b');
    expect(await found()).toEqual([]);
  });
}
