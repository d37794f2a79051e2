import { expect, test } from 'vitest';
import { limits } from '../../ports/limits.ts';
import { readReply } from './redis-reply.ts';

test('lists keep their order at every level', () => {
  const [one, two] = [Buffer.from('1'), Buffer.from('two')];
  expect(readReply([one, [two, ['3', []], null], '9007199254740993'])).toEqual([
    '1',
    ['two', [3, []], null],
    '9007199254740993',
  ]);
});

test('a reply that is nested too deeply to be stored is a failure', () => {
  const nest = (levels: number): unknown[] => {
    let list: unknown[] = [];
    for (let i = 1; i < levels; i++) list = [list];
    return list;
  };
  expect(readReply(nest(limits.valueDepth))).toBeInstanceOf(Array);
  expect(() => readReply(nest(100_000))).toThrow(/nested more than/);
});
