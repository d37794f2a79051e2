import { Type } from 'typebox';
import type { NodeFailure, Outcome } from '../../contract/node-type.ts';
import type { Json } from '../../lib/json/json.ts';
import { parseDuration } from '../../lib/time/duration.ts';
import { isObject } from '../../lib/json/json.ts';
import { defineNode } from '../define-node.ts';
import { done, invalid } from '../outcome.ts';
import { closed, duration, listNamedWorkflow, workflowId } from '../schema.ts';

/** The longest wait for the child execution before its state is checked again. */
const MAX_WAIT_MS = 30 * 86_400_000;

export const subWorkflow = defineNode({
  type: 'sub_workflow',
  version: '1.0.0',
  name: 'Sub-workflow',
  category: 'flow',
  description:
    'Runs another workflow and continues with its output. If the other workflow fails, the node fails. If this execution fails or is stopped, the other execution is stopped too.',
  icon: 'workflow',
  keywords: [
    'call workflow',
    'execute workflow',
    'run workflow',
    'subworkflow',
    'subflow',
    'child workflow',
    'another workflow',
    'nested workflow',
    'reuse',
  ],
  config: closed({
    workflow_id: workflowId(),
    input: Type.Optional(
      Type.Unsafe<Json>({
        description: 'The input of the other workflow, an object. Default: the input of this node.',
      }),
    ),
    wait: Type.Optional(
      Type.Boolean({ default: true, description: 'If false, continues immediately with {execution_id}.' }),
    ),
    timeout: Type.Optional(
      duration({
        description: 'Maximum wait. The other execution is then stopped, and the node fails with timeout.',
      }),
    ),
  }),
  outputs: [{ name: 'out', type: 'any', description: 'The output of the other workflow, or {execution_id}' }],
  workflows: ({ workflow_id: id }) => listNamedWorkflow('workflow_id', id),
  effects: 'external',
  keepsTime: true,
  check: ({ wait, timeout }) =>
    wait === false && timeout !== undefined
      ? [{ field: 'timeout', issue: 'must not be set when wait is false' }]
      : [],
  async run(ctx, config, input): Promise<Outcome> {
    const given = config.input ?? input;
    const passed = given ?? {};
    if (!isObject(passed)) return invalid('input', 'must be an object');
    const waits = config.wait !== false;
    const child = await ctx.orchestration.startChild({
      workflowId: config.workflow_id,
      input: passed,
      waits,
      type: 'sub_workflow',
    });
    if (child.kind === 'refused') {
      const { type, message } = child;
      return { kind: 'failed', error: { type, message: `${config.workflow_id}: ${message}` } };
    }
    if (ctx.resumed === null)
      ctx.log('info', `Started ${child.executionId}`, { execution_id: child.executionId });
    if (!waits) return done({ execution_id: child.executionId });
    const { resumed } = ctx;
    const limit = config.timeout === undefined ? null : parseDuration(config.timeout);
    const isLate = limit !== null && resumed !== null && resumed.due <= ctx.now();
    let state = await ctx.orchestration.child(child.executionId);
    if (state.kind === 'open' && isLate) {
      await ctx.orchestration.stopChild(child.executionId);
      // The child may have ended in the meantime.
      state = await ctx.orchestration.child(child.executionId);
    }
    if (state.kind === 'open') {
      const until =
        resumed !== null && resumed.due > ctx.now() ? resumed.due : ctx.now() + (limit ?? MAX_WAIT_MS);
      return { kind: 'wait', until, event: true };
    }
    if (isLate && state.kind === 'ended' && state.status === 'stopped')
      return failWithChild(child.executionId, {
        type: 'timeout',
        message: `did not end within ${config.timeout}, and was stopped`,
      });
    if (state.kind === 'gone')
      return failWithChild(child.executionId, { type: 'internal', message: 'was deleted' });
    if (state.status === 'completed') return done(state.output);
    if (state.error === null)
      return failWithChild(child.executionId, { type: 'stopped', message: 'was stopped' });
    const { type, message, status, data } = state.error;
    return failWithChild(child.executionId, {
      type,
      message,
      ...(status !== undefined && { status }),
      ...(data !== undefined && { data }),
    });
  },
  examples: [
    {
      title: 'Send an invoice in another workflow',
      config: { workflow_id: 'wf_invoices', input: { order: '{{ input.order_id }}' } },
      input: { order_id: 17 },
      outputs: { out: { invoice: 'R-17' } },
    },
  ],
});

/** A retry would find the same child in the same state, so the error is not retryable. */
function failWithChild(executionId: string, error: NodeFailure): Outcome {
  return {
    kind: 'failed',
    error: { ...error, message: `${executionId}: ${error.message}`, retryable: false },
  };
}
