import { longWait, manual } from '../../api/definitions.ts';
import type { Case } from './case.ts';
import {
  MISSING,
  createResource,
  prepareWorkflow,
  prepareExecution,
  inputById,
  failing,
} from './preparations.ts';

/** A query of the caller's statistics. */
const range = (title: string, query: Record<string, string>): Case => ({
  operation: 'getStatistics',
  title,
  say: () => ({ query }),
});

export const executionCases: readonly Case[] = [
  {
    operation: 'getWorkflowStatistics',
    title: 'after one execution',
    prepare: prepareExecution(),
    say: inputById,
  },
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
    prepare: prepareWorkflow(),
    say: (vars) => ({ ...inputById(vars), body: { input: { name: 'Ada' }, wait: '10s' } }),
  },
  {
    operation: 'executeWorkflow',
    title: 'up to a node, with a pin',
    prepare: prepareWorkflow(),
    say: (vars) => ({
      ...inputById(vars),
      body: { until: 'greet', pins: { start: { name: 'Pin' } }, wait: '10s' },
    }),
  },
  {
    operation: 'executeWorkflow',
    title: 'too long a wait',
    prepare: prepareWorkflow(),
    say: (vars) => ({ ...inputById(vars), body: { wait: '2m' } }),
  },
  {
    operation: 'executeWorkflow',
    title: 'an unknown node',
    prepare: prepareWorkflow(),
    say: (vars) => ({ ...inputById(vars), body: { until: 'gone' } }),
  },
  {
    operation: 'executeWorkflow',
    title: 'a pin on an unknown node',
    prepare: prepareWorkflow(),
    say: (vars) => ({ ...inputById(vars), body: { pins: { gone: 1 } } }),
  },
  {
    operation: 'executeWorkflow',
    title: 'a pin on an unknown port',
    prepare: prepareWorkflow(),
    say: (vars) => ({ ...inputById(vars), body: { pins: { greet: 1 }, pin_ports: { greet: ['gone'] } } }),
  },
  {
    operation: 'executeWorkflow',
    title: 'iterations of a node that is not in a body',
    prepare: prepareWorkflow(),
    say: (vars) => ({ ...inputById(vars), body: { until: 'greet', iterations: [{ input: 1 }] } }),
  },
  {
    operation: 'executeWorkflow',
    title: 'with errors',
    prepare: prepareWorkflow({ nodes: [manual, { id: 'a', type: 'nothing' }], connections: [] }),
    say: (vars) => ({ ...inputById(vars), body: {} }),
  },
  {
    operation: 'executeWorkflow',
    title: 'an input that is a list',
    prepare: prepareWorkflow(),
    say: (vars) => ({ ...inputById(vars), body: { input: [1] } }),
  },
  {
    operation: 'executeWorkflow',
    title: 'a key used with another body',
    prepare: async (call) => {
      const vars = await prepareWorkflow()(call);
      await call('POST', `/workflows/${vars['id']}/execute`, {
        body: { input: { name: 'a' } },
        headers: { 'idempotency-key': 'k' },
      });
      return vars;
    },
    say: (vars) => ({ ...inputById(vars), key: 'k', body: { input: { name: 'b' } } }),
  },
  { operation: 'getExecution', title: 'one that completed', prepare: prepareExecution(), say: inputById },
  { operation: 'getExecution', title: 'one that failed', prepare: prepareExecution(failing), say: inputById },
  { operation: 'listExecutions', title: 'by status', say: () => ({ query: { status: 'failed' } }) },
  {
    operation: 'listExecutions',
    title: 'a time that is none',
    say: () => ({ query: { from: 'yesterday' } }),
  },
  {
    operation: 'listWorkflowExecutions',
    title: 'of one',
    prepare: prepareExecution(),
    say: (vars) => ({ params: { id: vars['workflow']! } }),
  },
  {
    operation: 'stopExecution',
    title: 'one that waits',
    prepare: async (call) => {
      const { id } = await prepareWorkflow(longWait)(call);
      return { id: await createResource(call, 'POST', `/workflows/${id}/execute`, { wait: '300ms' }) };
    },
    say: inputById,
  },
  { operation: 'stopExecution', title: 'one that ended', prepare: prepareExecution(), say: inputById },
  {
    operation: 'retryExecution',
    title: 'one that failed',
    prepare: prepareExecution(failing),
    say: (vars) => ({ ...inputById(vars), body: { from: 'gone' } }),
  },
  {
    operation: 'retryExecution',
    title: 'one that completed',
    prepare: prepareExecution(),
    say: (vars) => ({ ...inputById(vars), body: {} }),
  },
  {
    operation: 'evaluateTemplate',
    title: 'with the data of an execution',
    prepare: prepareExecution(),
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
