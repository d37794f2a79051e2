import type { Json } from '../../lib/json/json.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Events, ExecutionUpdate, Notification } from '../../ports/events.ts';
import type { NewNotification, Notifier, TriggerFailure } from '../../ports/notifier.ts';
import type { ExecutionStore } from '../../ports/store/executions.ts';
import type { WorkflowStore } from '../../ports/store/workflows.ts';
import { createNotificationBudget } from './notification-budget.ts';
import type { JsonRedactor } from '../credentials/redaction.ts';

/** In characters; the rest is truncated. */
const MAX_MESSAGE_LENGTH = 1_000;
/** In bytes of JSON; larger `data` is omitted. */
const MAX_DATA_BYTES = 16_384;
/** Per user and minute. */
const MAX_EXECUTION_FAILURES = 10;
const MAX_TRIGGER_FAILURES = 10;
const MAX_OWN_NOTIFICATIONS = 60;

const TRIGGER_LABELS: Record<TriggerFailure['kind'], string> = {
  webhook: 'webhook',
  form: 'form trigger',
  tool: 'tool',
  chat: 'chat trigger',
  schedule: 'schedule',
  polling: 'polling trigger',
  email: 'email trigger',
  event: 'event trigger',
  error: 'error trigger',
  on_failure_workflow: 'on_failure_workflow',
};

export type NotificationsDeps = {
  events: Pick<Events, 'publish' | 'hasSubscriber'>;
  executions: Pick<ExecutionStore, 'get'>;
  workflows: Pick<WorkflowStore, 'get'>;
  loadRedactor(ownerId: string): Promise<JsonRedactor>;
  clock: Pick<Clock, 'now' | 'after'>;
  report(message: string, error: unknown): void;
};

export type Notifications = Notifier & {
  /** `update` reports a failed execution; call it when that is on disk. */
  executionFailed(update: Pick<ExecutionUpdate, 'ownerId' | 'executionId' | 'workflowId'>): void;
  triggerFailed(problem: TriggerFailure): void;
  /** `level` in percent of `limit` requests; `reset` in Unix seconds. */
  rateReached(userId: string, level: 80 | 100, window: { limit: number; reset: number }): void;
  close(): void;
};

/**
 * Publishes `notification` events. They reach current subscribers and are not stored. Each kind is limited
 * per user, and dropped ones are summarized. Text from users or other systems is redacted.
 */
export function createNotifications(deps: NotificationsDeps): Notifications {
  const { events, clock } = deps;

  function publish(ownerId: string, level: Notification['level'], message: string, data?: Json): void {
    const timestamp = clock.now();
    events.publish({
      kind: 'notification',
      ownerId,
      level,
      message,
      timestamp,
      ...(data !== undefined && { data }),
    });
  }

  const budget = (perWindow: number, level: Notification['level'], rest: (more: number) => string) =>
    createNotificationBudget({
      clock,
      perWindow,
      summary: (ownerId, more) => publish(ownerId, level, rest(more), { more }),
    });
  const failures = budget(
    MAX_EXECUTION_FAILURES,
    'error',
    (more) => `${more} more ${more === 1 ? 'execution' : 'executions'} failed within the last minute.`,
  );
  const errors = budget(
    MAX_TRIGGER_FAILURES,
    'error',
    (more) => `Triggers could not be served ${more} more ${times(more)} within the last minute.`,
  );
  const own = budget(
    MAX_OWN_NOTIFICATIONS,
    'warning',
    (more) =>
      `${more} more ${more === 1 ? 'notification was' : 'notifications were'} left out within the last minute.`,
  );

  /** Redacts, then truncates: a truncated secret would not be recognized. */
  async function send({ ownerId, level, message, data }: NewNotification): Promise<void> {
    const redact = await deps.loadRedactor(ownerId);
    const shown = data === undefined ? undefined : redact(data);
    const fits = shown !== undefined && Buffer.byteLength(JSON.stringify(shown)) <= MAX_DATA_BYTES;
    publish(ownerId, level, cut(redact(message)), fits ? shown : undefined);
  }

  function runInBackground(what: Promise<void>): void {
    what.catch((error: unknown) => deps.report('a notification could not be made', error));
  }

  async function notifyExecutionFailure(
    ownerId: string,
    executionId: string,
    workflowId: string,
  ): Promise<void> {
    const [execution, workflow] = await Promise.all([
      deps.executions.get(ownerId, executionId),
      deps.workflows.get(ownerId, workflowId),
    ]);
    // Deleted meanwhile: there is nothing to report.
    if (execution === null || workflow === null) return;
    const { error } = execution;
    const where = error === null || error.node_id === '' ? '' : ` at the node ${error.node_id}`;
    const why = error === null ? '.' : `: ${error.message}`;
    await send({
      ownerId,
      level: 'error',
      message: `The execution ${executionId} of the workflow "${workflow.name}" failed${where}${why}`,
      data: {
        execution_id: executionId,
        workflow_id: workflowId,
        ...(error !== null && { node_id: error.node_id, error_type: error.type }),
      },
    });
  }

  async function notifyTriggerFailure({
    ownerId,
    workflowId,
    nodeId,
    kind,
    issue,
  }: TriggerFailure): Promise<void> {
    const workflow = await deps.workflows.get(ownerId, workflowId);
    if (workflow === null) return;
    await send({
      ownerId,
      level: 'error',
      message: `The ${TRIGGER_LABELS[kind]} of the workflow "${workflow.name}" could not be served: ${issue}`,
      data: { workflow_id: workflowId, node_id: nodeId, trigger: kind },
    });
  }

  return {
    notify(notification) {
      const { ownerId } = notification;
      if (events.hasSubscriber(ownerId) && own.tryConsume(ownerId)) runInBackground(send(notification));
    },
    executionFailed({ ownerId, executionId, workflowId }) {
      if (events.hasSubscriber(ownerId) && failures.tryConsume(ownerId))
        runInBackground(notifyExecutionFailure(ownerId, executionId, workflowId));
    },
    triggerFailed(problem) {
      if (events.hasSubscriber(problem.ownerId) && errors.tryConsume(problem.ownerId))
        runInBackground(notifyTriggerFailure(problem));
    },
    rateReached(userId, level, { limit, reset }) {
      if (!events.hasSubscriber(userId)) return;
      const until = new Date(reset * 1000).toISOString();
      const message =
        level === 100
          ? `All ${limit} requests of this hour are used; there are new ones from ${until} on.`
          : `${level} % of the ${limit} requests of this hour are used; there are new ones from ${until} on.`;
      publish(userId, level === 100 ? 'error' : 'warning', message, { limit, level, reset });
    },
    close() {
      for (const one of [failures, errors, own]) one.close();
    },
  };
}

/** Decorates the events: `failed` is called for each failed execution, after its own update was published. */
export function withFailureNotifications(events: Events, failed: (update: ExecutionUpdate) => void): Events {
  return {
    ...events,
    publish(event) {
      events.publish(event);
      if (event.kind === 'execution_update' && event.status === 'failed') failed(event);
    },
  };
}

function times(n: number): string {
  return n === 1 ? 'time' : 'times';
}

function cut(text: string): string {
  return text.length <= MAX_MESSAGE_LENGTH
    ? text
    : `${text.slice(0, MAX_MESSAGE_LENGTH - 1).toWellFormed()}…`;
}
