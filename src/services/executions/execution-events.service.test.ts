import { expect, test } from 'vitest';
import type { Principal } from '../../contract/principal.ts';
import { createInProcessEvents } from '../../coordination/in-process/events.ts';
import type { Notification, WeftEvent } from '../../ports/events.ts';
import { createExecutionEvents } from './execution-events.service.ts';

const ada: Principal = { userId: 'usr_a', role: 'member', plan: 'pro', scopes: null, via: 'session' };
const news: Notification = {
  kind: 'notification',
  ownerId: 'usr_a',
  level: 'info',
  message: 'm',
  timestamp: 0,
};
const missing = { get: () => Promise.resolve(null) };

test('more receivers than subscribers; all get the same object, and the last one unsubscribes', () => {
  const bus = createInProcessEvents((error) => {
    throw error;
  });
  const errors: unknown[] = [];
  const events = createExecutionEvents({
    executions: missing,
    workflows: missing,
    events: bus,
    failed: (error) => errors.push(error),
  });
  const received: WeftEvent[] = [];
  const leave = Array.from({ length: 1_500 }, () =>
    events.subscribe(ada, (event) => void received.push(event)),
  );
  leave.push(
    events.subscribe(ada, () => {
      throw new Error('a fault');
    }),
  );
  bus.publish(news);
  expect(received).toHaveLength(1_500);
  expect(received.every((event) => event === news)).toBe(true);
  expect(errors).toHaveLength(1);
  bus.publish({ ...news, ownerId: 'usr_b' });
  expect(received).toHaveLength(1_500);
  for (const one of leave) one();
  for (const one of leave) one();
  expect(bus.hasSubscriber('usr_a')).toBe(false);
  const again = events.subscribe(ada, () => {});
  leave[0]!();
  expect(bus.hasSubscriber('usr_a')).toBe(true);
  again();
});

test('subscribing requires executions:read', () => {
  const bus = createInProcessEvents(() => {});
  const events = createExecutionEvents({
    executions: missing,
    workflows: missing,
    events: bus,
    failed: () => {},
  });
  expect(() => events.subscribe({ ...ada, scopes: new Set(['workflows:read']) }, () => {})).toThrow(
    'This credential lacks the scope executions:read.',
  );
  expect(bus.hasSubscriber('usr_a')).toBe(false);
});
