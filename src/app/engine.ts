import { getHeapStatistics } from 'node:v8';
import { createEngine as createExecutionEngine } from '../engine/engine.ts';
import { MemoryBudget } from '../lib/limits/memory-budget.ts';
import { createLiveTexts } from '../coordination/live-texts.ts';
import { createNpmNode } from '../nodes/npm/npm-node.ts';
import { createNpmTrigger } from '../nodes/npm/npm-trigger.ts';
import { createOpenApiNode } from '../nodes/openapi/openapi-node.ts';
import { limits } from '../ports/limits.ts';
import { parseAllowedHosts } from '../runner/allowed-hosts.ts';
import { createEgressClient } from '../runner/http/egress-client.ts';
import { createNodeRunner } from '../runner/node-runner.ts';
import { createOpenApiReader } from '../runner/openapi/openapi-reader.ts';
import { createPackageBundler } from '../runner/packages/package-bundler.ts';
import { createPackRunner } from '../runner/packs/pack-runner.ts';
import { createSandbox } from '../runner/sandbox/sandbox.ts';
import { createOrchestration } from '../services/executions/orchestration.service.ts';
import { createDecisionEvents } from '../services/decisions/decision-events.ts';
import { createDecisionLinks } from '../services/decisions/decision-links.ts';
import { createQuestions } from '../services/decisions/questions.service.ts';
import { createResumeUrls } from '../services/executions/resume-url.ts';
import {
  createNotifications,
  withFailureNotifications,
} from '../services/observability/notifications.service.ts';
import { createCompletionTriggerService } from '../services/triggers/completion-triggers.service.ts';
import { createPackCatalog } from '../services/packs/pack-catalog.ts';
import type { DefinitionValidator } from '../services/workflows/validate-definition.ts';
import { createUserNodeTypes } from '../services/workflows/user-node-types.ts';
import type { AppBase } from './app-base.ts';
import type { Auth } from './auth.ts';
import { createConnectedAccounts } from './connections.ts';
import type { AppStorage } from './storage/create-storage.ts';
import { loadNodeTypes } from './node-types.ts';
import { createObservability } from './observability.ts';

/** Bound later: these parts are created after the engine. */
type LateBindings = {
  validator(): DefinitionValidator;
  /** This process became the leader, or stopped being it. */
  leadershipChanged(isLeader: boolean): void;
};

/** Step 3 of 5: node types, everything that runs nodes, and the engine. */
export async function createEngine(base: AppBase, storage: AppStorage, auth: Auth, late: LateBindings) {
  const { config, clock, ids, log, process, report, webhookBaseUrl } = base;
  const { store, files, values, coordination } = storage;
  const { secrets, secretRedaction } = auth;
  const nodeTypes = await loadNodeTypes(config, log);
  const packs = createPackCatalog(
    nodeTypes,
    store.packs,
    (manifest) => (manifest.kind === 'npm' ? createNpmNode(manifest) : createOpenApiNode(manifest)),
    createNpmTrigger,
  );
  const ownTypes = createUserNodeTypes(() => packs.types(), store.customNodes);
  const notifications = createNotifications({
    events: coordination.events,
    executions: store.executions,
    workflows: store.workflows,
    loadRedactor: (ownerId) => secretRedaction.loadRedactor(ownerId),
    clock,
    report,
  });
  const events = withFailureNotifications(coordination.events, (update) =>
    notifications.executionFailed(update),
  );
  const resumes = createResumeUrls(auth.keys.resumes);
  const decisionLinks = createDecisionLinks(auth.keys.decisions);
  const decisionChanged = createDecisionEvents({ events, clock });
  const orchestration = createOrchestration({
    workflows: store.workflows,
    executions: store.executions,
    engine: () => engine,
    validator: () => late.validator(),
    addresses: resumes,
    baseUrl: webhookBaseUrl,
    clock,
    notify: (notice) => notifications.notify(notice),
    questions: createQuestions({
      decisions: store.decisions,
      messages: store.decisionMessages,
      users: store.accounts,
      links: decisionLinks,
      baseUrl: () => base.baseUrl(),
      changed: decisionChanged,
      ids,
      clock,
    }),
  });
  const completionTriggers = createCompletionTriggerService({
    workflows: store.workflows,
    executions: store.executions,
    engine: () => engine,
    validator: () => late.validator(),
    failed: (problem) => notifications.triggerFailed(problem),
    clock,
    report,
  });
  const memory = new MemoryBudget(
    Math.min(limits.liveValueBytes, Math.floor(getHeapStatistics().heap_size_limit / 4)),
  );
  const allowedHosts = parseAllowedHosts(config.allowedHosts.join(','));
  const sandbox = createSandbox({ warn: (message) => log.warn(message) });
  const packageEgress = createEgressClient({ clock, allowedHosts, proxy: config.proxy, memory });
  const packages = createPackageBundler({ registry: config.npmRegistry, egress: packageEgress });
  const openApi = createOpenApiReader();
  const packRunner = createPackRunner({
    registry: config.npmRegistry,
    egress: packageEgress,
    async loadArchive(name, version) {
      const content = await store.packs.document(name, version);
      return content === null ? null : Buffer.from(content, 'base64');
    },
    warn: (message) => log.warn(message),
  });
  const observability = await createObservability({
    config,
    clock,
    nodeTypes,
    executions: store.executions,
    load: storage.load,
    coordination,
    engine: () => engine,
    report,
  });
  const { metrics } = observability;
  const accounts = createConnectedAccounts({
    audit: auth.audit,
    store,
    box: auth.box,
    clock,
    ids,
    runner: () => runner,
    getNodeTypes: (ownerId) => ownTypes.of(ownerId),
    baseUrl: () => base.baseUrl(),
    changed: (ownerId) => secretRedaction.forget(ownerId),
    notifier: notifications,
  });
  const liveTexts = createLiveTexts(coordination.bus, clock);
  const runner = createNodeRunner({
    ...(metrics === null ? {} : { called: (outcome, ms) => metrics.called(outcome, ms) }),
    clock,
    ids,
    secretsFor: (ownerId, names) => secrets.secretsFor(ownerId, names),
    files,
    fileRows: store.files,
    executions: store.executions,
    threads: store.threads,
    vectors: store.vectors,
    sandbox,
    packs: packRunner,
    orchestration,
    tokens: accounts.tokens,
    allowedHosts,
    maxFileSize: config.maxFileSize,
    modelPrices: config.modelPrices,
    loadCallTerms: (workflowId, day) => store.usage.terms(workflowId, day),
    loadRedactor: (ownerId) => secretRedaction.loadRedactor(ownerId),
    liveTexts,
    proxy: config.proxy,
    memory,
    onError: (attempt, error) =>
      log.error(
        {
          err: error,
          execution_id: attempt.executionId,
          node_id: attempt.nodeId,
          ...(attempt.trace === undefined ? {} : { trace_id: attempt.trace.traceparent.slice(3, 35) }),
        },
        'unexpected error in node',
      ),
  });
  const engine = createExecutionEngine({
    store: { ...store, executions: observability.executions },
    files: values,
    nodeTypes: ownTypes,
    runner: observability.runner(runner),
    events,
    completionTriggers: {
      findStarts: (ended) => completionTriggers.findStarts(ended),
      // The leader starts them.
      startPending() {
        completionTriggers.startPending();
        coordination.bus.publish('follow', {});
      },
    },
    clock,
    ids,
    random: Math.random,
    snapshotEvents: limits.snapshotEvents,
    resumeUrl: (ownerId, executionId) => orchestration.resumeUrl({ ownerId, executionId, path: '' }),
    retention: config.retention,
    cluster:
      coordination.queue === null
        ? null
        : {
            process,
            queue: coordination.queue,
            bus: coordination.bus,
            onLeadershipChange: (isLeader) => late.leadershipChanged(isLeader),
          },
    concurrency: config.concurrency,
    memory,
    report,
  });
  return {
    nodeTypes,
    ownTypes,
    packs,
    packRunner,
    openApi,
    notifications,
    events,
    resumes,
    decisionLinks,
    decisionChanged,
    completionTriggers,
    sandbox,
    packages,
    observability,
    accounts,
    runner,
    liveTexts,
    engine,
    /** After the drain of the engine. */
    async close(graceMs: number): Promise<void> {
      openApi.close();
      packRunner.close();
      packages.close();
      sandbox.close();
      await accounts.tokens.close(graceMs);
      await Promise.all([runner.close(), packageEgress.close()]);
    },
  };
}

export type AppEngine = Awaited<ReturnType<typeof createEngine>>;
