import { GraphQLID, GraphQLNonNull, type GraphQLFieldConfigMap } from 'graphql';
import { Type } from 'typebox';
import { WeftError } from '../../contract/errors.ts';
import { HealthUpdateResource } from '../../contract/resources/health.ts';
import { LogEntryResource } from '../../contract/resources/execution.ts';
import { LogQuerySchema } from '../../contract/requests/execution.ts';
import {
  DecisionMessage,
  ExecutionUpdateMessage,
  NotificationMessage,
} from '../../contract/requests/websocket.ts';
import type { WeftEvent } from '../../ports/events.ts';
import { presentDecisionChange } from '../serializers/decision.ts';
import { presentExecutionUpdate, presentNotification } from '../serializers/event.ts';
import { presentLogEntry } from '../serializers/execution.ts';
import { presentHealthUpdate } from '../serializers/health.ts';
import { requirePrincipal, type RequestContext } from './request-context.ts';
import { withCost } from './limits/cost-rule.ts';
import { createEventQueue, type EventQueue } from './transport/event-queue.ts';
import {
  createOutputType,
  createIdArg,
  createQueryArgs,
  type OperationBuilder,
} from './operations/operation-builder.ts';
import { readText, type Args } from './operations/operation.ts';
import type { GraphqlServices } from './services.ts';

/** Maximum queued events of one subscriber; for each execution only the latest one is queued. */
const MAX_QUEUED_EVENTS = 1_000;

const createSlowError = (): WeftError =>
  new WeftError('RATE_LIMITED', 'The subscriber is too slow.', {
    reason: 'capacity',
    limit: MAX_QUEUED_EVENTS,
  });

/**
 * The root fields of Subscription. Permissions are checked before the first event; missing resources are
 * NOT_FOUND.
 */
export function createSubscriptionFields(
  builder: OperationBuilder,
  { events, executions, health }: GraphqlServices,
): GraphQLFieldConfigMap<unknown, RequestContext> {
  const update = createOutputType(builder, ExecutionUpdateMessage.properties.data);
  const notification = createOutputType(builder, NotificationMessage.properties.data);
  const decision = createOutputType(builder, DecisionMessage.properties.data);
  const healthUpdate = createOutputType(builder, HealthUpdateResource);
  const logEntry = createOutputType(builder, LogEntryResource);
  const logArgs = createQueryArgs(builder, Type.Omit(LogQuerySchema, ['page', 'limit']));
  const resolveUnchanged = (event: unknown): unknown => event;

  async function updates(
    caller: RequestContext,
    filter: Record<string, string>,
    wanted: (event: WeftEvent & { kind: 'execution_update' }) => boolean,
  ): Promise<EventQueue<object>> {
    const principal = requirePrincipal(caller);
    await events.readFilter(principal, filter);
    return createSubscription((put) =>
      events.subscribe(principal, (event) => {
        if (event.kind === 'execution_update' && wanted(event))
          put(update.show(presentExecutionUpdate(event)), event.executionId);
      }),
    );
  }

  return {
    workflowExecution: {
      type: update.type,
      description:
        'Updates of the executions of a workflow: each change of status, each start and end of a node.',
      args: { workflowId: createIdArg('The id of the workflow.') },
      ...withCost({ own: 10 }),
      subscribe: (_root, args: Args, caller) => {
        const workflowId = readText(args, 'workflowId');
        return updates(caller, { workflow_id: workflowId }, (event) => event.workflowId === workflowId);
      },
      resolve: resolveUnchanged,
    },
    executionUpdates: {
      type: update.type,
      description: 'Updates of all your executions, or of one.',
      args: { executionId: { type: GraphQLID, description: 'Restricts the updates to one execution.' } },
      ...withCost({ own: 10 }),
      subscribe: (_root, args: Args, caller) => {
        const executionId = args['executionId'];
        return typeof executionId === 'string'
          ? updates(caller, { execution_id: executionId }, (event) => event.executionId === executionId)
          : updates(caller, {}, () => true);
      },
      resolve: resolveUnchanged,
    },
    executionLogs: {
      type: logEntry.type,
      description: 'The log of an execution from its beginning, then live until the execution ends.',
      args: { executionId: createIdArg('The id of the execution.'), ...logArgs.args },
      ...withCost({ own: 20 }),
      async subscribe(_root, args: Args, caller) {
        const follow = await executions.followLogs(
          requirePrincipal(caller),
          readText(args, 'executionId'),
          logArgs.read(args),
          0,
        );
        const leavers: (() => void)[] = [];
        let isClosed = false;
        const queue = createEventQueue<object>(MAX_QUEUED_EVENTS, createSlowError, () => {
          isClosed = true;
          for (const leave of leavers) leave();
        });
        void follow({
          entry: (entry) => queue.put(logEntry.show(presentLogEntry(entry))),
          ready: () => queue.waitUntilEmpty(),
          end: () => queue.end(),
          isClosed: () => isClosed,
          onClose: (run) => void (isClosed ? run() : leavers.push(run)),
        }).then(
          () => queue.end(),
          (error: unknown) => queue.end(error),
        );
        return queue;
      },
      resolve: resolveUnchanged,
    },
    notifications: {
      type: notification.type,
      description: 'Your notifications.',
      ...withCost({ own: 10 }),
      subscribe: async (_root, _args, caller) =>
        createSubscription((put) =>
          events.subscribe(requirePrincipal(caller), (event) => {
            if (event.kind === 'notification') put(notification.show(presentNotification(event)));
          }),
        ),
      resolve: resolveUnchanged,
    },
    decisionChanges: {
      type: decision.type,
      description: 'Changes of decisions that you were asked for, or that your executions asked for.',
      ...withCost({ own: 10 }),
      subscribe: async (_root, _args, caller) =>
        createSubscription((put) =>
          events.subscribe(requirePrincipal(caller), (event) => {
            if (event.kind === 'decision') put(decision.show(presentDecisionChange(event)));
          }),
        ),
      resolve: resolveUnchanged,
    },
    systemHealth: {
      type: new GraphQLNonNull(builder.objects.of(HealthUpdateResource).type),
      description: 'The health of the service, now and every two seconds.',
      ...withCost({ own: 10 }),
      async subscribe(_root, _args, caller) {
        const principal = requirePrincipal(caller);
        return createSubscription((put) =>
          health.watch(principal, (event) => put(healthUpdate.show(presentHealthUpdate(event)), 'health')),
        );
      },
      resolve: resolveUnchanged,
    },
  };
}

/** Creates a queue that receives events until its consumer stops. */
function createSubscription(
  join: (put: (event: object, key?: string) => void) => () => void,
): EventQueue<object> {
  let leave = (): void => {};
  const queue = createEventQueue<object>(MAX_QUEUED_EVENTS, createSlowError, () => leave());
  leave = join((event, key) => queue.put(event, key));
  return queue;
}
