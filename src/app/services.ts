import { checkDefinition } from '../engine/graph/definition-check.ts';
import { builtinTemplates } from './builtin-templates.ts';
import { runSliced } from '../lib/async/time-slice.ts';
import { validateConfig } from '../nodes/validate-config.ts';
import { limits } from '../ports/limits.ts';
import { createEvaluations } from '../services/executions/evaluations.service.ts';
import { createExecutionEvents } from '../services/executions/execution-events.service.ts';
import { createExecutions } from '../services/executions/executions.service.ts';
import { createExecutionStreams } from '../services/executions/streams/execution-streams.ts';
import { createFileReader } from '../services/file-reader.ts';
import { createFiles } from '../services/executions/files.service.ts';
import { createModelPrices } from '../services/usage/model-prices.service.ts';
import { createModelUsage } from '../services/usage/model-usage.service.ts';
import { createStatistics } from '../services/executions/statistics.service.ts';
import { createAuditService } from '../services/audit/audit.service.ts';
import { createFormLinks } from '../services/forms/form-links.ts';
import { createDecisions } from '../services/decisions/decisions.service.ts';
import { createThreads } from '../services/threads/threads.service.ts';
import { createVectorCollections } from '../services/vectors/vector-collections.service.ts';
import { createSlackAccounts } from '../services/decisions/slack/slack-account.ts';
import { createSlackInteractions } from '../services/decisions/slack/slack-interactions.service.ts';
import { createSlackMessages } from '../services/decisions/slack/slack-messages.service.ts';
import { createResume } from '../services/executions/resume.service.ts';
import { createHealth } from '../services/observability/health.service.ts';
import { createRateLimit } from '../services/accounts/rate-limit.service.ts';
import { createRateLimitWindows } from '../services/accounts/rate-limit-windows.ts';
import { createConnectionProviders } from '../services/credentials/connection-providers.service.ts';
import { createRetention } from '../services/retention.service.ts';
import { createDefinitionValidator } from '../services/workflows/validate-definition.ts';
import { createNodes } from '../services/workflows/nodes.service.ts';
import { createPinnedOutputs } from '../services/workflows/pinned-outputs.service.ts';
import { createTemplates } from '../services/workflows/templates.service.ts';
import { completeDefinition } from '../services/workflows/lifecycle.ts';
import { createPackChoices } from '../services/packs/pack-choices.service.ts';
import { createChatPages } from '../services/chat/chat-pages.service.ts';
import { createChat } from '../services/chat/chat.service.ts';
import { createMcpTools } from '../services/mcp/mcp-tools.service.ts';
import { createProviderModels } from '../services/usage/provider-models.service.ts';
import { createToolQuestions } from '../services/mcp/tool-questions.ts';
import { createWorkflowTools } from '../services/mcp/workflow-tools.service.ts';
import { createPacks } from '../services/packs/packs.service.ts';
import { createSignedTokens } from '../services/signed-tokens.ts';
import type { AppBase } from './app-base.ts';
import type { Auth } from './auth.ts';
import type { AppStorage } from './storage/create-storage.ts';
import type { AppEngine } from './engine.ts';
import { createTriggers } from './triggers.ts';

const RATE_LIMIT_WINDOW_MS = 3_600_000;

/** Step 4 of 5: the services that the APIs call, and the triggers. */
export function createServices(base: AppBase, storage: AppStorage, auth: Auth, engineParts: AppEngine) {
  const { config, clock, ids, report, webhookBaseUrl } = base;
  const { store, files, coordination } = storage;
  const { audit, secrets, secretRedaction } = auth;
  const { engine, runner, nodeTypes, ownTypes, accounts, sandbox, packages, packs, openApi, packRunner } =
    engineParts;
  const {
    events,
    completionTriggers,
    notifications,
    observability,
    resumes,
    decisionLinks,
    decisionChanged,
  } = engineParts;
  const validator = createDefinitionValidator({
    check: (definition, types) =>
      runSliced(clock, limits.timeSliceMs, checkDefinition(definition, types, validateConfig)),
    known: {
      secret: (ownerId, names) => secrets.known(ownerId, names),
      connection: (ownerId, names) => accounts.connections.known(ownerId, names),
      workflow: async (ownerId, workflowIds) => {
        const rows = await Promise.all(workflowIds.map((id) => store.workflows.get(ownerId, id)));
        return new Set(rows.flatMap((row) => row?.id ?? []));
      },
    },
    listShortSecrets: (ownerId, names, characters) => secrets.listShorterThan(ownerId, names, characters),
    nodeTypes: ownTypes,
    compile: (ownerId, source) => sandbox.check(ownerId, source),
  });
  const streams = createExecutionStreams({
    executions: store.executions,
    decisions: store.decisions,
    liveTexts: engineParts.liveTexts,
    engine,
    events,
    clock,
    loadRedactor: (ownerId) => secretRedaction.loadRedactor(ownerId),
  });
  const formLinks = createFormLinks(auth.keys.formLinks);
  const {
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
  } = createTriggers({
    config,
    store,
    files,
    clock,
    ids,
    auth,
    coordination,
    engine,
    runner,
    send: (request, signal, checkHost) => runner.send(request, signal, checkHost),
    nodeTypes,
    types: () => packs.types(),
    catalog: packs,
    packRunner,
    ownTypes,
    validator,
    completionTriggers,
    streams,
    failed: (problem) => notifications.triggerFailed(problem),
    baseUrl: webhookBaseUrl,
    formLinks,
    report,
  });
  coordination.bus.subscribe('follow', () => completionTriggers.startPending());
  const templates = createTemplates({
    templates: store.templates,
    gallery: builtinTemplates,
    findFormErrors: async (ownerId, definition) =>
      (await validator.find(ownerId, completeDefinition(definition, await ownTypes.of(ownerId)))).form,
    references: async (ownerId, definition) =>
      validator.references(ownerId, completeDefinition(definition, await ownTypes.of(ownerId))),
    createWorkflow: (principal, input) => workflows.create(principal, input),
    nodeTypes,
    audit,
    clock,
  });
  const executions = observability.starts(
    createExecutions({
      executions: store.executions,
      workflows: store.workflows,
      streams,
      engine,
      nodeTypes,
      ownTypes,
      validator,
      events,
      clock,
      loadRedactor: (ownerId) => secretRedaction.loadRedactor(ownerId),
    }),
  );
  const readFile = createFileReader(store.files, files);
  const slackAccounts = createSlackAccounts({
    executions: store.executions,
    workflows: store.workflows,
    runner,
    clock,
  });
  const slackMessages = createSlackMessages({
    messages: store.decisionMessages,
    decisions: store.decisions,
    accounts: slackAccounts,
    notify: (notification) => notifications.notify(notification),
    clock,
    report,
  });
  const decisions = createDecisions({
    decisions: store.decisions,
    readFile,
    links: decisionLinks,
    users: store.accounts,
    uploads: { clock, ids, files },
    baseUrl: () => base.baseUrl(),
    engine,
    changed(decision) {
      decisionChanged(decision);
      if (decision.status !== 'open') slackMessages.wake();
    },
    audit,
    clock,
  });
  const slackInteractions = createSlackInteractions({
    decisions: store.decisions,
    messages: store.decisionMessages,
    users: store.accounts,
    respond: (...response) => decisions.respondInSlack(...response),
    accounts: slackAccounts,
    secret: async (ownerId, name) => (await secrets.secretsFor(ownerId, [name])).get(name)?.value ?? null,
    links: decisionLinks,
    baseUrl: () => base.baseUrl(),
    audit,
    clock,
    report,
  });
  const resume = createResume({ addresses: resumes, executions: store.executions, engine, clock });
  const workflowTools = createWorkflowTools({
    registry: tools,
    executions: store.executions,
    readExecution: (principal, id) => executions.get(principal, id),
    stopExecution: (principal, id) => executions.stop(principal, id),
    engine,
    states: createSignedTokens(auth.keys.resumes),
    questions: createToolQuestions({
      engine,
      executions: store.executions,
      decisions: store.decisions,
      decisionService: decisions,
      resume,
      resumeUrls: resumes,
    }),
    events,
    clock,
    loadRedactor: (ownerId) => secretRedaction.loadRedactor(ownerId),
    failed: (problem) => notifications.triggerFailed(problem),
  });
  const chat = createChat({
    registry: chats,
    executions: store.executions,
    streams,
    engine,
    ids,
    files,
    clock,
    failed: (problem) => notifications.triggerFailed(problem),
  });
  const chatPages = createChatPages({
    registry: chats,
    executions: store.executions,
    decisions: store.decisions,
    threads: store.threads,
    accounts: store.accounts,
    streams,
    links: formLinks,
    decisionLinks,
    tokens: createSignedTokens(auth.keys.chatPages),
    engine,
    ids,
    files,
    clock,
    rateLimit: config.webhookRateLimit,
    ...counting,
    baseUrl: () => base.baseUrl(),
    loadRedactor: (ownerId) => secretRedaction.loadRedactor(ownerId),
    failed: (problem) => notifications.triggerFailed(problem),
  });
  const retention = createRetention({
    maintenance: store.maintenance,
    statistics: store.statistics,
    usage: store.usage,
    decisions: store.decisions,
    audit: store.audit,
    auditRetention: config.auditRetention,
    statisticsRetention: config.statisticsRetention,
    fileRows: store.files,
    files,
    sweepFiles: (isStopped) => files.sweep((hashes) => store.files.filterUnreferenced(hashes), isStopped),
    clock,
    report,
  });
  const health = createHealth({
    version: config.version,
    clock,
    onError: (error) => report('health subscriber threw', error),
    checkStore: () => store.maintenance.check(),
    ...(coordination.queue === null ? {} : { isRedisUp: () => coordination.isUp() }),
    ...(storage.checkFiles === undefined ? {} : { checkFiles: storage.checkFiles }),
    engine,
    throughput: observability.throughput,
  });
  const rateWindows = createRateLimitWindows({ store: store.throttling, clock, report });
  const rateLimit = createRateLimit({
    limits: config.rateLimits,
    counter: coordination.counter('requests', RATE_LIMIT_WINDOW_MS, rateWindows),
    clock,
    reached: (userId, level, state) => notifications.rateReached(userId, level, state),
    refused: () => observability.metrics?.refused('plan'),
  });
  const lists = {
    runner,
    clock,
    loadRedactor: (ownerId: string) => secretRedaction.loadRedactor(ownerId),
  };
  return {
    validator,
    webhooks,
    packWebhooks,
    forms,
    slackInteractions,
    chatPages,
    tools,
    chats,
    workflows,
    deletedWorkflows,
    rateLimit,
    rateWindows,
    health,
    /** Tasks that only the leader runs. */
    leaderTasks: [schedules, polling, packRemovals, slackMessages, completionTriggers, retention],
    /** Services for the APIs. */
    api: {
      ...auth.services,
      events: createExecutionEvents({
        executions: store.executions,
        workflows: store.workflows,
        events,
        failed: (error) => report('event subscriber threw', error),
      }),
      workflows,
      deletedWorkflows,
      pinnedOutputs: createPinnedOutputs({
        pinnedOutputs: store.pinnedOutputs,
        workflows: store.workflows,
        audit,
        clock,
        nodeTypes,
      }),
      connections: accounts.connections,
      connectionProviders: createConnectionProviders(),
      templates,
      listen,
      audit: createAuditService({ audit: store.audit }),
      decisions,
      threads: createThreads({
        threads: store.threads,
        audit,
        clock,
        loadRedactor: (ownerId) => secretRedaction.loadRedactor(ownerId),
      }),
      vectorCollections: createVectorCollections({ vectors: store.vectors, audit }),
      resume,
      executions,
      statistics: createStatistics({ statistics: store.statistics, clock }),
      modelUsage: createModelUsage({ usage: store.usage, workflows: store.workflows, clock }),
      modelPrices: createModelPrices({ usage: store.usage, setting: config.modelPrices, audit }),
      evaluations: createEvaluations({
        executions: store.executions,
        engine,
        clock,
        knownSecrets: (ownerId, names) => secrets.known(ownerId, names),
        loadRedactor: (ownerId) => secretRedaction.loadRedactor(ownerId),
      }),
      files: createFiles(readFile),
      nodes: createNodes({
        shared: () => packs.types(),
        nodeTypes: ownTypes,
        customNodes: store.customNodes,
        sandbox,
        packages,
        audit,
        clock,
      }),
      packs: createPacks({
        packs: store.packs,
        catalog: packs,
        reader: openApi,
        runner: packRunner,
        send: (request, signal) => runner.send(request, signal),
        audit,
        clock,
      }),
      packApps,
      packChoices: createPackChoices({ catalog: packs, ...lists }),
      chat,
      workflowTools,
      mcpTools: createMcpTools(lists),
      providerModels: createProviderModels(lists),
      health,
    },
  };
}

export type AppServices = ReturnType<typeof createServices>;
