import { afterEach, beforeEach, expect, test } from 'vitest';
import { createJsonRedactor } from '../../src/services/credentials/redaction.ts';
import { EngineFixture, owner } from '../support/engine-fixture.ts';
import type { TriggerFailure } from '../../src/ports/notifier.ts';
import type { ActiveTriggers } from '../../src/ports/store/active-triggers.ts';
import { createSchedules } from '../../src/services/triggers/schedules.service.ts';
import { createWebhooks } from '../../src/services/webhooks/webhooks.service.ts';

let fixture: EngineFixture;
let errors: TriggerFailure[];
beforeEach(async () => {
  fixture = await new EngineFixture().open();
  errors = [];
});
afterEach(() => fixture.close());

async function activate(config: Record<string, string>, live: ActiveTriggers): Promise<void> {
  await fixture.store.workflows.save({
    row: {
      id: 'wf_t',
      ownerId: owner,
      name: 'T',
      description: '',
      status: 'active',
      version: 1,
      activeVersion: 1,
      settings: {},
      tags: [],
      createdAt: 1,
      updatedAt: 1,
    },
    definition: { nodes: [{ id: 't', type: 'trigger', config }], connections: [] },
    expected: null,
    live,
  });
}
const location = { workflowId: 'wf_t', nodeId: 't', ownerId: owner, version: 1 };

test('an unreadable schedule is reported once, not on every pass', async () => {
  const spec = { triggerType: 'schedule', cron: 'never' };
  const row = { ...location, spec, nextRunAt: fixture.clock.now(), lastError: null };
  await activate(spec, { webhooks: [], schedules: [row], completionTriggers: [], pollingTriggers: [] });
  const schedules = createSchedules({
    workflows: fixture.store.workflows,
    engine: fixture.engine,
    failed: (problem) => errors.push(problem),
    clock: fixture.clock,
    timezone: 'UTC',
    report: (_message, error) => fixture.reports.push(error),
  });
  schedules.start();
  await fixture.until('the error', () => errors.length > 0);
  for (let i = 0; i < 5; i++) schedules.wake();
  await schedules.stop();
  expect(errors).toEqual([
    {
      ownerId: owner,
      workflowId: 'wf_t',
      nodeId: 't',
      kind: 'schedule',
      issue: expect.stringMatching(/^The schedule cannot be read: /),
    },
  ]);
  expect((await fixture.store.workflows.schedules(owner, 'wf_t'))[0]!.lastError).toBe(errors[0]!.issue);
});

test('the same reason at the next tick is no news; another one is', async () => {
  const spec = { triggerType: 'schedule', interval: '1m' };
  const row = { ...location, spec, nextRunAt: fixture.clock.now(), lastError: null };
  await activate(spec, { webhooks: [], schedules: [row], completionTriggers: [], pollingTriggers: [] });
  let issue = 'a';
  const { engine } = fixture;
  const schedules = createSchedules({
    workflows: fixture.store.workflows,
    // The stored definition is one that runs; what an engine says of one that does not is given here.
    engine: {
      ...engine,
      start: async (request) => {
        const started = await engine.start({ ...request, workflowVersion: 7 }).catch((error: Error) => error);
        expect(started).toBeInstanceOf(Error);
        (started as Error).message = issue;
        throw started as Error;
      },
    },
    failed: (problem) => errors.push(problem),
    clock: fixture.clock,
    timezone: 'UTC',
    report: (_message, error) => fixture.reports.push(error),
  });
  schedules.start();
  const nextRun = async () => (await fixture.store.workflows.schedules(owner, 'wf_t'))[0]!.nextRunAt!;
  for (const each of ['a', 'a', 'b', 'b', 'a']) {
    issue = each;
    const due = await nextRun();
    fixture.clock.advance(Math.max(0, due - fixture.clock.now()));
    await fixture.until('the tick', async () => (await nextRun()) > due);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  await schedules.stop();
  expect(errors.map((problem) => problem.issue)).toEqual(['a', 'b', 'a']);
});

test('a webhook without its secret notifies its owner, but not on every call', async () => {
  const config = {
    triggerType: 'webhook',
    endpoint: 'in',
    method: 'POST',
    authentication: 'bearer',
    secret: 'KEY',
  };
  const route = { ...location, method: 'POST', endpoint: 'in', shape: 'in' };
  await activate(config, { webhooks: [route], schedules: [], completionTriggers: [], pollingTriggers: [] });
  let secret: string | null = null;
  const webhooks = createWebhooks({
    workflows: fixture.store.workflows,
    executions: fixture.store.executions,
    engine: fixture.engine,
    clock: fixture.clock,
    ids: { next: (kind) => `${kind}_1` },
    files: { put: () => Promise.reject(new Error('There are no files here.')) },
    secret: () => secret,
    send: () => Promise.reject(new Error('Nothing is called here.')),
    streams: { open: () => Promise.reject(new Error('Nothing is streamed here.')) },
    loadRedactor: () => Promise.resolve(createJsonRedactor([])),
    rateLimit: null,
    failed: (problem) => errors.push(problem),
  });
  await webhooks.open();
  const call = (token: string) =>
    webhooks.receive({
      method: 'POST',
      path: 'in',
      query: '',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: Buffer.from('{}'),
      url: () => 'http://weft.test/v1/webhooks/in',
    });
  for (let i = 0; i < 5; i++) await expect(call('x')).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  expect(errors).toEqual([
    {
      ownerId: owner,
      workflowId: 'wf_t',
      nodeId: 't',
      kind: 'webhook',
      issue: 'There is no secret KEY, so every call is refused.',
    },
  ]);
  fixture.clock.advance(600_000);
  await expect(call('x')).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  expect(errors).toHaveLength(2);
  // The caller is responsible for a wrong credential.
  secret = 'right';
  fixture.clock.advance(600_000);
  await expect(call('wrong')).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  await call('right');
  expect(errors).toHaveLength(2);
});
