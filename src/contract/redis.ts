/**
 * A Redis server. `database` is a number as text, `user` and `password` may be empty. `tls` null: TLS for a public
 * address, no TLS for a private one.
 */
export type RedisServer = {
  host: string;
  port: number;
  database: string;
  user: string;
  password: string;
  tls: boolean | null;
};

/** One command with its arguments. */
export type RedisCommand = readonly [name: string, ...args: string[]];
