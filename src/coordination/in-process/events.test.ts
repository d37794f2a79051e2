import { expect, test } from 'vitest';
import type { WeftEvent } from '../../ports/events.ts';
import { createInProcessEvents, SUBSCRIBERS_PER_OWNER } from './events.ts';

const event = (ownerId: string, message: string): WeftEvent => ({
  kind: 'notification',
  ownerId,
  level: 'info',
  message,
  timestamp: 0,
});

test('an event reaches its owner’s subscribers only, in order, until they leave', () => {
  const events = createInProcessEvents(() => {});
  const received: string[] = [];
  expect(events.hasSubscriber('a')).toBe(false);
  const leave = events.subscribe('a', (e) => received.push((e as { message: string }).message));
  expect(events.hasSubscriber('a')).toBe(true);
  events.publish(event('a', '1'));
  events.publish(event('b', 'not mine'));
  events.publish(event('a', '2'));
  leave();
  leave();
  events.publish(event('a', '3'));
  expect(received).toEqual(['1', '2']);
  expect(events.hasSubscriber('a')).toBe(false);
});

test('an exception of one does not affect the others', () => {
  const errors: unknown[] = [];
  const events = createInProcessEvents((error) => errors.push(error));
  let received = 0;
  events.subscribe('a', () => {
    throw new Error('x');
  });
  events.subscribe('a', () => received++);
  events.publish(event('a', '1'));
  expect([received, errors.length]).toEqual([1, 1]);
});

test('one owner has a bounded number of subscribers', () => {
  const events = createInProcessEvents(() => {});
  for (let i = 0; i < SUBSCRIBERS_PER_OWNER; i++) events.subscribe('a', () => {});
  expect(() => events.subscribe('a', () => {})).toThrow(/1000/);
  events.subscribe('b', () => {});
});
