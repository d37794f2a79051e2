import type { DatabaseServer } from './sql.ts';

/** A Redis server. */
export type RedisServer = DatabaseServer;

/** One command with its arguments. */
export type RedisCommand = readonly [name: string, ...args: string[]];
