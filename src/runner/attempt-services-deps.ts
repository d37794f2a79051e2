import type { MemoryBudget } from '../lib/limits/memory-budget.ts';
import type { Clock } from '../ports/clock.ts';
import type { FileStore } from '../ports/files.ts';
import type { Ids } from '../ports/ids.ts';
import type { Orchestration } from '../ports/orchestration.ts';
import type { PackRunner } from '../ports/pack-runner.ts';
import type { Sandbox } from '../ports/sandbox.ts';
import type { ExecutionStore } from '../ports/store/executions.ts';
import type { FileRows } from '../ports/store/files.ts';
import type { OAuthTokens } from '../ports/oauth-tokens.ts';
import type { EgressClient } from './http/egress-client.ts';
import type { ThreadReads } from './attempt-threads.ts';
import type { VectorAccess } from './attempt-vectors.ts';
import type { McpClient } from './mcp/mcp-client.ts';
import type { LiveTexts } from '../ports/live-texts.ts';
import type { ModelClient } from './models/model-client.ts';
import type { DocumentRunner } from './documents/document-runner.ts';
import type { Mysql } from './mysql/mysql.ts';
import type { Postgres } from './postgres/postgres.ts';
import type { RedisRunner } from './redis/redis.ts';
import type { TokenCache } from './http/token-cache.ts';

/** The dependencies of `AttemptServices`, shared by all attempts of a process. */
export type AttemptServicesDeps = {
  clock: Clock;
  ids: Ids;
  egress: EgressClient;
  memory: MemoryBudget;
  postgres: Postgres;
  mysql: Mysql;
  redis: RedisRunner;
  tokens: TokenCache;
  oauthTokens: OAuthTokens;
  files: FileStore;
  fileRows: Pick<FileRows, 'saveFile' | 'file'>;
  executions: Pick<ExecutionStore, 'get'>;
  sandbox: Pick<Sandbox, 'run'>;
  documents: DocumentRunner;
  mcp: McpClient;
  models: ModelClient;
  liveTexts: Pick<LiveTexts, 'open'>;
  threads: ThreadReads;
  vectors: VectorAccess;
  packs: Pick<PackRunner, 'run'>;
  orchestration: Orchestration;
  /** Maximum size of a file in bytes. */
  maxFileSize: number;
};
