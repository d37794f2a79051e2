import { Type } from 'typebox';
import type { FieldError } from '../../contract/errors.ts';
import { nodeErrorTypes, type NodeErrorType } from '../../contract/execution.ts';
import type { NodeContext, NodeFailure, Outcome } from '../../contract/node-type.ts';
import { parseDuration } from '../../lib/time/duration.ts';
import { isObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { defineNode } from '../define-node.ts';
import { done, invalid } from '../outcome.ts';
import { closed, duration, listNamedWorkflow, oneOfTexts, tagged, workflowId } from '../schema.ts';

const MAX_STRATEGIES = 100;
const MAX_RETRIES = 100;
const DEFAULT_RETRIES = 3;
const DEFAULT_DELAY_MS = 1_000;
const MAX_DELAY_MS = 60_000;

const backoffs = ['fixed', 'linear', 'exponential'] as const;

const errorType = oneOfTexts(['*', ...nodeErrorTypes] as const, {
  description: 'The error type to handle; * handles all types.',
});
const channel = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 200,
    description: 'A label that clients can use to group notifications.',
  }),
);

const retry = closed(
  {
    errorType,
    action: Type.Literal('retry'),
    maxRetries: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_RETRIES, default: DEFAULT_RETRIES })),
    backoffStrategy: Type.Optional(oneOfTexts(backoffs, { default: 'exponential' })),
    delay: Type.Optional(
      duration({
        default: '1s',
        description:
          'Delay before the first retry, at most 1m. Later delays grow up to 1m. Each delay varies randomly by up to 50%.',
      }),
    ),
  },
  { title: 'Retry the failed node' },
);
const continueStrategy = closed(
  { errorType, action: Type.Literal('continue') },
  { title: 'Continue with the error' },
);
const fail = closed({ errorType, action: Type.Literal('fail') }, { title: 'Fail' });
const notifyStrategy = closed(
  { errorType, action: Type.Literal('notify'), notificationChannel: channel },
  { title: 'Send a notification' },
);
const escalate = closed(
  {
    errorType,
    action: Type.Literal('escalate'),
    escalationWorkflow: workflowId({
      description: 'The workflow to start with the error as its input.',
    }),
    notificationChannel: channel,
  },
  { title: 'Start another workflow' },
);

type Strategy = {
  errorType: string;
  action: 'retry' | 'continue' | 'fail' | 'notify' | 'escalate';
  notificationChannel?: string;
  escalationWorkflow?: string;
};
type HandledError = JsonObject & { type: NodeErrorType; message: string };

export const errorHandler = defineNode({
  type: 'error_handler',
  version: '1.0.0',
  name: 'Error handler',
  category: 'flow',
  description:
    'Handles errors from other nodes. Connect their error ports to this node; the first strategy whose errorType matches is applied. retry runs the failed node again and, after the last retry, applies the next matching strategy. continue passes the error on. fail fails the execution. notify sends a notification and escalate starts another workflow; both then pass the error on if the output is connected and fail otherwise. Without a matching strategy, the node fails.',
  icon: 'life-buoy',
  keywords: [
    'error',
    'catch',
    'retry',
    'try',
    'on error',
    'exception',
    'failure',
    'fallback',
    'handle errors',
  ],
  config: closed({
    strategies: Type.Array(tagged('action', [retry, continueStrategy, fail, notifyStrategy, escalate]), {
      minItems: 1,
      maxItems: MAX_STRATEGIES,
    }),
  }),
  templates: {
    'strategies.*.errorType': 'literal',
    'strategies.*.action': 'literal',
    'strategies.*.maxRetries': 'literal',
    'strategies.*.backoffStrategy': 'literal',
    'strategies.*.delay': 'literal',
  },
  inputs: [{ name: 'in', type: 'object', required: true, description: 'The error from an error port' }],
  outputs: [{ name: 'out', type: 'object', description: 'The error, if the flow continues' }],
  workflows: ({ strategies }) =>
    (Array.isArray(strategies) ? strategies : []).flatMap((strategy, i) =>
      isObject(strategy)
        ? listNamedWorkflow(`strategies[${i}].escalationWorkflow`, strategy['escalationWorkflow'])
        : [],
    ),
  effects: 'external',
  check: (config) => validateStrategies(config['strategies']),
  recover(config, failure, used) {
    const strategies = config['strategies'];
    if (!Array.isArray(strategies)) return null;
    for (const [i, strategy] of strategies.entries()) {
      if (!isObject(strategy) || !matches(strategy['errorType'], failure.type)) continue;
      if (strategy['action'] !== 'retry') return null;
      const made = used(i);
      if (made < Number(strategy['maxRetries'] ?? DEFAULT_RETRIES))
        return { strategy: i, delay: computeDelay(strategy, made) };
    }
    return null;
  },
  async run(ctx, config, input): Promise<Outcome> {
    const errors = readErrors(ctx, input);
    if (errors === null)
      return invalid('', 'must be an error: connect the error ports of the nodes to handle');
    const chosen = errors.map((error) => ({ error, strategy: chooseStrategy(error, config.strategies) }));
    // If any error must fail, all do: continuing would hide it.
    const fatal = chosen.find(({ strategy }) => strategy === undefined || strategy.action === 'fail');
    if (fatal !== undefined) return failWith(fatal.error);
    for (const [i, { error, strategy }] of chosen.entries()) {
      const refused = strategy === undefined ? null : await applyStrategy(ctx, strategy, error, i);
      if (refused !== null) return { kind: 'failed', error: refused };
    }
    const update = chosen.find(({ strategy }) => strategy?.action !== 'continue');
    return update === undefined || ctx.orchestration.isConnected('out')
      ? done(input)
      : failWith(update.error);
  },
  examples: [
    {
      title: 'Retry timeouts three times, notify about other errors',
      config: {
        strategies: [
          { errorType: 'timeout', action: 'retry', maxRetries: 3, backoffStrategy: 'exponential' },
          {
            errorType: 'rate_limited',
            action: 'retry',
            maxRetries: 5,
            backoffStrategy: 'linear',
            delay: '5s',
          },
          { errorType: '*', action: 'notify', notificationChannel: 'orders' },
        ],
      },
      input: { type: 'timeout', message: 'No response within 30 s.', node_id: 'call', attempt: 4 },
      outputs: { out: { type: 'timeout', message: 'No response within 30 s.', node_id: 'call', attempt: 4 } },
    },
    {
      title: 'Escalate to another workflow',
      config: {
        strategies: [{ errorType: '*', action: 'escalate', escalationWorkflow: 'wf_on_call' }],
      },
      input: { type: 'server_error', message: 'The server responded with 500.', node_id: 'call', attempt: 1 },
      outputs: {
        out: { type: 'server_error', message: 'The server responded with 500.', node_id: 'call', attempt: 1 },
      },
    },
  ],
});

function matches(errorType: unknown, type: string): boolean {
  return errorType === '*' || errorType === type;
}

/** Delay in ms before the next retry after `made` retries, without jitter. */
function computeDelay(strategy: JsonObject, made: number): number {
  const given = strategy['delay'];
  const first = typeof given === 'string' ? (parseDuration(given) ?? DEFAULT_DELAY_MS) : DEFAULT_DELAY_MS;
  const factor =
    strategy['backoffStrategy'] === 'fixed'
      ? 1
      : strategy['backoffStrategy'] === 'linear'
        ? made + 1
        : 2 ** made;
  return Math.min(first * factor, MAX_DELAY_MS);
}

/** Returns the errors that arrived, one per connection, or null if any value is not an error. */
function readErrors(ctx: NodeContext, input: Json): HandledError[] | null {
  const values = ctx.deliveries.length > 1 ? ctx.deliveries.map(({ value }) => value) : [input];
  const errors: HandledError[] = [];
  for (const value of values) {
    if (!isError(value)) return null;
    errors.push(value);
  }
  return errors;
}

function isError(value: Json): value is HandledError {
  return (
    isObject(value) &&
    nodeErrorTypes.some((type) => type === value['type']) &&
    typeof value['message'] === 'string'
  );
}

/**
 * Skips retry strategies whose retries are used up, or if the error did not come directly from the failed
 * node.
 */
function chooseStrategy(error: HandledError, strategies: readonly Strategy[]): Strategy | undefined {
  return strategies.find(
    (strategy) => strategy.action !== 'retry' && matches(strategy.errorType, error.type),
  );
}

/** Performs the action of a strategy. Returns null, or the reason why it failed. */
async function applyStrategy(
  ctx: NodeContext,
  strategy: Strategy,
  error: HandledError,
  i: number,
): Promise<NodeFailure | null> {
  const { action, notificationChannel: name, escalationWorkflow: workflowId } = strategy;
  const where = typeof error['node_id'] === 'string' ? `${error['node_id']} failed: ` : '';
  if (action === 'escalate' && workflowId !== undefined) {
    const child = await ctx.orchestration.startChild({
      workflowId,
      input: error,
      waits: false,
      type: 'error',
      part: `${i}`,
    });
    if (child.kind === 'refused')
      return {
        type: child.type,
        message: `Failed to start ${workflowId}: ${child.message} Original error: ${where}${error.message}`,
      };
    ctx.log('info', `Escalated to ${child.executionId}`, { execution_id: child.executionId });
  }
  if (action === 'notify' || (action === 'escalate' && name !== undefined)) {
    ctx.orchestration.notify({ level: 'error', message: `${where}${error.message}`, channel: name ?? null });
    ctx.log('error', `${where}${error.message}`, name === undefined ? undefined : { channel: name });
  }
  return null;
}

/** Fails with the original error, so that the execution's error names the node that failed, not this one. */
function failWith(error: HandledError): Outcome {
  const { type, message, node_id: nodeId, attempt, status, data } = error;
  return {
    kind: 'failed',
    error: {
      type,
      message,
      retryable: false,
      ...(typeof nodeId === 'string' && {
        origin: { nodeId, attempt: typeof attempt === 'number' ? attempt : 1 },
      }),
      ...(typeof status === 'number' && { status }),
      ...(data !== undefined && { data }),
    },
  };
}

function validateStrategies(strategies: Json | undefined): FieldError[] {
  if (!Array.isArray(strategies))
    return [{ field: 'strategies', issue: 'must be a list; templates are allowed only in its fields' }];
  const fieldErrors: FieldError[] = [];
  for (const [i, strategy] of strategies.entries()) {
    const field = `strategies[${i}]`;
    if (!isObject(strategy)) {
      fieldErrors.push({ field, issue: 'must be an object; templates are allowed only in its fields' });
      continue;
    }
    const { delay } = strategy;
    if (typeof delay === 'string' && (parseDuration(delay) ?? 0) > MAX_DELAY_MS)
      fieldErrors.push({ field: `${field}.delay`, issue: 'must be at most 1m' });
  }
  return fieldErrors;
}
