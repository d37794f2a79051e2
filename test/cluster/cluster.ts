import { randomBytes } from 'node:crypto';
import { needPostgres, startServer, type TestServer } from '../support/servers/postgres-server.ts';
import { redisProgram, startRedis, type RedisServer } from '../support/servers/redis-server.ts';
import { spawnService, createTempFolder, type Call, type SpawnedService } from '../support/service.ts';

const programs = needPostgres();

/** Whether PostgreSQL and Redis are there. */
export const canScale = programs !== null && redisProgram !== null;

/** Several processes of Weft on a PostgreSQL and a Redis of their own. */
export type Cluster = {
  readonly postgres: TestServer;
  readonly redis: RedisServer;
  readonly databaseUrl: string;
  /** What every process is started with. */
  readonly env: Record<string, string>;
  start(
    role: 'api' | 'worker' | 'all',
    env?: Record<string, string>,
    nodeArgs?: readonly string[],
    /** The entry file of another build. */
    program?: string,
  ): Promise<SpawnedService>;
  /** Logs in at a process that serves the APIs. */
  login(service: SpawnedService): Promise<Call>;
  close(): Promise<void>;
};

/** `settings` are PostgreSQL's. */
export async function startCluster(
  env: Record<string, string> = {},
  settings: Record<string, string> = {},
): Promise<Cluster> {
  const folder = createTempFolder();
  const [postgres, redis] = await Promise.all([
    startServer(programs!, { isDurable: true, settings }),
    startRedis(),
  ]);
  const databaseUrl = await postgres.database();
  const services = new Set<SpawnedService>();
  const all: Record<string, string> = {
    DATABASE_URL: databaseUrl,
    REDIS_URL: redis.url,
    WEFT_SECRET_KEY: randomBytes(32).toString('base64'),
    WEFT_PUBLIC_URL: 'http://127.0.0.1:1',
    ...env,
  };
  return {
    postgres,
    redis,
    databaseUrl,
    env: all,
    async start(role, more = {}, nodeArgs = [], program) {
      const service = await spawnService({
        dataDir: folder.path,
        env: { ...all, WEFT_ROLE: role, ...more },
        nodeArgs: [...nodeArgs],
        // Another build has another document.
        ...(program !== undefined && { program, isDocumented: false }),
      });
      services.add(service);
      void service.child.once('exit', () => services.delete(service));
      return service;
    },
    login: (service) => service.login(),
    async close() {
      await Promise.all(
        [...services].map(async (service) => {
          // A frozen process receives no other signal.
          service.child.kill('SIGCONT');
          await service.kill9();
        }),
      );
      await Promise.all([postgres.close(), redis.remove()]);
      folder.remove();
    },
  };
}

/** A workflow with a webhook that is live; `nodes` come behind its trigger, one after the other. */
export async function createActiveWebhook(
  call: Call,
  endpoint: string,
  nodes: { id: string; type: string; config: unknown }[],
  {
    settings,
    ...more
  }: { respond?: string; authentication?: string; secret?: string; settings?: unknown } = {},
): Promise<string> {
  const trigger = {
    id: 'hook',
    type: 'trigger',
    config: {
      triggerType: 'webhook',
      endpoint,
      method: 'POST',
      authentication: 'none',
      respond: 'on_completion',
      ...more,
    },
  };
  const all = [trigger, ...nodes];
  const response = await call('POST', '/workflows', {
    body: {
      name: endpoint,
      status: 'active',
      definition: {
        nodes: all,
        connections: nodes.map((node, i) => ({ from: all[i]!.id, to: node.id })),
      },
      ...(settings === undefined ? {} : { settings }),
    },
  });
  if (response.status !== 201) throw new Error(response.text);
  return (response.body as { id: string }).id;
}
