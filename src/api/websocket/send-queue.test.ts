import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ExecutionUpdate } from '../../ports/events.ts';
import { Frame } from './message-encoding.ts';
import { createSendQueue } from './send-queue.ts';

function update(executionId: string, progress: number): ExecutionUpdate {
  return {
    kind: 'execution_update',
    ownerId: 'usr_a',
    executionId,
    workflowId: 'wf_a',
    status: 'running',
    progress,
    currentNode: 'n',
    timestamp: 0,
  };
}
/** The content of a frame. */
function readPayload({ bytes }: Frame): string {
  return bytes.toString('utf8', bytes[1]! < 126 ? 2 : bytes[1] === 126 ? 4 : 10);
}
const notification = new Frame({
  kind: 'notification',
  ownerId: 'a',
  level: 'info',
  message: 'm',
  timestamp: 0,
});

test('random operations keep the order and the last update of each execution, and all notifications', () => {
  const step = fc.oneof(
    fc.record({ put: fc.constantFrom('a', 'b', 'c'), merge: fc.boolean() }),
    fc.constant('notify' as const),
    fc.constant('take' as const),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const outbox = createSendQueue();
      const given = new Map<string, number>();
      const taken = new Map<string, number[]>();
      let notified = 0;
      let received = 0;
      const take = (): boolean => {
        const frame = outbox.take();
        if (frame === null) return false;
        const { type, data } = JSON.parse(readPayload(frame)) as {
          type: string;
          data: { execution_id: string; progress: number };
        };
        if (type === 'notification') received++;
        else taken.set(data.execution_id, [...(taken.get(data.execution_id) ?? []), data.progress]);
        return true;
      };
      for (const [at, one] of steps.entries()) {
        if (one === 'take') take();
        else if (one === 'notify') {
          notified++;
          outbox.put(null, notification, true);
        } else {
          given.set(one.put, at);
          outbox.put(one.put, new Frame(update(one.put, at)), one.merge);
        }
      }
      while (take());
      expect(outbox.size).toBe(0);
      expect(received).toBe(notified);
      for (const [id, last] of given) {
        const list = taken.get(id) ?? [];
        expect(list).toEqual([...list].sort((one, other) => one - other));
        expect(list.at(-1)).toBe(last);
      }
    }),
  );
});

test('without merging all frames are kept', () => {
  const outbox = createSendQueue();
  const frames = [0, 1, 2].map((progress) => new Frame(update('a', progress)));
  for (const frame of frames) outbox.put('a', frame, false);
  const merged = new Frame(update('a', 3));
  outbox.put('a', merged, true);
  expect([outbox.take(), outbox.take(), outbox.take(), outbox.take()]).toEqual([
    frames[0],
    frames[1],
    merged,
    null,
  ]);
});

test('counts the bytes of the queued frames', () => {
  const frame = new Frame(update('x', 0));
  const outbox = createSendQueue();
  for (const id of ['a', 'b', 'c', 'a', 'b']) outbox.put(id, frame, true);
  expect(outbox.bytes).toBe(3 * frame.weight);
  outbox.put('a', notification, true);
  outbox.put('a', frame, false);
  expect(outbox.bytes).toBe(3 * frame.weight + notification.weight);
  outbox.take();
  outbox.take();
  expect(outbox.bytes).toBe(2 * frame.weight);
  outbox.clear();
  expect([outbox.size, outbox.bytes, outbox.take()]).toEqual([0, 0, null]);
});

test('an event is encoded once, and its weight is at least its size', () => {
  const frame = new Frame(update('a', 0));
  expect(frame.weight).toBeGreaterThanOrEqual(frame.bytes.length);
  expect(frame.bytes).toBe(frame.bytes);
});
