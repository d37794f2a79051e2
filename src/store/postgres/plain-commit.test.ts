import { expect, test } from 'vitest';
import type { Checkpoint } from '../../ports/store/checkpoint.ts';
import { beginning, creation, next, T0 } from '../suite/samples.ts';
import { plainCommit } from './plain-commit.ts';

const isPlain = (...batch: Checkpoint[]): boolean => plainCommit(batch) !== null;

test('what begins, goes on and ends by itself is plain', () => {
  const queued = beginning('ex_1', { status: 'queued', startTime: null });
  const running = next('ex_3', 1, 1, { status: 'running', endTime: null });
  const taking = next('ex_4', 2, 1, { takes: true });
  expect(isPlain(queued, creation('ex_2'), running, taking)).toBe(true);
  // An end takes all timers with it.
  expect(isPlain(next('ex_5', 1, 1, { clearTimers: ['a'] }))).toBe(true);
});

test.each<[string, Checkpoint[]]>([
  ['two of one execution', [creation('ex_1'), next('ex_1', 1, 1)]],
  ['a timer that is set', [beginning('ex_1', { setTimers: [{ path: 'a', dueAt: 1 }] })]],
  ['a timer that is cleared', [next('ex_1', 1, 1, { status: 'running', clearTimers: ['a'] })]],
  ['a large value', [creation('ex_1', { blobs: ['hash'] })]],
  ['one that wakes another', [next('ex_1', 1, 1, { wake: { executionId: 'ex_2', path: 'a' } })]],
  ['one that others follow', [next('ex_1', 1, 1, { follow: [] })]],
  ['an end without a time', [next('ex_1', 1, 1, { endTime: null })]],
  [
    'a key',
    [creation('ex_1', { create: { dedupe: { scope: 's', key: 'k', fingerprint: 'f', expiresAt: T0 } } })],
  ],
  [
    'a tick',
    [creation('ex_1', { create: { tick: { workflowId: 'wf_a', nodeId: 'a', due: 1, next: null } } })],
  ],
  ['files', [creation('ex_1', { create: { files: [] } })]],
])('%s is not', (_title, batch) => {
  expect(isPlain(...batch)).toBe(false);
  expect(isPlain(creation('ex_other'), ...batch)).toBe(false);
});
