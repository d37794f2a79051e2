import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Bus } from '../../ports/bus.ts';
import type { Events, WeftEvent } from '../../ports/events.ts';
import type { TestWebhooks } from '../../ports/test-webhooks.ts';

/** One process of the cluster under test. */
export type Member = { events: Events; bus: Bus; addresses: TestWebhooks; leave(): void };
export type EventsUnderTest = { join(failed?: (error: unknown) => void): Promise<Member>; close(): void };

export async function waitForCondition(
  what: string,
  holds: () => boolean | Promise<boolean>,
  ms = 30_000,
): Promise<void> {
  const end = performance.now() + ms;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`timed out after ${ms} ms waiting for: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

export function notification(ownerId: string, message: string): WeftEvent {
  return { kind: 'notification', ownerId, level: 'info', message, timestamp: 0 };
}
const readMessage = (event: WeftEvent): string => (event.kind === 'notification' ? event.message : '');

/**
 * Tests that every implementation of events, bus and test webhooks must pass, between processes of one
 * service.
 */
export function testEvents(name: string, open: () => EventsUnderTest): void {
  describe(`events ${name}`, () => {
    let tested: EventsUnderTest;
    let members: Member[] = [];
    async function join(failed?: (error: unknown) => void): Promise<Member> {
      const member = await tested.join(failed);
      members.push(member);
      return member;
    }
    beforeEach(() => {
      tested = open();
    });
    afterEach(() => {
      for (const member of members) member.leave();
      members = [];
      tested.close();
    });

    test('an event reaches only its owner’s subscribers, in every process, once and in order', async () => {
      const [a, b, c] = [await join(), await join(), await join()];
      const received: string[][] = [[], [], [], []];
      expect(a.events.hasSubscriber('usr_1')).toBe(false);
      const leaves = [a, b, b].map((member, i) =>
        member.events.subscribe('usr_1', (event) => received[i]!.push(readMessage(event))),
      );
      c.events.subscribe('usr_2', (event) => received[3]!.push(readMessage(event)));
      await waitForCondition('all know', () =>
        [a, b, c].every(({ events }) => events.hasSubscriber('usr_1')),
      );
      const sent = Array.from({ length: 200 }, (_, i) => String(i));
      for (const [i, message] of sent.entries()) {
        if (i % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
        c.events.publish(notification('usr_1', message));
      }
      await waitForCondition('all came', () =>
        received.slice(0, 3).every((list) => list.length >= sent.length),
      );
      expect(received).toEqual([sent, sent, sent, []]);
      for (const leave of leaves) leave();
      for (const leave of leaves) leave();
      await waitForCondition('all know', () =>
        [a, b, c].every(({ events }) => !events.hasSubscriber('usr_1')),
      );
    });

    test('a subscriber that throws does not affect others', async () => {
      const errors: unknown[] = [];
      const [a, b] = [await join((error) => errors.push(error)), await join((error) => errors.push(error))];
      const received: string[] = [];
      a.events.subscribe('usr_1', () => {
        throw new Error('expected test error');
      });
      a.events.subscribe('usr_1', (event) => received.push(readMessage(event)));
      await waitForCondition('it is known', () => b.events.hasSubscriber('usr_1'));
      b.events.publish(notification('usr_1', 'x'));
      await waitForCondition('it came', () => received.length === 1);
      expect(errors).toHaveLength(1);
    });

    test('a message reaches every other process, in order, and not its publisher', async () => {
      const [a, b, c] = [await join(), await join(), await join()];
      const received: number[][] = [[], [], []];
      for (const [i, { bus }] of [a, b, c].entries())
        bus.subscribe('timer', ({ dueAt }) => received[i]!.push(dueAt));
      b.bus.subscribe('ended', ({ executionId }) => received[1]!.push(-Number(executionId)));
      await waitUntilUp([a, b, c]);
      for (let i = 1; i <= 100; i++) a.bus.publish('timer', { dueAt: i });
      const sent = Array.from({ length: 100 }, (_, i) => i + 1);
      await waitForCondition('all came', () => received[1]!.length >= 100 && received[2]!.length >= 100);
      expect(received).toEqual([[], sent, sent]);
      a.bus.publish('ended', {
        executionId: '7',
        end: { status: 'completed', output: { a: [1] }, error: null },
      });
      await waitForCondition('it came', () => received[1]!.length === 101);
      expect(received[1]!.at(-1)).toBe(-7);
    });

    test('a receiver of messages that throws does not affect others', async () => {
      const errors: unknown[] = [];
      const [a, b] = [await join(), await join((error) => errors.push(error))];
      let received = 0;
      b.bus.subscribe('follow', () => {
        throw new Error('expected test error');
      });
      b.bus.subscribe('follow', () => received++);
      await waitUntilUp([a, b]);
      a.bus.publish('follow', {});
      await waitForCondition('it came', () => received === 1);
      expect(errors).toHaveLength(1);
    });

    test('a test URL is open in all processes, and one caller takes it', async () => {
      const [a, b] = [await join(), await join()];
      const most = { all: 3, ofOwner: 2 };
      const address = (ownerId: string, ms = 60_000) => ({
        ownerId,
        workflowId: 'wf_1',
        nodeId: 'n',
        expiresAt: Date.now() + ms,
      });
      const first = address('usr_1');
      expect(await a.addresses.open('k1', first, most)).toBeNull();
      expect(await b.addresses.find('k1')).toEqual(first);
      expect(await b.addresses.find('k2')).toBeNull();
      expect(await a.addresses.open('k2', address('usr_1'), most)).toBeNull();
      expect(await b.addresses.open('k3', address('usr_1'), most)).toEqual({
        limit: 2,
        until: first.expiresAt,
      });
      expect(await b.addresses.open('k3', address('usr_2'), most)).toBeNull();
      expect(await b.addresses.open('k4', address('usr_2'), most)).toEqual({
        limit: 3,
        until: first.expiresAt,
      });
      const taken = await Promise.all([
        a.addresses.take('k1'),
        b.addresses.take('k1'),
        a.addresses.take('k1'),
      ]);
      expect(taken.filter((isTaken) => isTaken)).toHaveLength(1);
      expect(await a.addresses.find('k1')).toBeNull();
      await b.addresses.putBack('k1', first);
      expect(await a.addresses.find('k1')).toEqual(first);
      expect(await a.addresses.take('k1')).toBe(true);
      expect(await a.addresses.open('k5', address('usr_3', 30), most)).toBeNull();
      expect(await b.addresses.open('k6', address('usr_3'), most)).not.toBeNull();
      const other = { ...address('usr_4'), nodeId: 'other' };
      const roomy = { all: 100, ofOwner: 10 };
      for (const [key, one] of [
        ['k7', address('usr_4')],
        ['k8', other],
        ['k9', { ...other, workflowId: 'wf_2' }],
        ['k10', { ...other, ownerId: 'usr_5' }],
      ] as const)
        expect(await a.addresses.open(key, one, roomy)).toBeNull();
      expect(await b.addresses.close('usr_4', 'wf_1', 'other')).toBe(1);
      expect(await a.addresses.find('k8')).toBeNull();
      expect(await a.addresses.take('k8')).toBe(false);
      expect(await b.addresses.close('usr_4', 'wf_1', null)).toBe(1);
      expect(await b.addresses.close('usr_4', 'wf_1', null)).toBe(0);
      expect(await a.addresses.find('k7')).toBeNull();
      expect(await a.addresses.find('k9')).not.toBeNull();
      expect(await a.addresses.find('k10')).not.toBeNull();
      expect(await b.addresses.close('usr_4', 'wf_2', null)).toBe(1);
      expect(await b.addresses.close('usr_5', 'wf_1', null)).toBe(1);
      await waitForCondition('it expires', async () => (await b.addresses.find('k5')) === null);
      expect(await b.addresses.open('k6', address('usr_3'), most)).toBeNull();
    });
  });
}

/** Waits until the members receive each other's messages. Uses messages of the kind `left`. */
async function waitUntilUp(members: readonly Member[]): Promise<void> {
  await waitForCondition('every bus is up', () => members.every(({ bus }) => bus.isUp()));
  const received = members.map(() => new Set<number>());
  for (const [i, { bus }] of members.entries())
    bus.subscribe('left', ({ process }) => received[i]!.add(Number(process)));
  await waitForCondition('each member receives a message of every other', () => {
    for (const [i, { bus }] of members.entries()) bus.publish('left', { process: String(i) });
    return received.every((from, i) => members.every((_, j) => j === i || from.has(j)));
  });
}
