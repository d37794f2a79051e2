import { expect, test } from 'vitest';
import { createRunOverlay, type NodeRunState } from './run-overlay.ts';

test('a node receives its own changes only, once a frame', () => {
  const frames: (() => void)[] = [];
  const overlay = createRunOverlay((work) => frames.push(work));
  const heard: string[] = [];
  const stop = overlay.watchNode('a', () => heard.push(`a ${overlay.node('a')?.status}`));
  overlay.watchNode('b', () => heard.push('b'));
  overlay.watchEdge('e', () => heard.push(`e ${overlay.edge('e')}`));
  const running: NodeRunState = { status: 'running' };
  overlay.update({ runStates: new Map([['a', running]]), edgeCounts: new Map([['e', 1]]) });
  overlay.update({ runStates: new Map([['a', { status: 'completed' }]]), edgeCounts: new Map([['e', 2]]) });
  expect(heard).toEqual([]);
  expect(frames.length).toBe(1);
  frames.pop()!();
  expect(heard).toEqual(['a completed', 'e 2']);

  // What is the same is nothing new.
  const state = overlay.node('a')!;
  overlay.update({ runStates: new Map([['a', state]]) });
  frames.pop()!();
  expect(heard.length).toBe(2);

  overlay.clear();
  frames.pop()!();
  expect(heard.slice(2)).toEqual(['a undefined', 'e undefined']);
  stop();
  overlay.update({ runStates: new Map([['a', running]]) });
  frames.pop()!();
  expect(heard.length).toBe(4);
});
