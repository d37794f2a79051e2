import { describe, expect, it } from 'vitest';
import type { ExecutionTrigger, SettledStatus } from '../../contract/execution.ts';
import { limits } from '../../ports/limits.ts';
import type { CompletionTrigger } from '../../ports/store/active-triggers.ts';
import { CompletionTriggerIndex } from './completion-trigger-index.ts';

const event = (
  target: string,
  source: string | null,
  rest: Partial<CompletionTrigger> = {},
): CompletionTrigger => ({
  workflowId: target,
  nodeId: 'on',
  ownerId: 'usr_a',
  kind: 'event',
  on: 'completed',
  source,
  target,
  ...rest,
});
const error = (target: string, source: string | null): CompletionTrigger =>
  event(target, source, { kind: 'error', on: 'failed' });
const setting = (source: string, target: string): CompletionTrigger =>
  event(target, source, { kind: 'error', on: 'failed', workflowId: source, nodeId: null });

function createIndex(...all: CompletionTrigger[]): CompletionTriggerIndex {
  const index = new CompletionTriggerIndex();
  for (const [id, own] of Map.groupBy(all, (trigger) => trigger.workflowId)) index.change(id, own);
  return index;
}
const ended = (
  workflowId: string,
  status: SettledStatus,
  type: ExecutionTrigger['type'] = 'manual',
  ownerId = 'usr_a',
) => ({ ownerId, workflowId, status, trigger: { type } });
const targets = (index: CompletionTriggerIndex, ...end: Parameters<typeof ended>) =>
  index.findStarts(ended(...end))?.map(({ workflowId }) => workflowId) ?? null;

describe('matching triggers', () => {
  it('on the end that it waits for, of its owner alone', () => {
    const index = createIndex(
      event('wf_b', 'wf_a'),
      event('wf_c', 'wf_a', { on: 'failed' }),
      error('wf_d', 'wf_a'),
    );
    expect(targets(index, 'wf_a', 'completed')).toEqual(['wf_b']);
    expect(targets(index, 'wf_a', 'failed')).toEqual(['wf_c', 'wf_d']);
    expect(targets(index, 'wf_a', 'stopped')).toBeNull();
    expect(targets(index, 'wf_x', 'completed')).toBeNull();
    expect(targets(index, 'wf_a', 'completed', 'manual', 'usr_b')).toBeNull();
  });

  it('an execution of an error trigger starts no error triggers; a named workflow may follow itself', () => {
    const index = createIndex(error('wf_e', null), setting('wf_a', 'wf_b'), event('wf_c', 'wf_c'));
    expect(targets(index, 'wf_a', 'failed')).toEqual(['wf_b', 'wf_e']);
    expect(targets(index, 'wf_a', 'failed', 'error')).toBeNull();
    expect(targets(index, 'wf_a', 'failed', 'event')).toEqual(['wf_b', 'wf_e']);
    expect(targets(index, 'wf_c', 'completed', 'event')).toEqual(['wf_c']);
  });

  it('of all workflows: not its own, not what an event or error started', () => {
    const index = createIndex(event('wf_all', null), event('wf_two', null));
    expect(targets(index, 'wf_a', 'completed')).toEqual(['wf_all', 'wf_two']);
    expect(targets(index, 'wf_all', 'completed')).toEqual(['wf_two']);
    expect(targets(index, 'wf_a', 'completed', 'event')).toBeNull();
    expect(targets(index, 'wf_a', 'completed', 'error')).toBeNull();
  });

  it('a setting and a trigger for the same start once, by the trigger', () => {
    const index = createIndex(setting('wf_a', 'wf_b'), error('wf_b', null));
    expect(index.findStarts(ended('wf_a', 'failed'))).toEqual([
      { workflowId: 'wf_b', nodeId: 'on', kind: 'error' },
    ]);
    const both = createIndex(setting('wf_a', 'wf_b'), event('wf_b', 'wf_a', { on: 'failed' }));
    expect(both.findStarts(ended('wf_a', 'failed'))).toHaveLength(2);
  });

  it('a change replaces all triggers of a workflow', () => {
    const index = createIndex(setting('wf_b', 'wf_c'), event('wf_b', 'wf_a'));
    expect([index.has('wf_b', 'on'), index.has('wf_b', 'off')]).toEqual([true, false]);
    index.change('wf_b', [event('wf_b', null)]);
    expect(targets(index, 'wf_b', 'failed')).toBeNull();
    expect(targets(index, 'wf_x', 'completed')).toEqual(['wf_b']);
    index.change('wf_b', []);
    expect([targets(index, 'wf_x', 'completed'), index.has('wf_b', 'on')]).toEqual([null, false]);
  });

  it('limits the triggers that one execution starts', () => {
    const many = (n: number) => Array.from({ length: n }, (_, i) => event(`wf_${i}`, 'wf_a'));
    expect(targets(createIndex(...many(limits.completionTriggers)), 'wf_a', 'completed')).toHaveLength(
      limits.completionTriggers,
    );
    expect(targets(createIndex(...many(limits.completionTriggers + 1)), 'wf_a', 'completed')).toHaveLength(
      limits.completionTriggers,
    );
  });
});
