import { longWait, manual } from '../../api/definitions.ts';
import type { Case } from './case.ts';
import { MISSING, createResource, workflow, executed, byId, failing } from './preparations.ts';

/** A query of the caller's statistics. */
const range = (title: string, query: Record<string, string>): Case => ({
  operation: 'getStatistics',
  title,
  say: () => ({ query }),
});

export const executionCases: readonly Case[] = [
  { operation: 'getWorkflowStatistics', title: 'after one execution', prepare: executed(), say: byId },
  {
    operation: 'getWorkflowStatistics',
    title: 'a missing workflow',
    say: () => ({ params: { id: MISSING.workflow } }),
  },
  range('days', { interval: 'day', from: '2026-01-01', to: '2026-02-01T12:00:00Z' }),
  range('an unknown interval', { interval: 'week' }),
  range('an invalid time', { from: 'yesterday' }),
  range('an inverted range', { interval: 'day', from: '2026-02-01', to: '2026-01-01' }),
  range('too many intervals', { interval: 'day', from: '2023-01-01', to: '2026-01-01' }),
  range('hours of long ago', { from: '2020-01-01', to: '2020-01-02' }),
  {
    operation: 'executeWorkflow',
    title: 'to its end',
    prepare: workflow(),
    say: (vars) => ({ ...byId(vars), body: { input: { name: 'Ada' }, wait: '10s' } }),
  },
  {
    operation: 'executeWorkflow',
    title: 'up to a node, with a pin',
    prepare: workflow(),
    say: (vars) => ({
      ...byId(vars),
      body: { until: 'greet', pins: { start: { name: 'Pin' } }, wait: '10s' },
    }),
  },
  {
    operation: 'executeWorkflow',
    title: 'too long a wait',
    prepare: workflow(),
    say: (vars) => ({ ...byId(vars), body: { wait: '2m' } }),
  },
  {
    operation: 'executeWorkflow',
    title: 'an unknown node',
    prepare: workflow(),
    say: (vars) => ({ ...byId(vars), body: { until: 'gone' } }),
  },
  {
    operation: 'executeWorkflow',
    title: 'a pin on an unknown node',
    prepare: workflow(),
    say: (vars) => ({ ...byId(vars), body: { pins: { gone: 1 } } }),
  },
  {
    operation: 'executeWorkflow',
    title: 'a pin on an unknown port',
    prepare: workflow(),
    say: (vars) => ({ ...byId(vars), body: { pins: { greet: 1 }, pin_ports: { greet: ['gone'] } } }),
  },
  {
    operation: 'executeWorkflow',
    title: 'iterations of a node that is not in a body',
    prepare: workflow(),
    say: (vars) => ({ ...byId(vars), body: { until: 'greet', iterations: [{ input: 1 }] } }),
  },
  {
    operation: 'executeWorkflow',
    title: 'with errors',
    prepare: workflow({ nodes: [manual, { id: 'a', type: 'nothing' }], connections: [] }),
    say: (vars) => ({ ...byId(vars), body: {} }),
  },
  {
    operation: 'executeWorkflow',
    title: 'an input that is a list',
    prepare: workflow(),
    say: (vars) => ({ ...byId(vars), body: { input: [1] } }),
  },
  {
    operation: 'executeWorkflow',
    title: 'a key used with another body',
    prepare: async (call) => {
      const vars = await workflow()(call);
      await call('POST', `/workflows/${vars['id']}/execute`, {
        body: { input: { name: 'a' } },
        headers: { 'idempotency-key': 'k' },
      });
      return vars;
    },
    say: (vars) => ({ ...byId(vars), key: 'k', body: { input: { name: 'b' } } }),
  },
  { operation: 'getExecution', title: 'one that completed', prepare: executed(), say: byId },
  { operation: 'getExecution', title: 'one that failed', prepare: executed(failing), say: byId },
  { operation: 'listExecutions', title: 'by status', say: () => ({ query: { status: 'failed' } }) },
  {
    operation: 'listExecutions',
    title: 'a time that is none',
    say: () => ({ query: { from: 'yesterday' } }),
  },
  {
    operation: 'listWorkflowExecutions',
    title: 'of one',
    prepare: executed(),
    say: (vars) => ({ params: { id: vars['workflow']! } }),
  },
  {
    operation: 'stopExecution',
    title: 'one that waits',
    prepare: async (call) => {
      const { id } = await workflow(longWait)(call);
      return { id: await createResource(call, 'POST', `/workflows/${id}/execute`, { wait: '300ms' }) };
    },
    say: byId,
  },
  { operation: 'stopExecution', title: 'one that ended', prepare: executed(), say: byId },
  {
    operation: 'retryExecution',
    title: 'one that failed',
    prepare: executed(failing),
    say: (vars) => ({ ...byId(vars), body: { from: 'gone' } }),
  },
  {
    operation: 'retryExecution',
    title: 'one that completed',
    prepare: executed(),
    say: (vars) => ({ ...byId(vars), body: {} }),
  },
  {
    operation: 'evaluateTemplate',
    title: 'with the data of an execution',
    prepare: executed(),
    say: (vars) => ({ body: { template: '{{ execution.id | size }}', execution_id: vars['id']! } }),
  },
  {
    operation: 'evaluateTemplate',
    title: 'with data of its own',
    say: () => ({ body: { template: '{{ input.list | size }}', input: { list: [1, null, 'x'] } } }),
  },
  {
    operation: 'evaluateTemplate',
    title: 'a wrong one',
    say: () => ({ body: { template: 'a {{ input. }}', input: {} } }),
  },
  {
    operation: 'evaluateTemplate',
    title: 'data that does not fit',
    say: () => ({ body: { template: '{{ input.name }}', input: {} } }),
  },
  {
    operation: 'evaluateTemplate',
    title: 'a missing execution',
    say: () => ({ body: { template: 'x', execution_id: 'ex_01m7yy7j0n4tch8b6k7tpqzh' } }),
  },
  {
    operation: 'evaluateTemplate',
    title: 'a node without an execution',
    say: () => ({ body: { template: 'x', node_id: 'a' } }),
  },
];
