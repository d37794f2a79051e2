import { expect, test } from 'vitest';
import { createRunOverlay, type NodeRunState } from './run-overlay.ts';

test('a node receives its own changes only, once a frame', () => {
  const frames: (() => void)[] = [];
  const overlay = createRunOverlay((work) => frames.push(work));
  const received: string[] = [];
  const stop = overlay.watchNode('a', () => received.push(`a ${overlay.node('a')?.status}`));
  overlay.watchNode('b', () => received.push('b'));
  overlay.watchEdge('e', () => received.push(`e ${overlay.edge('e')?.count}`));
  const running: NodeRunState = { status: 'running' };
  overlay.update({ runStates: new Map([['a', running]]), edgeRuns: new Map([['e', { count: 1 }]]) });
  overlay.update({
    runStates: new Map([['a', { status: 'completed' }]]),
    edgeRuns: new Map([['e', { count: 2 }]]),
  });
  expect(received).toEqual([]);
  expect(frames.length).toBe(1);
  frames.pop()!();
  expect(received).toEqual(['a completed', 'e 2']);

  // What is the same is nothing new.
  const state = overlay.node('a')!;
  overlay.update({ runStates: new Map([['a', { ...state }]]), edgeRuns: new Map([['e', { count: 2 }]]) });
  frames.pop()!();
  expect(received.length).toBe(2);

  overlay.clear();
  frames.pop()!();
  expect(received.slice(2)).toEqual(['a undefined', 'e undefined']);
  stop();
  overlay.update({ runStates: new Map([['a', running]]) });
  frames.pop()!();
  expect(received.length).toBe(4);
});
