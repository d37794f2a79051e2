import { randomBytes } from 'node:crypto';
import { destination, type Logger } from 'pino';
import { documentDoor } from './api/documents/door.ts';
import { routeGroups } from './api/rest/routes.ts';
import { connectionsDoor } from './api/connections/door.ts';
import { healthRoutes } from './api/rest/routes-health.ts';
import { createServer, drainServer, type ServerOptions } from './api/rest/server.ts';
import { oauthDoor } from './api/oauth/door.ts';
import { webDoor } from './api/web/door.ts';
import { webhookDoor } from './api/webhooks/door.ts';
import { socketDoor } from './api/ws/door.ts';
import { composeConnections } from './compose/connections.ts';
import { createDuties } from './compose/duties.ts';
import { composeIdentity } from './compose/identity.ts';
import { createLiveRoutes } from './compose/live-routes.ts';
import type { Processes } from './compose/process-links.ts';
import { openProcesses, processId } from './compose/processes.ts';
import { openStorage } from './compose/storage.ts';
import { createIds, systemClock } from './compose/system.ts';
import { loadTrustedNodes } from './compose/trusted-nodes.ts';
import { builtWebFiles } from './compose/web-files.ts';
import { addressOf, type Config } from './config.ts';
import { checkDefinition } from './engine/definition-check.ts';
import { createEngine } from './engine/create-engine.ts';
import { gallery } from './gallery.ts';
import { createLog } from './api/log.ts';
import { lazyGraphql } from './api/graphql/lazy-graphql.ts';
import { createAdmission } from './api/admission.ts';
import { checkConfig } from './nodes/config-check.ts';
import { createNodeTypes } from './nodes/catalogue.ts';
import { builtinNodes } from './nodes/registry.ts';
import { trustedNode } from './nodes/trusted-node.ts';
import type { Clock } from './ports/clock.ts';
import type { LiveTriggers } from './ports/store/live-triggers.ts';
import { parseAllowedHosts } from './runner/allowed-hosts.ts';
import { createEgressGate } from './runner/egress-gate.ts';
import { createPackageBundler } from './runner/packages/package-bundler.ts';
import { createNodeRunner } from './runner/node-runner.ts';
import { createSandbox } from './runner/sandbox/sandbox.ts';
import { createFaultFinder } from './services/definition-faults.ts';
import { createEventTriggers } from './services/event-triggers.service.ts';
import { createExecutionEvents } from './services/execution-events.service.ts';
import { createEvaluations } from './services/evaluations.service.ts';
import { createExecutions } from './services/executions.service.ts';
import { createFiles } from './services/files.service.ts';
import { createFlow } from './services/flow.service.ts';
import { createHealth } from './services/health.service.ts';
import { createListen } from './services/listen.service.ts';
import { createNodes } from './services/nodes.service.ts';
import { createOwnNodeTypes } from './services/own-node-types.ts';
import { meteredExecutions, meteredRunner } from './services/metered.ts';
import { createNotifications, noticingFailures } from './services/notifications.service.ts';
import { createResumeAddresses } from './services/resume-address.ts';
import { createResume } from './services/resume.service.ts';
import { createRateLimit } from './services/rate-limit.service.ts';
import { createRateWindows } from './services/rate-windows.ts';
import { createMemoryCounter } from './services/memory-counter.ts';
import { createPolling } from './services/polling.service.ts';
import { createSchedules } from './services/schedules.service.ts';
import { createTemplates } from './services/templates.service.ts';
import { createTraced } from './services/traced.ts';
import { createUpkeep } from './services/upkeep.service.ts';
import { countedExecutions, createThroughput } from './services/throughput.ts';
import type { FirstAdmin } from './services/users.service.ts';
import { createWebhooks } from './services/webhooks.service.ts';
import { completeDefinition } from './services/workflow-rules.ts';
import { createWorkflows } from './services/workflows.service.ts';

/** ms that running nodes and open requests get when the service stops. */
export const GRACE = 10_000;

export type Service = {
  /** Where it listens, ending with /v1. */
  readonly url: string;
  /** Set when this start made the first administrator. */
  readonly firstAdmin: FirstAdmin | null;
  /** Drains: takes nothing new, lets what runs end within the grace, leaves the rest for the next start. */
  stop(): Promise<void>;
};

export type ComposeOptions = {
  /** The system's unless given. */
  clock?: Clock;
  log?: Logger;
  /** The store can no longer write: the process must end, what was acknowledged is on disk. */
  fatal(error: Error): void;
};

/**
 * The composition root: the only place that picks adapters and wires them. Resolves when the service listens. Throws an error
 * fit for the terminal when the data folder is in use or cannot be read, or the address is taken.
 */
export async function composeService(config: Config, options: ComposeOptions): Promise<Service> {
  const clock = options.clock ?? systemClock();
  const now = (): number => clock.now();
  const log = options.log ?? createLog(config.logLevel, destination(2));
  const report = (message: string, error: unknown): void => log.error({ err: error }, message);
  const ids = createIds(now);

  const process = processId(config, ids);
  const { store, files, load } = await openStorage(config, {
    process,
    now,
    onFatal(error) {
      log.fatal({ err: error }, 'the store failed');
      options.fatal(error);
    },
  });
  let processes: Processes | null = null;
  try {
    const { role } = config;
    const others = await openProcesses({
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
    const who = await composeIdentity({
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

    const trusted = config.nodesDir === null ? [] : await loadTrustedNodes(config.nodesDir, builtinNodes);
    for (const { file, node } of trusted)
      log.info({ file, type: node.type, version: node.version }, 'a trusted node was loaded');
    const nodeTypes = createNodeTypes([...builtinNodes, ...trusted.map(({ node }) => trustedNode(node))]);
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
      baseUrl,
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
    const packageGate = createEgressGate({ clock, allowedHosts, proxy: config.proxy });
    const packages = createPackageBundler({ registry: config.npmRegistry, gate: packageGate });
    const measured =
      config.metrics === null
        ? null
        : (await import('./services/metrics.ts')).createMetrics({
            version: config.version,
            nodeTypes: nodeTypes.all().map((node) => node.type),
            clock,
            engine: () => engine.health(),
            others: others.queue === null ? null : { isUp: others.isUp, depth: () => others.queue!.depth() },
            connections: load ?? null,
            executions: store.executions,
            report,
          });
    const accounts = composeConnections({
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
      ...(measured === null ? {} : { called: (outcome, ms) => measured.called(outcome, ms) }),
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
    const throughput = createThroughput(clock);
    const counted = countedExecutions(store.executions, throughput);
    const tracing =
      config.traceEndpoint === null
        ? null
        : (await import('./services/tracing.ts')).createTracing({
            endpoint: config.traceEndpoint,
            version: config.version,
            role,
          });
    const traced = tracing === null ? null : createTraced(tracing);
    const told = measured === null ? counted : meteredExecutions(counted, measured);
    const metered = measured === null ? runner : meteredRunner(runner, measured);
    const engine = createEngine({
      store: { ...store, executions: traced === null ? told : traced.executions(told) },
      files,
      nodeTypes: ownTypes,
      runner: traced === null ? metered : traced.runner(metered),
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
              led: (leads) => void duties.set(leads && stopping === null),
            },
      atOnce: config.concurrency,
      report,
    });

    const { timezone } = config;
    const faults = createFaultFinder({
      check: (definition, types) => checkDefinition(definition, types, checkConfig),
      knownSecrets: (ownerId, names) => secrets.known(ownerId, names),
      knownConnections: (ownerId, names) => accounts.connections.known(ownerId, names),
      nodeTypes: ownTypes,
      compile: (ownerId, source) => sandbox.check(ownerId, source),
    });
    const schedules = createSchedules({
      workflows: store.workflows,
      engine,
      failed: (fault) => notifications.triggerFailed(fault),
      clock,
      timezone,
      report,
    });
    const polling = createPolling({
      polls: store.polls,
      workflows: store.workflows,
      engine,
      runner,
      failed: (fault) => notifications.triggerFailed(fault),
      clock,
      timezone,
      report,
    });
    const webhooks = createWebhooks({
      workflows: store.workflows,
      executions: store.executions,
      engine,
      clock,
      ids,
      files,
      secret: async (ownerId, name) => (await secrets.secretsFor(ownerId, [name])).get(name)?.value ?? null,
      masker: (ownerId) => masks.masker(ownerId),
      rateLimit: config.webhookRateLimit,
      ...(others.queue === null
        ? {}
        : {
            calls: others.counter('webhooks', 60_000, createMemoryCounter(60_000, now)),
            refresh: () => liveRoutes.refresh(),
          }),
      failed: (fault) => notifications.triggerFailed(fault),
    });
    const workflows = createWorkflows({
      workflows: store.workflows,
      executions: store.executions,
      engine,
      nodeTypes,
      ownTypes,
      faults,
      clock,
      ids,
      baseUrl,
      timezone,
      isUser: async (id) => (await store.people.userById(id)) !== null,
      changed(workflowId, live) {
        routesChanged(workflowId, live);
        liveRoutes.told(workflowId);
      },
    });
    function routesChanged(workflowId: string, live: Pick<LiveTriggers, 'webhooks' | 'events'> | null): void {
      webhooks.change(workflowId, live);
      eventTriggers.change(workflowId, live);
      schedules.wake();
      polling.wake();
    }
    const liveRoutes = createLiveRoutes({
      workflows: store.workflows,
      bus,
      clock,
      change: routesChanged,
      readAll: async () => {
        await Promise.all([webhooks.open(), eventTriggers.open()]);
      },
      report,
    });
    const listeners = createListen({
      workflows: store.workflows,
      faults,
      nodeTypes,
      clock,
      baseUrl,
      token: () => randomBytes(24).toString('base64url'),
      serve: webhooks.serveTest,
      addresses: others.addresses,
    });
    const templates = createTemplates({
      templates: store.templates,
      gallery,
      formFaults: async (ownerId, definition) =>
        (await faults.find(ownerId, completeDefinition(definition, await ownTypes.of(ownerId)))).form,
      createWorkflow: (principal, input) => workflows.create(principal, input),
      nodeTypes,
      clock,
    });
    const executions = createExecutions({
      executions: store.executions,
      workflows: store.workflows,
      engine,
      nodeTypes,
      faults,
      events,
      clock,
      masker: (ownerId) => masks.masker(ownerId),
    });
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
      throughput,
    });
    const rateWindows = createRateWindows({ store: store.throttling, clock, report });
    const rateLimit = createRateLimit({
      limits: config.rateLimits,
      counter: others.counter('requests', 3_600_000, rateWindows),
      clock,
      reached: (userId, level, state) => notifications.rateReached(userId, level, state),
      refused: () => measured?.refused('plan'),
    });
    const admission = createAdmission(who.authenticate, rateLimit);
    const executionEvents = createExecutionEvents({
      executions: store.executions,
      workflows: store.workflows,
      events,
      failed: (error) => report('a receiver of events failed', error),
    });
    const opened = {
      ...who.services,
      workflows,
      connections: accounts.connections,
      templates,
      listen: listeners,
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
    const graphql = lazyGraphql({
      services: { ...opened, events: executionEvents },
      authenticate: who.authenticate,
      admission,
      credentials: who.credentials,
      clock,
      introspection: config.graphqlIntrospection,
      onFault: (error) => report('a GraphQL operation failed', error),
    });
    const groups = routeGroups(opened);
    const ownDoors = {
      config,
      admission,
      log,
      clock,
      ids,
      ...(measured === null || config.metrics === null
        ? {}
        : { metrics: { metrics: measured, token: config.metrics.token } }),
    };
    const publicDoors = (): ServerOptions => ({
      ...ownDoors,
      routes: groups.flatMap((group) => group.routes),
      graphql: graphql.mount,
      documents: documentDoor({
        version: config.version,
        baseUrl,
        groups,
        nodeTypes: () => nodeTypes.all(),
        sdl: () => graphql.sdl(),
      }),
      oauth: oauthDoor({
        provider: who.provider,
        auth: who.services.auth,
        people: store.people,
        formKey: who.keys.oauthForms,
        now,
      }),
      connections: connectionsDoor({ connections: accounts.connections, now }),
      webhooks: webhookDoor(
        traced === null ? webhooks : { ...webhooks, receive: traced.receive(webhooks.receive) },
        listeners,
      ),
      web: webDoor(builtWebFiles()),
      sockets: {
        '/v1/ws': socketDoor({
          authenticate: who.authenticateToken,
          credentials: who.credentials,
          events: executionEvents,
          clock,
          onFault: (error) => report('a WebSocket connection failed', error),
        }),
        '/v1/graphql': graphql.socket,
      },
    });

    // A worker is nobody's to call, but for whoever watches over it.
    const app = createServer(
      role === 'worker' ? { ...ownDoors, routes: healthRoutes(health) } : publicDoors(),
    );
    let stopping: Promise<void> | null = null;
    const duties = createDuties([schedules, polling, eventTriggers, upkeep]);
    bus.hear('follow', () => eventTriggers.written());

    await Promise.all([rateWindows.open(), who.throttle.open(), eventTriggers.open()]);
    await engine.open();
    await webhooks.open();
    const port = await listen(app, config).catch(async (error: unknown) => {
      await engine.drain(0);
      throw error;
    });
    listening = addressOf(config.host, port);
    if (others.queue === null) await duties.set(true);
    health.opened();

    async function stop(): Promise<void> {
      health.draining();
      await duties.set(false);
      await Promise.all([drainServer(app, clock, GRACE), engine.drain(GRACE)]);
      await Promise.all([rateWindows.close(), who.throttle.close()]);
      notifications.close();
      health.close();
      packages.close();
      sandbox.close();
      await accounts.tokens.close(GRACE);
      await Promise.all([runner.close(), packageGate.close()]);
      await others.close();
      await tracing?.close();
      await store.close();
    }
    return { url: `${listening}/v1`, firstAdmin: who.firstAdmin, stop: () => (stopping ??= stop()) };
  } catch (error) {
    await processes?.close();
    await store.close();
    throw error;
  }
}

async function listen(app: ReturnType<typeof createServer>, { host, port }: Config): Promise<number> {
  try {
    await app.listen({ host, port });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE')
      throw new Error(
        `Port ${port} of ${host} is in use: set PORT to another one, or to 0 for any free one.`,
        { cause: error },
      );
    if (code === 'EACCES')
      throw new Error(`Port ${port} of ${host} is not allowed to this user: set PORT to one from 1024.`, {
        cause: error,
      });
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
      throw new Error(
        `HOST got "${host}", which this machine does not have; it takes an address of this machine.`,
        {
          cause: error,
        },
      );
    throw error;
  }
  const address = app.server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
}
