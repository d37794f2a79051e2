import { readFileSync } from 'node:fs';
import pg from 'pg';
import { readDatabaseTls, type DatabaseTls } from '../../lib/network/database-tls.ts';
import type { StatementResult, Row } from '../statement.ts';
import type { Query } from './compile.ts';
import { ConnectionLost } from './failure.ts';
import { fromText } from './text.ts';

/** Time limit for opening a connection, in ms. */
const CONNECT_TIMEOUT_MS = 5_000;
/** In ms: a connection without a response for this long counts as lost. */
const REPLY_TIMEOUT_MS = 30_000;

export type ConnectionSettings = {
  readonly url: string;
  /** The name in `pg_stat_activity`: unique, so that a later connection can terminate a leftover session. */
  readonly name: string;
  /** The counter rows that its transactions update. */
  readonly shard: number;
};

/** One database session. */
export type Connection = {
  /**
   * Sends all queries at once and resolves with all replies, in order; rejects with the first error once
   * every query has been replied to. The reply to `BEGIN` or `COMMIT` has the executed command as `command`.
   */
  runPipeline(queries: readonly Query[], within?: number): Promise<Reply[]>;
  readonly isLost: boolean;
  /** Called once when the session ends unexpectedly. */
  onLost(listener: () => void): void;
  end(): Promise<void>;
  /** Closes the socket without a protocol message. */
  drop(): void;
};

export type Reply = StatementResult & { readonly command: string };

const number = (text: string): number => Number(text);
/** int8 and numeric are numbers: every value that the store stores, counts or sums is exact as a double. */
const parsers: Readonly<Record<number, (text: string) => unknown>> = {
  16: (text) => text === 't',
  20: number,
  21: number,
  23: number,
  25: fromText,
  701: number,
  1700: number,
};
const returnText = (value: string): string => value;

const types = {
  getTypeParser: (oid: number): ((value: string) => unknown) => parsers[oid] ?? returnText,
};

/**
 * Settings that each session depends on, regardless of the defaults of server and user. Sequential scans are
 * made expensive: the store has an index for each query, and a plan made for a small table must not remain
 * when the table has grown.
 */
function sessionSettings(name: string, shard: number): string {
  const settings: Record<string, string> = {
    // Overrides the URL: a later connection finds the session by this name.
    application_name: name,
    synchronous_commit: 'on',
    default_transaction_isolation: 'read committed',
    default_transaction_read_only: 'off',
    standard_conforming_strings: 'on',
    client_encoding: 'UTF8',
    bytea_output: 'hex',
    extra_float_digits: '1',
    jit: 'off',
    seq_page_cost: '100',
    random_page_cost: '1',
    // Releases the locks of a process whose requests arrive but which receives no response.
    idle_in_transaction_session_timeout: '10s',
    statement_timeout: '0',
    lock_timeout: '10s',
    tcp_keepalives_idle: '5',
    tcp_keepalives_interval: '3',
    tcp_keepalives_count: '3',
    'weft.shard': String(shard),
  };
  const names = Object.entries(settings).map(([name, value]) => `set_config('${name}', '${value}', false)`);
  return `SELECT ${names.join(', ')}`;
}

/** @throws the error that prevented the connection. */
export async function openConnection({ url, name, shard }: ConnectionSettings): Promise<Connection> {
  const tls = readDatabaseTls(url);
  const client = new pg.Client({
    connectionString: tls.url,
    ssl: tls.isEncrypted && tlsOptions(tls),
    ...(tls.isDirect ? { sslNegotiation: 'direct' } : {}),
    application_name: name,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
    pipeline: true,
    types,
  });
  let isLost = false;
  let isEnding = false;
  const listeners: (() => void)[] = [];
  const lose = (): void => {
    if (isLost) return;
    isLost = true;
    if (!isEnding) for (const listener of listeners) listener();
  };
  client.on('error', lose);
  client.on('end', lose);
  const drop = (): void => {
    isEnding = true;
    lose();
    getSocket(client).destroy();
  };
  try {
    await client.connect();
  } catch (error) {
    drop();
    throw error;
  }

  const runPipeline = (queries: readonly Query[], within = REPLY_TIMEOUT_MS): Promise<Reply[]> => {
    if (isLost) return Promise.reject(new ConnectionLost('The connection to PostgreSQL was lost.'));
    if (queries.length === 0) return Promise.resolve([]);
    return new Promise<Reply[]>((resolve, reject) => {
      const replies: Reply[] = [];
      let failure: Error | null = null;
      let open = queries.length;
      const timer = setTimeout(() => {
        failure ??= new ConnectionLost(`PostgreSQL did not respond within ${within} ms.`);
        lose();
        getSocket(client).destroy();
      }, within);
      const stream = getSocket(client);
      stream.cork();
      queries.forEach((query, i) => {
        client.query(query as pg.QueryConfig, (error: Error | null, result: pg.QueryResult<Row>) => {
          if (error) failure ??= error;
          else replies[i] = toReply(result);
          if (--open > 0) return;
          clearTimeout(timer);
          if (failure === null) resolve(replies);
          else reject(failure);
        });
      });
      stream.uncork();
    });
  };

  try {
    await runPipeline([{ text: sessionSettings(name, shard) }]);
    // Not every operating system can detect a disconnected client while a statement runs.
    await runPipeline([{ text: `SET client_connection_check_interval = '2s'` }]).catch(() => {});
    if (isLost) throw new ConnectionLost('The connection to PostgreSQL was lost.');
  } catch (error) {
    drop();
    throw error;
  }
  return {
    runPipeline,
    get isLost() {
      return isLost;
    },
    onLost: (listener) => void listeners.push(listener),
    end: async () => {
      isEnding = true;
      if (isLost) return;
      await client.end().catch(() => {});
      lose();
    },
    drop,
  };
}

type TlsOptions = Exclude<NonNullable<pg.ClientConfig['ssl']>, boolean>;

/** A certificate authority in the URL replaces the default ones. @throws for a file that cannot be read. */
function tlsOptions({ files }: DatabaseTls): TlsOptions {
  const options: TlsOptions = { minVersion: 'TLSv1.2', rejectUnauthorized: true };
  for (const [part, path] of Object.entries(files) as [keyof typeof files, string][])
    try {
      options[part] = readFileSync(path);
    } catch (error) {
      throw new Error(`DATABASE_URL names the file ${path} for TLS, which cannot be read.`, { cause: error });
    }
  return options;
}

function toReply(result: pg.QueryResult<Row>): Reply {
  return { rows: result.rows, changes: result.rowCount ?? 0, command: result.command };
}

type Socket = { cork(): void; uncork(): void; destroy(): void };

/** The client's socket; TLS replaces the initial one. */
function getSocket(client: pg.Client): Socket {
  return (client as unknown as { connection: { stream: Socket } }).connection.stream;
}
