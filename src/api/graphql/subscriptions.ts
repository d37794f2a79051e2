import { GraphQLID, GraphQLNonNull, type GraphQLFieldConfigMap } from 'graphql';
import { Type } from 'typebox';
import { WeftError } from '../../contract/errors.ts';
import { HealthUpdateResource } from '../../contract/resources/health.ts';
import { LogEntryResource } from '../../contract/resources/execution.ts';
import { LogQuerySchema } from '../../contract/requests/execution.ts';
import { ExecutionUpdateMessage, NotificationMessage } from '../../contract/requests/websocket.ts';
import type { WeftEvent } from '../../ports/events.ts';
import { presentExecutionUpdate, presentNotification } from '../serializers/event.ts';
import { presentLogEntry } from '../serializers/execution.ts';
import { presentHealthUpdate } from '../serializers/health.ts';
import { principalOf, type RequestContext } from './request-context.ts';
import { costOf } from './limits/cost-rule.ts';
import { createEventQueue, type EventQueue } from './transport/event-queue.ts';
import { answer, idArg, queryArgs, type OperationBuilder } from './operations/operation-builder.ts';
import { text, type Args } from './operations/operation.ts';
import type { GraphqlServices } from './services.ts';

/** Events that may wait for one subscriber; of each execution it is the latest alone. */
const MAX_WAITING = 1_000;

const tooSlow = (): WeftError =>
  new WeftError('RATE_LIMITED', 'The subscriber is too slow to keep up.', {
    reason: 'capacity',
    limit: MAX_WAITING,
  });

/** The root fields of Subscription. Permission is clear before the first event; a missing or foreign thing is NOT_FOUND. */
export function subscriptionFields(
  kit: OperationBuilder,
  { events, executions, health }: GraphqlServices,
): GraphQLFieldConfigMap<unknown, RequestContext> {
  const update = answer(kit, ExecutionUpdateMessage.properties.data);
  const notification = answer(kit, NotificationMessage.properties.data);
  const healthUpdate = answer(kit, HealthUpdateResource);
  const logEntry = answer(kit, LogEntryResource);
  const logArgs = queryArgs(kit, Type.Omit(LogQuerySchema, ['page', 'limit']));
  const asItIs = (event: unknown): unknown => event;

  async function updates(
    caller: RequestContext,
    narrowing: Record<string, string>,
    wanted: (event: WeftEvent & { kind: 'execution_update' }) => boolean,
  ): Promise<EventQueue<object>> {
    const principal = principalOf(caller);
    await events.narrow(principal, narrowing);
    return subscribed((put) =>
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
        "What happens to a workflow's executions: each change of status, each start and end of a node.",
      args: { workflowId: idArg('Of the workflow.') },
      ...costOf({ own: 10 }),
      subscribe: (_root, args: Args, caller) => {
        const workflowId = text(args, 'workflowId');
        return updates(caller, { workflow_id: workflowId }, (event) => event.workflowId === workflowId);
      },
      resolve: asItIs,
    },
    executionUpdates: {
      type: update.type,
      description: 'What happens to your executions: to all, or to one.',
      args: { executionId: { type: GraphQLID, description: 'Of the only execution that is wanted.' } },
      ...costOf({ own: 10 }),
      subscribe: (_root, args: Args, caller) => {
        const executionId = args['executionId'];
        return typeof executionId === 'string'
          ? updates(caller, { execution_id: executionId }, (event) => event.executionId === executionId)
          : updates(caller, {}, () => true);
      },
      resolve: asItIs,
    },
    executionLogs: {
      type: logEntry.type,
      description: 'The log of an execution from its beginning, then live until the execution ends.',
      args: { executionId: idArg('Of the execution.'), ...logArgs.args },
      ...costOf({ own: 20 }),
      async subscribe(_root, args: Args, caller) {
        const follow = await executions.followLogs(
          principalOf(caller),
          text(args, 'executionId'),
          logArgs.read(args),
          0,
        );
        const leavers: (() => void)[] = [];
        let isClosed = false;
        const queue = createEventQueue<object>(MAX_WAITING, tooSlow, () => {
          isClosed = true;
          for (const leave of leavers) leave();
        });
        void follow({
          entry: (entry) => queue.put(logEntry.show(presentLogEntry(entry))),
          ready: () => queue.taken(),
          end: () => queue.end(),
          isClosed: () => isClosed,
          onClose: (run) => void (isClosed ? run() : leavers.push(run)),
        }).then(
          () => queue.end(),
          (error: unknown) => queue.end(error),
        );
        return queue;
      },
      resolve: asItIs,
    },
    notifications: {
      type: notification.type,
      description: 'What is notified to you.',
      ...costOf({ own: 10 }),
      subscribe: async (_root, _args, caller) =>
        subscribed((put) =>
          events.subscribe(principalOf(caller), (event) => {
            if (event.kind === 'notification') put(notification.show(presentNotification(event)));
          }),
        ),
      resolve: asItIs,
    },
    systemHealth: {
      type: new GraphQLNonNull(kit.objects.of(HealthUpdateResource).type),
      description: 'How the service is: now, and every two seconds.',
      ...costOf({ own: 10 }),
      async subscribe(_root, _args, caller) {
        const principal = principalOf(caller);
        return subscribed((put) =>
          health.watch(principal, (event) => put(healthUpdate.show(presentHealthUpdate(event)), 'health')),
        );
      },
      resolve: asItIs,
    },
  };
}

/** A queue that is filled as long as somebody takes from it. */
function subscribed(join: (put: (event: object, key?: string) => void) => () => void): EventQueue<object> {
  let leave = (): void => {};
  const queue = createEventQueue<object>(MAX_WAITING, tooSlow, () => leave());
  leave = join((event, key) => queue.put(event, key));
  return queue;
}
