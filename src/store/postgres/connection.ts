import { readFileSync } from 'node:fs';
import pg from 'pg';
import { readDatabaseTls, type DatabaseTls } from '../../lib/network/database-tls.ts';
import type { Answer, Row } from '../statement.ts';
import type { Query } from './compile.ts';
import { ConnectionLost } from './failure.ts';
import { fromText } from './text.ts';

/** ms that opening a connection may take. */
const OPENING = 5_000;
/** ms without an answer after which a connection counts as lost. */
const ANSWER_WITHIN = 30_000;

export type ConnectionSettings = {
  readonly url: string;
  /** As `pg_stat_activity` shows it: unique, so that a later connection can end what is left of this one. */
  readonly name: string;
  /** Whose row of each counter its transactions count in. */
  readonly shard: number;
};

/** One session of the database. */
export type Connection = {
  /**
   * Sends all at once and resolves with all answers, in order; rejects with the first error when all are answered. An answer
   * of `BEGIN` or `COMMIT` has as `command` what the server did.
   */
  flight(queries: readonly Query[], within?: number): Promise<Reply[]>;
  readonly isLost: boolean;
  /** Told once, when the session ends without having been asked to. */
  onLost(listener: () => void): void;
  end(): Promise<void>;
  /** Closes it without a word. */
  drop(): void;
};

export type Reply = Answer & { readonly command: string };

const number = (text: string): number => Number(text);
/** int8 and numeric are numbers: everything that is stored, counted or summed here is exact as one. */
const parsers: Readonly<Record<number, (text: string) => unknown>> = {
  16: (text) => text === 't',
  20: number,
  21: number,
  23: number,
  25: fromText,
  701: number,
  1700: number,
};
const asItIs = (value: string): string => value;

const types = {
  getTypeParser: (oid: number): ((value: string) => unknown) => parsers[oid] ?? asItIs,
};

/**
 * What each session depends on, whatever the server's or the user's defaults are. Reading a whole table is made dear: the store
 * has an index for each of its questions, and a plan that was made while a table was small must not stay when it has grown.
 */
function sessionOf(name: string, shard: number): string {
  const settings: Record<string, string> = {
    // Whatever the address says: by this a later connection finds it.
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
    idle_in_transaction_session_timeout: '30s',
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

/** Throws what hindered it. */
export async function openConnection({ url, name, shard }: ConnectionSettings): Promise<Connection> {
  const tls = readDatabaseTls(url);
  const client = new pg.Client({
    connectionString: tls.url,
    ssl: tls.isEncrypted && tlsOptions(tls),
    ...(tls.isDirect ? { sslNegotiation: 'direct' } : {}),
    application_name: name,
    connectionTimeoutMillis: OPENING,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
    pipeline: true,
    types,
  });
  let lost = false;
  let isEnding = false;
  const listeners: (() => void)[] = [];
  const lose = (): void => {
    if (lost) return;
    lost = true;
    if (!isEnding) for (const listener of listeners) listener();
  };
  client.on('error', lose);
  client.on('end', lose);
  const drop = (): void => {
    isEnding = true;
    lose();
    streamOf(client).destroy();
  };
  try {
    await client.connect();
  } catch (error) {
    drop();
    throw error;
  }

  const flight = (queries: readonly Query[], within = ANSWER_WITHIN): Promise<Reply[]> => {
    if (lost) return Promise.reject(new ConnectionLost('The connection to PostgreSQL is gone.'));
    if (queries.length === 0) return Promise.resolve([]);
    return new Promise<Reply[]>((resolve, reject) => {
      const replies: Reply[] = [];
      let failure: Error | null = null;
      let open = queries.length;
      const timer = setTimeout(() => {
        failure ??= new ConnectionLost(`PostgreSQL did not answer within ${within} ms.`);
        lose();
        streamOf(client).destroy();
      }, within);
      const stream = streamOf(client);
      stream.cork();
      queries.forEach((query, i) => {
        client.query(query as pg.QueryConfig, (error: Error | null, result: pg.QueryResult<Row>) => {
          if (error) failure ??= error;
          else replies[i] = replyOf(result);
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
    await flight([{ text: sessionOf(name, shard) }]);
    // Not every server's system can tell that a client is gone while a statement runs.
    await flight([{ text: `SET client_connection_check_interval = '2s'` }]).catch(() => {});
    if (lost) throw new ConnectionLost('The connection to PostgreSQL is gone.');
  } catch (error) {
    drop();
    throw error;
  }
  return {
    flight,
    get isLost() {
      return lost;
    },
    onLost: (listener) => void listeners.push(listener),
    end: async () => {
      isEnding = true;
      if (lost) return;
      await client.end().catch(() => {});
      lose();
    },
    drop,
  };
}

type TlsOptions = Exclude<NonNullable<pg.ClientConfig['ssl']>, boolean>;

/** With a private authority in the address none of the usual ones counts. @throws for a file that cannot be read. */
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

function replyOf(result: pg.QueryResult<Row>): Reply {
  return { rows: result.rows, changes: result.rowCount ?? 0, command: result.command };
}

type Socket = { cork(): void; uncork(): void; destroy(): void };

/** The client's socket; under TLS it is another one than at first. */
function streamOf(client: pg.Client): Socket {
  return (client as unknown as { connection: { stream: Socket } }).connection.stream;
}
