import { afterEach, beforeEach, expect, test } from 'vitest';
import { EngineFixture, owner } from '../support/engine-fixture.ts';
import { createInProcessEvents } from '../../src/coordination/in-process/events.ts';
import { createJsonRedactor } from '../../src/services/credentials/redaction.ts';
import type { Events, Notification, WeftEvent } from '../../src/ports/events.ts';
import { creation } from '../../src/store/conformance/samples.ts';
import {
  createNotifications,
  withFailureNotifications,
  type Notifications,
} from '../../src/services/observability/notifications.service.ts';

const SECRET = 'hunter22-hunter22';
const MINUTE_MS = 60_000;

let fixture: EngineFixture;
let bus: Events;
let notifications: Notifications;
let received: Notification[];
let order: string[];
let leave: () => void;

beforeEach(async () => {
  fixture = new EngineFixture();
  bus = createInProcessEvents((error) => fixture.reports.push(error));
  fixture.around = () =>
    withFailureNotifications(bus, (update) => {
      notifications.executionFailed(update);
    });
  await fixture.open();
  const redact = createJsonRedactor([SECRET]);
  notifications = createNotifications({
    events: bus,
    executions: fixture.store.executions,
    workflows: fixture.store.workflows,
    loadRedactor: () => Promise.resolve(redact),
    clock: fixture.clock,
    report: (_message, error) => fixture.reports.push(error),
  });
  listen();
});
afterEach(async () => {
  notifications.close();
  await fixture.close();
  expect(fixture.reports).toEqual([]);
});

function listen(who = owner): void {
  received = [];
  order = [];
  leave = bus.subscribe(who, (event: WeftEvent) => {
    if (event.kind === 'notification') received.push(event);
    if (event.kind !== 'log') order.push(event.kind === 'notification' ? 'notification' : event.status);
  });
}

const failing = (message = 'broken') =>
  fixture.save([{ id: 'p', type: 'probe', config: {} }], ['start > p']).then((id) => {
    fixture.probes.set('p', () => ({ kind: 'failed', error: { type: 'network', message } }));
    return id;
  });
const settle = () => new Promise((resolve) => setTimeout(resolve, 20));

test('a failed execution is reported once, after its end, with its names and no secret', async () => {
  const id = await failing(`the key ${SECRET} was refused`);
  const { id: execution } = await fixture.start(id);
  await fixture.until('a notification', () => received.length > 0);
  await settle();
  expect(received).toEqual([
    {
      kind: 'notification',
      ownerId: owner,
      level: 'error',
      message: `The execution ${execution} of the workflow "${id}" failed at the node p: the key ••• was refused`,
      timestamp: expect.any(Number),
      data: { execution_id: execution, workflow_id: id, node_id: 'p', error_type: 'network' },
    },
  ]);
  expect(order.slice(-2)).toEqual(['failed', 'notification']);
});

test('nothing is published before the failure is on disk', async () => {
  const id = await failing();
  let letGo = (): void => {};
  const egress = new Promise<void>((resolve) => (letGo = resolve));
  const { executions } = fixture.store;
  fixture.store.executions = {
    ...executions,
    async commit(batch) {
      if (batch.some((one) => one.status === 'failed')) await egress;
      return executions.commit(batch);
    },
  };
  await fixture.openEngine();
  const { id: execution } = await fixture.start(id);
  await fixture.until('its attempt', () => fixture.calls.length > 0);
  for (let i = 0; i < 10; i++) await settle();
  expect(received).toEqual([]);
  expect(await fixture.status(execution)).not.toBe('failed');
  letGo();
  await fixture.until('a notification', () => received.length > 0);
  expect(await fixture.status(execution)).toBe('failed');
});

test('an execution that can no longer run is reported too', async () => {
  const workflowId = await fixture.save([{ id: 'g', type: 'no_such_type', config: {} }], ['start > g']);
  const create = { ownerId: owner, workflowId, createdAt: fixture.clock.now() };
  await fixture.store.executions.commit([
    creation('ex_1', { status: 'queued', progress: 0, startTime: null, endTime: null, create }),
  ]);
  fixture.clock.advance(2_000);
  await fixture.until('a notification', () => received.length > 0);
  expect(received[0]!.message).toBe(
    `The execution ex_1 of the workflow "${workflowId}" failed: This version of the workflow can no longer run: it uses a node type that no longer exists.`,
  );
  expect(order).toEqual(['failed', 'notification']);
});

test('executions that complete, are stopped, or belong to another user are not reported', async () => {
  leave();
  const foreign: WeftEvent[] = [];
  const out = bus.subscribe('usr_2', (event) => foreign.push(event));
  const bad = await failing();
  await fixture.start(bad);
  await fixture.until('its end', async () => (await fixture.store.executions.statusCounts()).failed === 1);
  await settle();
  expect(foreign).toEqual([]);
  out();
  listen();
  const good = await fixture.save([{ id: 'g', type: 'probe', config: {} }], ['start > g']);
  const first = await fixture.start(good);
  await fixture.until('its end', async () => (await fixture.status(first.id)) === 'completed');
  fixture.probes.set('g', () => new Promise(() => {}));
  const second = await fixture.start(good);
  await fixture.until('its start', () => fixture.calls.length === 3);
  await fixture.engine.stop(owner, second.id);
  await settle();
  expect(received).toEqual([]);
});

test('a storm of failures is ten notifications and a number', async () => {
  const id = await failing();
  for (let i = 0; i < 25; i++) await fixture.start(id);
  await fixture.until('all ends', async () => (await fixture.store.executions.statusCounts()).failed === 25);
  await settle();
  expect(received).toHaveLength(10);
  fixture.clock.advance(MINUTE_MS);
  expect(received).toHaveLength(11);
  expect(received[10]).toMatchObject({
    level: 'error',
    message: '15 more executions failed within the last minute.',
    data: { more: 15 },
  });
  fixture.clock.advance(MINUTE_MS);
  expect(received).toHaveLength(11);
  await fixture.start(id);
  await fixture.until('a new one', () => received.length === 12);
});

test('80 % and 100 % of the limit', () => {
  const state = { allowed: true, limit: 1000, remaining: 200, reset: 1_800_003_600, retryAfter: 0 };
  notifications.rateReached(owner, 80, state);
  notifications.rateReached(owner, 100, state);
  notifications.rateReached('usr_2', 100, state);
  expect(received.map(({ level, message }) => [level, message])).toEqual([
    [
      'warning',
      '80 % of the 1000 requests of this hour are used; there are new ones from 2027-01-15T09:00:00.000Z on.',
    ],
    [
      'error',
      'All 1000 requests of this hour are used; there are new ones from 2027-01-15T09:00:00.000Z on.',
    ],
  ]);
});

test('a trigger that cannot be served', async () => {
  const workflowId = await failing();
  const problem = {
    ownerId: owner,
    workflowId,
    nodeId: 't',
    kind: 'schedule',
    issue: `No ${SECRET}.`,
  } as const;
  notifications.triggerFailed(problem);
  notifications.triggerFailed({ ...problem, workflowId: 'wf_none' });
  await settle();
  expect(received).toMatchObject([
    {
      level: 'error',
      message: `The schedule of the workflow "${workflowId}" could not be served: No •••.`,
      data: { workflow_id: workflowId, node_id: 't', trigger: 'schedule' },
    },
  ]);
});

test('messages of a workflow are redacted before they are truncated', async () => {
  notifications.notify({ ownerId: owner, level: 'success', message: 'Done.', data: { key: SECRET } });
  // The cut falls into the secret.
  notifications.notify({
    ownerId: owner,
    level: 'info',
    message: `${'x'.repeat(990)}${SECRET}${'y'.repeat(99)}`,
  });
  notifications.notify({ ownerId: owner, level: 'info', message: 'm', data: 'z'.repeat(20_000) });
  await settle();
  expect(received[0]).toMatchObject({ level: 'success', message: 'Done.', data: { key: '•••' } });
  expect(received[1]!.message).toHaveLength(1_000);
  expect(received[1]!.message).toContain('•••');
  expect(received[1]!.message).not.toContain('hunter');
  expect(received[2]).not.toHaveProperty('data');
  for (let i = 0; i < 70; i++) notifications.notify({ ownerId: owner, level: 'info', message: 'm' });
  await settle();
  expect(received).toHaveLength(60);
  fixture.clock.advance(MINUTE_MS);
  expect(received.at(-1)).toMatchObject({
    level: 'warning',
    message: '13 more notifications were left out within the last minute.',
  });
});

test('without subscribers nothing is read, counted or stored', async () => {
  leave();
  const id = await failing();
  let reads = 0;
  const quiet = createNotifications({
    events: bus,
    executions: { get: () => Promise.reject(new Error(String(reads++))) },
    workflows: { get: () => Promise.reject(new Error(String(reads++))) },
    loadRedactor: () => Promise.reject(new Error(String(reads++))),
    clock: fixture.clock,
    report: (_message, error) => fixture.reports.push(error),
  });
  for (let i = 0; i < 100; i++) {
    quiet.executionFailed({ ownerId: owner, executionId: 'ex', workflowId: id });
    quiet.notify({ ownerId: owner, level: 'info', message: 'm' });
  }
  await settle();
  expect(reads).toBe(0);
  listen();
  fixture.clock.advance(MINUTE_MS);
  expect(received).toEqual([]);
});
