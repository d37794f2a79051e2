import { drainServer, waitForLastRequests } from '../api/http/server.ts';
import type { AppBase } from './app-base.ts';
import { createAuth } from './auth.ts';
import type { AppContext } from './bootstrap.ts';
import { createStorage } from './storage/create-storage.ts';
import { createEngine } from './engine.ts';
import { createHttpServer } from './http-server.ts';
import { createLeaderTasks } from './leader-tasks.ts';
import { listen } from './listen.ts';
import { createServices } from './services.ts';
import { formatServerUrl, type Config } from '../config/config.ts';
import type { FirstAdmin } from '../services/accounts/users.service.ts';

/** Time for running nodes and open requests when the service stops. */
export const STOP_GRACE_MS = 10_000;

export type App = {
  /** The URL of the service, ending with /v1. */
  readonly url: string;
  /** Set when this start created the first administrator. */
  readonly firstAdmin: FirstAdmin | null;
  /**
   * Drains: accepts nothing new, lets running nodes end within the grace period, and leaves the rest for the
   * next start.
   */
  stop(): Promise<void>;
  /**
   * Call before `stop`: announces the stop to connected clients, and still serves requests that are on their
   * way.
   */
  leave(): Promise<void>;
};

/**
 * The composition root: the only module that chooses adapters and wires them, in five steps that each take
 * the results of the previous ones. Resolves when the service listens.
 * @throws {Error} for the terminal, when the data folder is in use or unreadable, or the port is in use.
 */
export async function createApp(config: Config, context: AppContext): Promise<App> {
  const { clock, ids, log, process } = context;
  let listening = formatServerUrl(config.host, config.port);
  const baseUrl = (): string => `${config.publicUrl ?? listening}/v1`;
  const base: AppBase = {
    config,
    clock,
    ids,
    log,
    process,
    report: (message, error) => log.error({ err: error }, message),
    baseUrl,
    webhookBaseUrl: () => (config.webhookUrl === null ? baseUrl() : `${config.webhookUrl}/v1`),
  };
  const storage = await createStorage(base, context.storage);
  try {
    let stopping: Promise<void> | null = null;
    const auth = await createAuth(base, storage, {
      send: (request, signal) => engine.runner.send(request, signal),
      listTokens: (ownerId) => engine.accounts.tokens.listSecrets(ownerId),
      releaseWorkflows: (userId) => services.deletedWorkflows.release(userId),
    });
    const engine = await createEngine(base, storage, auth, {
      validator: () => services.validator,
      leadershipChanged: (isLeader) => void leaderTasks.set(isLeader && stopping === null),
    });
    const services = createServices(base, storage, auth, engine);
    const server = createHttpServer(base, storage, auth, engine, services);
    const leaderTasks = createLeaderTasks(services.leaderTasks);

    if (config.unsupportedTracingVariables.length > 0)
      log.warn(
        { variables: config.unsupportedTracingVariables },
        'some OTEL_ variables are not supported and have no effect',
      );
    const { health, rateWindows, webhooks, forms, tools, chats } = services;
    await Promise.all([rateWindows.open(), auth.throttle.open(), engine.completionTriggers.open()]);
    await engine.engine.open();
    await Promise.all([webhooks.open(), forms.open(), tools.open(), chats.open()]);
    const port = await listen(server, config).catch(async (error: unknown) => {
      await engine.engine.drain(0);
      throw error;
    });
    listening = formatServerUrl(config.host, port);
    // Last, so that a start that fails because the port is in use does not print the password.
    const firstAdmin = await auth.firstAdmin();
    if (storage.coordination.queue === null) await leaderTasks.set(true);
    health.opened();

    async function leave(): Promise<void> {
      health.draining();
      await waitForLastRequests(server, clock);
    }

    async function stop(): Promise<void> {
      health.draining();
      await leaderTasks.set(false);
      await Promise.all([drainServer(server, clock, STOP_GRACE_MS), engine.engine.drain(STOP_GRACE_MS)]);
      await Promise.all([rateWindows.close(), auth.throttle.close()]);
      engine.notifications.close();
      health.close();
      await engine.close(STOP_GRACE_MS);
      await storage.coordination.close();
      await engine.observability.close();
      await storage.store.close();
    }
    return {
      url: `${listening}/v1`,
      firstAdmin,
      leave,
      stop: () => (stopping ??= stop()),
    };
  } catch (error) {
    await storage.close();
    throw error;
  }
}
