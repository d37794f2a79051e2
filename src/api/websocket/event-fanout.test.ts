import { expect, test } from 'vitest';
import type { Principal } from '../../contract/principal.ts';
import { createInProcessEvents } from '../../coordination/in-process/events.ts';
import type { ExecutionUpdate } from '../../ports/events.ts';
import { createExecutionEvents } from '../../services/executions/execution-events.service.ts';
import { createEventFanout, type EventSubscriber } from './event-fanout.ts';
import { createSendScheduler } from './send-scheduler.ts';

const ada: Principal = { userId: 'usr_a', role: 'member', plan: 'pro', scopes: null, via: 'session' };
const none = { get: () => Promise.resolve(null) };

function setUp() {
  const bus = createInProcessEvents((error) => {
    throw error;
  });
  const flusher = createSendScheduler();
  const events = createExecutionEvents({
    executions: none,
    workflows: none,
    events: bus,
    failed: (error) => {
      throw error;
    },
  });
  const publish = (executionId: string, progress = 0): void => {
    const update: ExecutionUpdate = {
      kind: 'execution_update',
      ownerId: 'usr_a',
      executionId,
      workflowId: 'wf_a',
      status: 'running',
      progress,
      currentNode: 'n',
      timestamp: 0,
    };
    bus.publish(update);
  };
  /** Runs until no task is left. */
  const settle = async (): Promise<void> => {
    for (let i = 0; i <= 3 || flusher.isBehind; i++) await new Promise((resolve) => setTimeout(resolve, 1));
  };
  return { bus, feeds: createEventFanout(events, flusher), publish, settle };
}
function collecting(): EventSubscriber & { got: ExecutionUpdate[] } {
  const received: ExecutionUpdate[] = [];
  return { got: received, offer: ({ event }) => void received.push(event as ExecutionUpdate) };
}

test('publishing sends nothing; every subscriber later gets all events in order', async () => {
  const { feeds, publish, settle } = setUp();
  const readers = [collecting(), collecting()];
  for (const reader of readers) feeds.join(ada, reader);
  for (let i = 0; i < 50; i++) publish('ex_a', i);
  expect(readers.map(({ got }) => got.length)).toEqual([0, 0]);
  await settle();
  for (const { got } of readers) expect(got.map(({ progress }) => progress)).toEqual(Array.from(got.keys()));
  expect(readers.map(({ got }) => got.length)).toEqual([50, 50]);
});

test('more than 1 MiB at once: the queue is bounded and every last update arrives', async () => {
  const { feeds, publish, settle } = setUp();
  const reader = collecting();
  feeds.join(ada, reader);
  const count = 20_000;
  for (let progress = 0; progress < 2; progress++)
    for (let i = 0; i < count; i++) publish(`ex_${i}`, progress);
  // Each event counts 300 bytes, so some 3,500 fit into the queue.
  expect(reader.got.length).toBeGreaterThan(2 * count - 4_000);
  await settle();
  const last = new Map(reader.got.map(({ executionId, progress }) => [executionId, progress]));
  expect(last.size).toBe(count);
  expect([...last.values()].every((progress) => progress === 1)).toBe(true);
});

test('a subscriber that has left gets nothing, and the last one ends the subscription', async () => {
  const { bus, feeds, publish, settle } = setUp();
  const [stays, goes] = [collecting(), collecting()];
  const leave = [feeds.join(ada, stays), feeds.join(ada, goes)];
  publish('ex_a');
  leave[1]!();
  leave[1]!();
  await settle();
  expect([stays.got.length, goes.got.length]).toEqual([1, 0]);
  expect(bus.hasSubscriber('usr_a')).toBe(true);
  leave[0]!();
  expect(bus.hasSubscriber('usr_a')).toBe(false);
  feeds.join(ada, goes)();
  expect(bus.hasSubscriber('usr_a')).toBe(false);
});

test('joining requires executions:read', () => {
  const { bus, feeds } = setUp();
  const leave = feeds.join(ada, collecting());
  expect(() => feeds.join({ ...ada, scopes: new Set() }, collecting())).toThrow(
    'This credential lacks the scope executions:read.',
  );
  leave();
  expect(bus.hasSubscriber('usr_a')).toBe(false);
});
