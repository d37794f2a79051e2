import { getHeapStatistics } from 'node:v8';
import { drainServer, lastRequests } from './api/rest/server.ts';
import { createConnectedAccounts } from './compose/connections.ts';
import { createHttpServer } from './compose/http-server.ts';
import { createLeaderTasks } from './compose/leader-tasks.ts';
import type { AppContext } from './compose/bootstrap.ts';
import { createAuth } from './compose/auth.ts';
import { listen as listenOn } from './compose/listen.ts';
import { loadNodeTypes } from './compose/node-types.ts';
import { createObservability } from './compose/observability.ts';
import { createTriggers } from './compose/triggers.ts';
import type { Coordination } from './compose/coordination-types.ts';
import { openCoordination } from './compose/coordination.ts';
import { addressOf, type Config } from './config.ts';
import { checkDefinition } from './engine/definition-check.ts';
import { createEngine } from './engine/engine.ts';
import { runSliced } from './lib/time-slice.ts';
import { gallery } from './gallery.ts';
import { checkConfig } from './nodes/config-check.ts';
import { ValueRoom } from './lib/value-room.ts';
import { limits } from './ports/limits.ts';
import { parseAllowedHosts } from './runner/allowed-hosts.ts';
import { createEgressGate } from './runner/egress-gate.ts';
import { createPackageBundler } from './runner/packages/package-bundler.ts';
import { createNodeRunner } from './runner/node-runner.ts';
import { createSandbox } from './runner/sandbox/sandbox.ts';
import { createFaultFinder } from './services/workflows/definition-faults.ts';
import { createEventTriggers } from './services/triggers/event-triggers.service.ts';
import { createExecutionEvents } from './services/executions/execution-events.service.ts';
import { createEvaluations } from './services/executions/evaluations.service.ts';
import { createExecutions } from './services/executions/executions.service.ts';
import { createFiles } from './services/executions/files.service.ts';
import { createFlow } from './services/executions/flow.service.ts';
import { createHealth } from './services/observation/health.service.ts';
import { createNodes } from './services/workflows/nodes.service.ts';
import { createOwnNodeTypes } from './services/workflows/own-node-types.ts';
import { createNotifications, noticingFailures } from './services/observation/notifications.service.ts';
import { createResumeAddresses } from './services/executions/resume-address.ts';
import { createResume } from './services/executions/resume.service.ts';
import { createRateLimit } from './services/people/rate-limit.service.ts';
import { createRateWindows } from './services/people/rate-windows.ts';
import { createTemplates } from './services/workflows/templates.service.ts';
import { createUpkeep } from './services/upkeep.service.ts';
import type { FirstAdmin } from './services/people/users.service.ts';
import { completeDefinition } from './services/workflows/workflow-rules.ts';

/** ms that running nodes and open requests get when the service stops. */
export const GRACE = 10_000;

export type Service = {
  /** Where it listens, ending with /v1. */
  readonly url: string;
  /** Set when this start made the first administrator. */
  readonly firstAdmin: FirstAdmin | null;
  /** Drains: takes nothing new, lets what runs end within the grace, leaves the rest for the next start. */
  stop(): Promise<void>;
  /**
   * Before `stop`: says that the service ends to all who are connected, and goes on for a moment, so that what is on its way to it
   * by then is served.
   */
  leave(): Promise<void>;
};

/**
 * The composition root: the only place that picks adapters and wires them. Resolves when the service listens. Throws an error
 * fit for the terminal when the data folder is in use or cannot be read, or the address is taken.
 */
export async function createApp(config: Config, context: AppContext): Promise<Service> {
  const { clock, ids, log, process } = context;
  const report = (message: string, error: unknown): void => log.error({ err: error }, message);
  const { store, files, load } = await context.storage;
  let processes: Coordination | null = null;
  try {
    const others = await openCoordination({
      config,
      store,
      process,
      clock,
      report,
      note: (message) => log.info(message),
    });
    processes = others;
    const { bus } = others;
    let listening = addressOf(config.host, config.port);
    const baseUrl = (): string => `${config.publicUrl ?? listening}/v1`;
    const webhookBaseUrl = (): string => (config.webhookUrl === null ? baseUrl() : `${config.webhookUrl}/v1`);
    const who = await createAuth({
      config,
      store,
      clock,
      ids,
      bus,
      report,
      origin: () => new URL(baseUrl()).origin,
      tokensOf: (ownerId) => accounts.tokens.secretsOf(ownerId),
      releaseWorkflows: (userId) => workflows.release(userId),
    });
    const { secrets, masks } = who;

    const nodeTypes = await loadNodeTypes(config, log);
    const ownTypes = createOwnNodeTypes(nodeTypes, store.customNodes);
    const notifications = createNotifications({
      events: others.events,
      executions: store.executions,
      workflows: store.workflows,
      masker: (ownerId) => masks.masker(ownerId),
      clock,
      report,
    });
    const events = noticingFailures(others.events, (update) => notifications.executionFailed(update));
    const resumes = createResumeAddresses(who.keys.resumes);
    const flow = createFlow({
      workflows: store.workflows,
      executions: store.executions,
      engine: () => engine,
      faults: () => faults,
      addresses: resumes,
      baseUrl: webhookBaseUrl,
      clock,
      notify: (notice) => notifications.notify(notice),
    });
    const eventTriggers = createEventTriggers({
      workflows: store.workflows,
      executions: store.executions,
      engine: () => engine,
      faults: () => faults,
      failed: (fault) => notifications.triggerFailed(fault),
      clock,
      report,
    });
    const allowedHosts = parseAllowedHosts(config.allowedHosts.join(','));
    const sandbox = createSandbox({ warn: (message) => log.warn(message) });
    const held = new ValueRoom(
      Math.min(limits.liveValues, Math.floor(getHeapStatistics().heap_size_limit / 4)),
    );
    const packageGate = createEgressGate({ clock, allowedHosts, proxy: config.proxy, room: held });
    const packages = createPackageBundler({ registry: config.npmRegistry, gate: packageGate });
    const observation = await createObservability({
      config,
      clock,
      nodeTypes,
      executions: store.executions,
      load,
      others,
      engine: () => engine,
      report,
    });
    const { metrics } = observation;
    if (config.unsupportedTracingVariables.length > 0)
      log.warn(
        { variables: config.unsupportedTracingVariables },
        'some OTEL_ variables are not supported and have no effect',
      );
    const accounts = createConnectedAccounts({
      store,
      box: who.box,
      clock,
      ids,
      runner: () => runner,
      nodeTypesOf: (ownerId) => ownTypes.of(ownerId),
      baseUrl,
      changed: (ownerId) => masks.forget(ownerId),
      notifier: notifications,
    });
    const runner = createNodeRunner({
      ...(metrics === null ? {} : { called: (outcome, ms) => metrics.called(outcome, ms) }),
      clock,
      ids,
      secretsFor: (ownerId, names) => secrets.secretsFor(ownerId, names),
      files,
      fileRows: store.files,
      executions: store.executions,
      sandbox,
      flow,
      tokens: accounts.tokens,
      allowedHosts,
      maxFileSize: config.maxFileSize,
      proxy: config.proxy,
      room: held,
      onFault: (attempt, error) =>
        log.error(
          {
            err: error,
            execution_id: attempt.executionId,
            node_id: attempt.nodeId,
            ...(attempt.trace === undefined ? {} : { trace_id: attempt.trace.traceparent.slice(3, 35) }),
          },
          'a node failed inside',
        ),
    });
    const engine = createEngine({
      store: { ...store, executions: observation.executions },
      files,
      nodeTypes: ownTypes,
      runner: observation.runner(runner),
      events,
      followers: {
        of: (ended) => eventTriggers.of(ended),
        // Whoever leads starts what follows.
        written() {
          eventTriggers.written();
          bus.tell('follow', {});
        },
      },
      clock,
      ids,
      random: Math.random,
      resumeUrl: (ownerId, executionId) => flow.resumeUrl({ ownerId, executionId, path: '' }),
      retention: config.retention,
      cluster:
        others.queue === null
          ? null
          : {
              process,
              queue: others.queue,
              bus,
              led: (leads) => void leaderTasks.set(leads && stopping === null),
            },
      concurrency: config.concurrency,
      memory: held,
      report,
    });

    const faults = createFaultFinder({
      check: (definition, types) =>
        runSliced(clock, limits.turn, checkDefinition(definition, types, checkConfig)),
      known: {
        secret: (ownerId, names) => secrets.known(ownerId, names),
        connection: (ownerId, names) => accounts.connections.known(ownerId, names),
        workflow: async (ownerId, ids) => {
          const rows = await Promise.all(ids.map((id) => store.workflows.get(ownerId, id)));
          return new Set(rows.flatMap((row) => row?.id ?? []));
        },
      },
      shortSecrets: (ownerId, names, characters) => secrets.shorterThan(ownerId, names, characters),
      nodeTypes: ownTypes,
      compile: (ownerId, source) => sandbox.check(ownerId, source),
    });
    const { schedules, polling, webhooks, workflows, listen } = createTriggers({
      config,
      store,
      files,
      clock,
      ids,
      who,
      others,
      engine,
      runner,
      send: (request, signal, checkHost) => runner.send(request, signal, checkHost),
      nodeTypes,
      ownTypes,
      faults,
      eventTriggers,
      failed: (fault) => notifications.triggerFailed(fault),
      baseUrl: webhookBaseUrl,
      report,
    });
    const templates = createTemplates({
      templates: store.templates,
      gallery,
      formFaults: async (ownerId, definition) =>
        (await faults.find(ownerId, completeDefinition(definition, await ownTypes.of(ownerId)))).form,
      references: async (ownerId, definition) =>
        faults.references(ownerId, completeDefinition(definition, await ownTypes.of(ownerId))),
      createWorkflow: (principal, input) => workflows.create(principal, input),
      nodeTypes,
      clock,
    });
    const executions = observation.starts(
      createExecutions({
        executions: store.executions,
        workflows: store.workflows,
        engine,
        nodeTypes,
        faults,
        events,
        clock,
        masker: (ownerId) => masks.masker(ownerId),
      }),
    );
    const upkeep = createUpkeep({
      upkeep: store.upkeep,
      fileRows: store.files,
      files,
      sweepFiles: () => files.sweep((hashes) => store.files.unreferenced(hashes)),
      clock,
      report,
    });
    const health = createHealth({
      version: config.version,
      clock,
      onFault: (error) => report('a watcher of the health failed', error),
      checkStore: () => store.upkeep.check(),
      ...(others.queue === null ? {} : { isRedisUp: () => others.isUp() }),
      engine,
      throughput: observation.throughput,
    });
    const rateWindows = createRateWindows({ store: store.throttling, clock, report });
    const rateLimit = createRateLimit({
      limits: config.rateLimits,
      counter: others.counter('requests', 3_600_000, rateWindows),
      clock,
      reached: (userId, level, state) => notifications.rateReached(userId, level, state),
      refused: () => metrics?.refused('plan'),
    });
    const executionEvents = createExecutionEvents({
      executions: store.executions,
      workflows: store.workflows,
      events,
      failed: (error) => report('a receiver of events failed', error),
    });
    const services = {
      ...who.services,
      events: executionEvents,
      workflows,
      connections: accounts.connections,
      templates,
      listen,
      resume: createResume({ addresses: resumes, executions: store.executions, engine, clock }),
      executions,
      evaluations: createEvaluations({
        executions: store.executions,
        engine,
        clock,
        knownSecrets: (ownerId, names) => who.services.secrets.known(ownerId, names),
        masker: (ownerId) => masks.masker(ownerId),
      }),
      files: createFiles(store.files, files),
      nodes: createNodes({
        builtin: nodeTypes,
        nodeTypes: ownTypes,
        customNodes: store.customNodes,
        compile: (ownerId, source) => sandbox.check(ownerId, source),
        packages,
        clock,
      }),
      health,
    };
    const app = createHttpServer({
      config,
      clock,
      ids,
      log,
      report,
      baseUrl,
      webhookBaseUrl,
      store,
      nodeTypes,
      who,
      rateLimit,
      services,
      webhooks,
      observation,
    });
    let stopping: Promise<void> | null = null;
    const leaderTasks = createLeaderTasks([schedules, polling, eventTriggers, upkeep]);
    bus.hear('follow', () => eventTriggers.written());

    await Promise.all([rateWindows.open(), who.throttle.open(), eventTriggers.open()]);
    await engine.open();
    await webhooks.open();
    const port = await listenOn(app, config).catch(async (error: unknown) => {
      await engine.drain(0);
      throw error;
    });
    listening = addressOf(config.host, port);
    // Not before: whoever finds the port taken, and starts again, is shown the password of the one who can log in.
    const firstAdmin = await who.firstAdmin();
    if (others.queue === null) await leaderTasks.set(true);
    health.opened();

    async function leave(): Promise<void> {
      health.draining();
      await lastRequests(app, clock);
    }

    async function stop(): Promise<void> {
      health.draining();
      await leaderTasks.set(false);
      await Promise.all([drainServer(app, clock, GRACE), engine.drain(GRACE)]);
      await Promise.all([rateWindows.close(), who.throttle.close()]);
      notifications.close();
      health.close();
      packages.close();
      sandbox.close();
      await accounts.tokens.close(GRACE);
      await Promise.all([runner.close(), packageGate.close()]);
      await others.close();
      await observation.close();
      await store.close();
    }
    return {
      url: `${listening}/v1`,
      firstAdmin,
      leave,
      stop: () => (stopping ??= stop()),
    };
  } catch (error) {
    await processes?.close();
    await store.close();
    throw error;
  }
}
