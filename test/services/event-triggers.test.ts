import { afterEach, beforeEach, expect, test } from 'vitest';
import { EngineFixture, owner } from '../support/engine-fixture.ts';
import { WeftError } from '../../src/contract/errors.ts';
import type { TriggerFailure } from '../../src/ports/notifier.ts';
import type { CompletionTrigger } from '../../src/ports/store/active-triggers.ts';
import {
  createCompletionTriggerService,
  type CompletionTriggerService,
  type CompletionTriggerServiceDeps,
} from '../../src/services/triggers/completion-triggers.service.ts';

let fixture: EngineFixture;
let source: string;
let failures: TriggerFailure[];
let opened: CompletionTriggerService[];
beforeEach(async () => {
  fixture = new EngineFixture();
  failures = [];
  opened = [];
  // Opened before the engine, which reads the completion triggers. This one starts nothing, as after a crash.
  fixture.completionTriggers = {
    findStarts: (ended) => opened[0]?.findStarts(ended) ?? null,
    startPending() {},
  };
  await fixture.open();
  source = await fixture.save([], []);
  const route: CompletionTrigger = {
    workflowId: 'wf_t',
    nodeId: 't',
    ownerId: owner,
    kind: 'event',
    on: 'completed',
    source,
    target: 'wf_t',
  };
  await save([route], 'active');
  await open();
});
afterEach(async () => {
  for (const one of opened) await one.stop();
  await fixture.close();
});

async function save(completionTriggers: CompletionTrigger[], status: 'active' | 'inactive'): Promise<void> {
  const before = await fixture.store.workflows.get(owner, 'wf_t');
  const version = (before?.version ?? 0) + 1;
  const config = { triggerType: 'event', workflow_id: source };
  const saved = await fixture.store.workflows.save({
    row: {
      id: 'wf_t',
      ownerId: owner,
      name: 'T',
      description: '',
      status,
      version,
      activeVersion: status === 'active' ? version : null,
      settings: {},
      tags: [],
      createdAt: 1,
      updatedAt: 1,
    },
    definition: { nodes: [{ id: 't', type: 'trigger', config }], connections: [] },
    expected: before?.version ?? null,
    live: { webhooks: [], schedules: [], completionTriggers, pollingTriggers: [] },
  });
  expect(saved.kind).toBe('saved');
}

async function open(more: Partial<CompletionTriggerServiceDeps> = {}): Promise<CompletionTriggerService> {
  const none = { form: [], issues: [], runIssues: [] };
  const triggers = createCompletionTriggerService({
    workflows: fixture.store.workflows,
    executions: fixture.store.executions,
    engine: () => fixture.engine,
    validator: () => ({
      find: () => Promise.resolve(none),
      references: () => Promise.resolve([]),
      findStored: () => Promise.resolve(none),
      findManyStored: () => Promise.resolve([]),
    }),
    failed: (problem) => failures.push(problem),
    clock: fixture.clock,
    report: (_message, error) => fixture.reports.push(error),
    ...more,
  });
  await triggers.open();
  opened.push(triggers);
  return triggers;
}

async function run(): Promise<string> {
  const started = await fixture.engine.start(fixture.request(source, { n: 1 }));
  if (started.kind !== 'accepted') throw new Error(started.kind);
  await started.watch.ended;
  return started.id;
}
const pending = () => fixture.store.executions.listPendingStarts(null, 10);
const followed = async () => {
  const { rows } = await fixture.store.executions.list(owner, { workflowId: 'wf_t' }, 0, 100);
  return rows.map(({ trigger }) => trigger['execution_id']);
};

test('what a process left is started by the next, once, also by two at the same time', async () => {
  const ids = [await run(), await run(), await run()];
  expect((await pending()).map(({ executionId }) => executionId)).toEqual(ids);
  expect(await followed()).toEqual([]);
  const both = [await open(), await open()];
  for (const one of both) one.start();
  await expect.poll(pending).toEqual([]);
  for (const one of both) await one.stop();
  const all = await followed();
  expect(all).toHaveLength(ids.length);
  expect(new Set(all)).toEqual(new Set(ids));
  expect(failures).toEqual([]);
});

test('a trigger whose execution started before a crash is not started again', async () => {
  const id = await run();
  const { executions } = fixture.store;
  const dies = await open({
    executions: { ...executions, removePendingStart: () => Promise.reject(new Error('died')) },
  });
  dies.start();
  await expect.poll(followed).toEqual([id]);
  await dies.stop();
  expect(await pending()).toHaveLength(1);
  (await open()).start();
  await expect.poll(pending).toEqual([]);
  expect(await followed()).toEqual([id]);
});

test('without capacity it waits, and starts when there is some', async () => {
  const id = await run();
  let full = true;
  let tried = 0;
  const triggers = await open({
    engine: () => ({
      page: (...of) => fixture.engine.page(...of),
      start: (request) => {
        tried++;
        return full ? Promise.reject(new WeftError('RATE_LIMITED', 'full')) : fixture.engine.start(request);
      },
    }),
  });
  triggers.start();
  await expect.poll(() => tried).toBe(1);
  expect([await followed(), (await pending()).length]).toEqual([[], 1]);
  full = false;
  await expect
    .poll(() => {
      fixture.clock.advance(1_000);
      return followed();
    })
    .toEqual([id]);
  await expect.poll(pending).toEqual([]);
});

test('a trigger that fails repeatedly is dropped and reported', async () => {
  await run();
  const triggers = await open({
    engine: () => ({
      page: (...of) => fixture.engine.page(...of),
      start: () => Promise.reject(new Error('broken')),
    }),
  });
  triggers.start();
  await expect
    .poll(async () => {
      fixture.clock.advance(1_000);
      return (await pending()).length;
    })
    .toBe(0);
  expect(failures).toMatchObject([{ workflowId: 'wf_t', nodeId: 't', kind: 'event' }]);
  fixture.reports.length = 0;
});

test('a trigger that is no longer active starts nothing and is reported', async () => {
  await run();
  await save([], 'inactive');
  (await open()).start();
  await expect.poll(pending).toEqual([]);
  expect(await followed()).toEqual([]);
  expect(failures).toMatchObject([
    { workflowId: 'wf_t', nodeId: 't', issue: expect.stringContaining('not active') },
  ]);
});
