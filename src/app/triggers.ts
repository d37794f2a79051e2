import { randomBytes } from 'node:crypto';
import type { Config } from '../config/config.ts';
import { createInProcessRateCounter } from '../coordination/in-process/rate-counter.ts';
import type { Engine } from '../engine/engine-api.ts';
import type { Clock } from '../ports/clock.ts';
import type { FileStore } from '../ports/files.ts';
import type { Ids } from '../ports/ids.ts';
import type { NodeTypes, UserNodeTypes } from '../ports/node-types.ts';
import type { TriggerFailure } from '../ports/notifier.ts';
import type { NodeRunner } from '../ports/runner.ts';
import type { Store } from '../ports/store.ts';
import type { ActiveTriggers } from '../ports/store/active-triggers.ts';
import type { DefinitionValidator } from '../services/workflows/validate-definition.ts';
import type { CompletionTriggerService } from '../services/triggers/completion-triggers.service.ts';
import { createChatRegistry } from '../services/chat/chat-registry.ts';
import { createToolRegistry } from '../services/mcp/tool-registry.ts';
import type { ExecutionStreams } from '../services/executions/streams/execution-streams.ts';
import type { FormLinks } from '../services/forms/form-links.ts';
import { createForms } from '../services/forms/forms.service.ts';
import { createListen } from '../services/webhooks/listen.service.ts';
import { createPackApps, type PackAppsDeps } from '../services/pack-webhooks/pack-apps.service.ts';
import { createPackWebhooks } from '../services/pack-webhooks/pack-webhooks.service.ts';
import { createPackRemovals } from '../services/triggers/pack-removals.service.ts';
import { createPolling } from '../services/triggers/polling.service.ts';
import { createSchedules } from '../services/triggers/schedules.service.ts';
import type { SnsDeps } from '../services/webhooks/webhook-sns.ts';
import { createWebhooks } from '../services/webhooks/webhooks.service.ts';
import { createDeletedWorkflows } from '../services/workflows/deleted-workflows.service.ts';
import { createWorkflows } from '../services/workflows/workflows.service.ts';
import type { Auth } from './auth.ts';
import { createTriggerSync } from './trigger-sync.ts';
import type { Coordination } from './coordination/coordination-types.ts';

/** Workflows and their triggers. A change takes effect in this process at once, and soon in others. */
export function createTriggers(options: {
  readonly config: Pick<
    Config,
    'timezone' | 'webhookRateLimit' | 'deletedWorkflowRetention' | 'publicUrl' | 'webhookUrl'
  >;
  readonly store: Store;
  readonly files: FileStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly auth: Pick<Auth, 'audit' | 'box' | 'secrets' | 'secretRedaction'>;
  readonly coordination: Coordination;
  readonly engine: Engine;
  readonly runner: NodeRunner;
  readonly nodeTypes: NodeTypes;
  /** With the types of packs. */
  readonly types: () => Promise<NodeTypes>;
  readonly catalog: PackAppsDeps['catalog'];
  readonly packRunner: PackAppsDeps['packRunner'];
  readonly ownTypes: UserNodeTypes;
  readonly validator: DefinitionValidator;
  readonly completionTriggers: CompletionTriggerService;
  readonly streams: ExecutionStreams;
  /** Sends a request through the egress policy. */
  send: SnsDeps['send'];
  readonly formLinks: FormLinks;
  /** Called when a trigger cannot be served. */
  failed(problem: TriggerFailure): void;
  baseUrl(): string;
  report(message: string, error: unknown): void;
}) {
  const { store, clock, ids, auth, coordination, engine, nodeTypes, validator, completionTriggers } = options;
  const { timezone, webhookRateLimit } = options.config;
  const shared = {
    workflows: store.workflows,
    engine,
    clock,
    timezone,
    failed: (problem: TriggerFailure): void => options.failed(problem),
    report: (message: string, error: unknown): void => options.report(message, error),
  };
  const baseUrl = (): string => options.baseUrl();
  const token = (): string => randomBytes(24).toString('base64url');

  const schedules = createSchedules(shared);
  const hasPublicUrl = (options.config.webhookUrl ?? options.config.publicUrl) !== null;
  const toPackUrl = (address: string): string => `${baseUrl()}/pack-webhooks/${address}`;
  const packTriggers = {
    ...shared,
    packTriggers: store.packTriggers,
    runner: options.runner,
    types: () => options.types(),
    toPackUrl: (address: string) => (hasPublicUrl ? toPackUrl(address) : null),
  };
  const packRemovals = createPackRemovals(packTriggers);
  const polling = createPolling({
    ...packTriggers,
    polls: store.polls,
    packApps: store.packApps,
    removalAdded: () => packRemovals.wake(),
    token,
  });
  /** Several processes count the calls of a workflow together, and learn of each other's changes. */
  const counting =
    coordination.queue === null
      ? {}
      : {
          calls: coordination.counter(
            'webhooks',
            60_000,
            createInProcessRateCounter(60_000, () => clock.now()),
          ),
          refresh: () => triggerSync.refresh(),
        };
  const webhooks = createWebhooks({
    ...shared,
    executions: store.executions,
    ids,
    files: options.files,
    streams: options.streams,
    secret: async (ownerId, name) =>
      (await auth.secrets.secretsFor(ownerId, [name])).get(name)?.value ?? null,
    loadRedactor: (ownerId) => auth.secretRedaction.loadRedactor(ownerId),
    send: (request, signal, checkHost) => options.send(request, signal, checkHost),
    rateLimit: webhookRateLimit,
    ...counting,
  });

  const receiving = {
    ...packTriggers,
    ids,
    token,
    received(workflowId: string) {
      polling.wake();
      // The leader may be another process.
      if (coordination.queue !== null) triggerSync.publish(workflowId);
    },
  };
  const packApps = createPackApps({
    ...receiving,
    packApps: store.packApps,
    catalog: options.catalog,
    packRunner: options.packRunner,
    box: auth.box,
    audit: auth.audit,
  });
  const packWebhooks = createPackWebhooks({
    ...receiving,
    toUrl: toPackUrl,
    receiveForApp: (call) => packApps.receive(call),
    rateLimit: webhookRateLimit,
    calls: counting.calls ?? createInProcessRateCounter(60_000, () => clock.now()),
  });

  const forms = createForms({
    ...shared,
    ids,
    files: options.files,
    links: options.formLinks,
    token,
    rateLimit: webhookRateLimit,
    ...counting,
  });

  const tools = createToolRegistry({ ...shared, ...counting });
  const chats = createChatRegistry({ ...shared, ...counting });

  function change(
    workflowId: string,
    live: Pick<ActiveTriggers, 'webhooks' | 'completionTriggers'> | null,
  ): void {
    webhooks.change(workflowId, live);
    forms.change(workflowId, live);
    tools.change(workflowId, live);
    chats.change(workflowId, live);
    completionTriggers.change(workflowId, live);
    schedules.wake();
    polling.wake();
    packRemovals.wake();
  }
  const triggerSync = createTriggerSync({
    ...shared,
    bus: coordination.bus,
    change,
    readAll: async () => {
      await Promise.all([
        webhooks.open(),
        forms.open(),
        tools.open(),
        chats.open(),
        completionTriggers.open(),
      ]);
    },
  });
  const owned = {
    ...shared,
    executions: store.executions,
    audit: options.auth.audit,
    isUser: async (id: string) => (await store.accounts.userById(id)) !== null,
    changed(workflowId: string, live: ActiveTriggers | null) {
      change(workflowId, live);
      triggerSync.publish(workflowId);
    },
  };
  const workflows = createWorkflows({
    ...owned,
    nodeTypes,
    ownTypes: options.ownTypes,
    validator,
    ids,
    baseUrl,
    formLinks: options.formLinks,
    hasPublicUrl,
  });
  const deletedWorkflows = createDeletedWorkflows({
    ...owned,
    keepMs: options.config.deletedWorkflowRetention,
    get: (principal, id) => workflows.get(principal, id),
  });
  const listen = createListen({
    ...shared,
    validator,
    nodeTypes,
    baseUrl,
    token,
    serve: webhooks.serveTest,
    addresses: coordination.addresses,
  });
  return {
    schedules,
    polling,
    packRemovals,
    packApps,
    packWebhooks,
    webhooks,
    forms,
    counting,
    tools,
    chats,
    workflows,
    deletedWorkflows,
    listen,
  };
}
