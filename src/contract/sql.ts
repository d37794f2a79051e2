import type { Json, JsonObject } from '../lib/json/json.ts';

/**
 * `database` may be a number as text, and `user` and `password` may be empty. `tls` null: TLS for a public
 * address, no TLS for a private one.
 */
export type DatabaseServer = {
  host: string;
  port: number;
  database: string;
  user: string;
  password: string;
  tls: boolean | null;
};

/** A PostgreSQL server, or a MySQL or MariaDB server. */
export type SqlServer = DatabaseServer & { system: 'postgresql' | 'mysql' };

/**
 * One statement with its values for $1, $2, … of PostgreSQL or ? of MySQL; it fails without effect when it
 * returns more than `maxRows` rows.
 */
export type SqlStatement = { text: string; values: readonly Json[]; maxRows: number };

/**
 * `row_count`: number of rows returned or changed. `type` of a field is the server's name of the type.
 * `insert_id`, only of MySQL: the first AUTO_INCREMENT value that the statement generated, or null.
 */
export type SqlResult = {
  rows: JsonObject[];
  row_count: number;
  fields: { name: string; type: string }[];
  insert_id?: string | null;
};
