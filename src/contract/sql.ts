import type { Json, JsonObject } from '../lib/json/json.ts';

/** A PostgreSQL server. `tls` null: with TLS for a public address, without for one that is not. */
export type SqlServer = {
  host: string;
  port: number;
  database: string;
  user: string;
  password: string;
  tls: boolean | null;
};

/** One statement with its values for $1, $2, …; more than `maxRows` rows are a failure, and nothing is done then. */
export type SqlStatement = { text: string; values: readonly Json[]; maxRows: number };

/** `row_count`: rows that were given back or changed. `type` of a field is PostgreSQL's name of it. */
export type SqlResult = { rows: JsonObject[]; row_count: number; fields: { name: string; type: string }[] };
