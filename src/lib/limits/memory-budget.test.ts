import { expect, test } from 'vitest';
import { MemoryBudget } from './memory-budget.ts';

/** A budget of 100, and the admitted executions in order. */
function open() {
  const memory = new MemoryBudget(100);
  const entered: string[] = [];
  const come = (name: string, bytes: number, execution: string | null = null) => {
    const reservation = memory.place(execution);
    if (reservation.ask(bytes, () => entered.push(name))) entered.push(name);
    return reservation;
  };
  return { memory, entered, come };
}

/** Takes all of it and more, and does not end. */
function crowd({ come, entered }: ReturnType<typeof open>) {
  const places = [come('', 100, 'full'), come('', 100, 'beyond')];
  entered.length = 0;
  return places;
}

test('a response that fits is admitted immediately', () => {
  const { memory, entered, come } = open();
  const a = come('a', 60);
  come('b', 40);
  expect(entered).toEqual(['a', 'b']);
  expect(memory.isFull).toBe(true);
  a.settle(59);
  expect(memory.isFull).toBe(false);
});

test('the others wait in order of arrival', () => {
  const service = open();
  const { entered, come } = service;
  const [full, beyond] = crowd(service);
  come('a', 50, 'one');
  come('b', 10, 'two');
  expect(entered).toEqual([]);
  full!.settle(60);
  // 40 are free, and a, which is first, does not fit.
  beyond!.settle(0);
  expect(entered).toEqual([]);
  full!.settle(40);
  expect(entered).toEqual(['a', 'b']);
});

test('one execution at a time may exceed the budget, until it leaves', () => {
  const { memory, entered, come } = open();
  memory.add(90);
  memory.add(90);
  const a = come('a', 64, 'one');
  come('b', 64, 'two');
  const c = come('c', 64, 'one');
  expect(entered).toEqual(['a']);
  // Its next responses precede all others, one after the other.
  a.settle(5);
  expect(entered).toEqual(['a', 'c']);
  c.settle(5);
  a.leave();
  c.leave();
  expect(entered).toEqual(['a', 'c']);
  memory.release('one', 90);
  expect(entered).toEqual(['a', 'c', 'b']);
});

test('so may a response without an execution', () => {
  const { entered, come } = open();
  const a = come('a', 50);
  const b = come('b', 50);
  a.settle(50);
  b.settle(50);
  // Both hold memory that the other one waits for.
  expect(a.ask(80, () => entered.push('more of a'))).toBe(true);
  expect(b.ask(80, () => entered.push('more of b'))).toBe(false);
  a.settle(80);
  expect(entered).toEqual(['a', 'b']);
  a.leave();
  expect(entered).toEqual(['a', 'b', 'more of b']);
});

test('responses that never end do not block the execution that may exceed the budget', () => {
  const { entered, come } = open();
  come('slow', 100, 'slow');
  for (const name of ['a', 'b', 'c']) come(name, 100);
  expect(entered).toEqual(['slow', 'a']);
});

test('a response that leaves the queue, or ends before it is admitted, blocks no other', () => {
  const service = open();
  const { entered, come } = service;
  const [full] = crowd(service);
  const a = come('a', 10);
  const b = come('b', 10);
  come('c', 10);
  a.leave();
  // It ended anyway, and takes its full size.
  b.settle(20);
  expect([a.isTaken, b.isTaken]).toEqual([false, true]);
  full!.leave();
  expect(entered).toEqual([]);
  service.memory.add(-30);
  expect(entered).toEqual(['c']);
});

test('a reservation grows by the missing bytes, and releases all of them once', () => {
  const { memory, entered, come } = open();
  const a = come('a', 30);
  a.settle(30);
  expect(a.ask(90, () => entered.push('more'))).toBe(true);
  memory.add(9);
  expect(memory.isFull).toBe(false);
  a.leave();
  a.leave();
  a.settle(50);
  memory.add(90);
  expect(memory.isFull).toBe(false);
  memory.add(1);
  expect(memory.isFull).toBe(true);
});
