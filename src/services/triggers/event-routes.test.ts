import { describe, expect, it } from 'vitest';
import type { ExecutionTrigger, SettledStatus } from '../../contract/execution.ts';
import { limits } from '../../ports/limits.ts';
import type { EventRoute } from '../../ports/store/active-triggers.ts';
import { EventRoutes } from './event-routes.ts';

const event = (target: string, source: string | null, rest: Partial<EventRoute> = {}): EventRoute => ({
  workflowId: target,
  nodeId: 'on',
  ownerId: 'usr_a',
  kind: 'event',
  on: 'completed',
  source,
  target,
  ...rest,
});
const error = (target: string, source: string | null): EventRoute =>
  event(target, source, { kind: 'error', on: 'failed' });
const setting = (source: string, target: string): EventRoute =>
  event(target, source, { kind: 'error', on: 'failed', workflowId: source, nodeId: null });

function createRoutes(...all: EventRoute[]): EventRoutes {
  const routes = new EventRoutes();
  for (const [id, own] of Map.groupBy(all, (route) => route.workflowId)) routes.change(id, own);
  return routes;
}
const ended = (
  workflowId: string,
  status: SettledStatus,
  type: ExecutionTrigger['type'] = 'manual',
  ownerId = 'usr_a',
) => ({ ownerId, workflowId, status, trigger: { type } });
const targets = (routes: EventRoutes, ...end: Parameters<typeof ended>) =>
  routes.of(ended(...end))?.map(({ workflowId }) => workflowId) ?? null;

describe('matching triggers', () => {
  it('on the end that it waits for, of its owner alone', () => {
    const routes = createRoutes(
      event('wf_b', 'wf_a'),
      event('wf_c', 'wf_a', { on: 'failed' }),
      error('wf_d', 'wf_a'),
    );
    expect(targets(routes, 'wf_a', 'completed')).toEqual(['wf_b']);
    expect(targets(routes, 'wf_a', 'failed')).toEqual(['wf_c', 'wf_d']);
    expect(targets(routes, 'wf_a', 'stopped')).toBeNull();
    expect(targets(routes, 'wf_x', 'completed')).toBeNull();
    expect(targets(routes, 'wf_a', 'completed', 'manual', 'usr_b')).toBeNull();
  });

  it('an execution of an error trigger starts no error triggers; a named workflow may follow itself', () => {
    const routes = createRoutes(error('wf_e', null), setting('wf_a', 'wf_b'), event('wf_c', 'wf_c'));
    expect(targets(routes, 'wf_a', 'failed')).toEqual(['wf_b', 'wf_e']);
    expect(targets(routes, 'wf_a', 'failed', 'error')).toBeNull();
    expect(targets(routes, 'wf_a', 'failed', 'event')).toEqual(['wf_b', 'wf_e']);
    expect(targets(routes, 'wf_c', 'completed', 'event')).toEqual(['wf_c']);
  });

  it('of all workflows: not its own, not what an event or error started', () => {
    const routes = createRoutes(event('wf_all', null), event('wf_two', null));
    expect(targets(routes, 'wf_a', 'completed')).toEqual(['wf_all', 'wf_two']);
    expect(targets(routes, 'wf_all', 'completed')).toEqual(['wf_two']);
    expect(targets(routes, 'wf_a', 'completed', 'event')).toBeNull();
    expect(targets(routes, 'wf_a', 'completed', 'error')).toBeNull();
  });

  it('a setting and a trigger for the same start once, by the trigger', () => {
    const routes = createRoutes(setting('wf_a', 'wf_b'), error('wf_b', null));
    expect(routes.of(ended('wf_a', 'failed'))).toEqual([{ workflowId: 'wf_b', nodeId: 'on', kind: 'error' }]);
    const both = createRoutes(setting('wf_a', 'wf_b'), event('wf_b', 'wf_a', { on: 'failed' }));
    expect(both.of(ended('wf_a', 'failed'))).toHaveLength(2);
  });

  it('a change replaces all routes of a workflow', () => {
    const routes = createRoutes(setting('wf_b', 'wf_c'), event('wf_b', 'wf_a'));
    expect([routes.has('wf_b', 'on'), routes.has('wf_b', 'off')]).toEqual([true, false]);
    routes.change('wf_b', [event('wf_b', null)]);
    expect(targets(routes, 'wf_b', 'failed')).toBeNull();
    expect(targets(routes, 'wf_x', 'completed')).toEqual(['wf_b']);
    routes.change('wf_b', []);
    expect([targets(routes, 'wf_x', 'completed'), routes.has('wf_b', 'on')]).toEqual([null, false]);
  });

  it('limits the triggers that one execution starts', () => {
    const many = (n: number) => Array.from({ length: n }, (_, i) => event(`wf_${i}`, 'wf_a'));
    expect(targets(createRoutes(...many(limits.completionTriggers)), 'wf_a', 'completed')).toHaveLength(
      limits.completionTriggers,
    );
    expect(targets(createRoutes(...many(limits.completionTriggers + 1)), 'wf_a', 'completed')).toHaveLength(
      limits.completionTriggers,
    );
  });
});
