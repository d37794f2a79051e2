// The cost of one request for each of several programs: CPU from /proc, transactions from PostgreSQL,
// commands from Redis.
import { readdirSync, readFileSync } from 'node:fs';
import type { Cluster } from '../test/cluster/cluster.ts';

/** Clock ticks per second in /proc. */
const TICKS = 100;

/** The fields of /proc/<pid>/stat after the program's name: state, parent, … */
function readStat(pid: number): string[] {
  return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ');
}

/** CPU seconds of a process with its threads and its ended children; 0 when the process does not exist. */
export function readCpuSeconds(pid: number): number {
  try {
    const ticks = readStat(pid).slice(11, 15);
    return ticks.reduce((sum, each) => sum + Number(each), 0) / TICKS;
  } catch {
    return 0;
  }
}

function listChildPids(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );
}

/** CPU seconds by program, and the number of transactions and commands. */
export type Meters = ReadonlyMap<string, number>;

export async function readMeters(
  { postgres, redis, databaseUrl }: Cluster,
  processes: Readonly<Record<string, number>>,
): Promise<Meters> {
  const meters = new Map(Object.entries(processes).map(([name, pid]) => [name, readCpuSeconds(pid)]));
  const [row] = await postgres.sql(
    databaseUrl,
    `SELECT xact_commit AS n, pg_read_file('postmaster.pid') AS pid FROM pg_stat_database WHERE datname = current_database()`,
  );
  const server = Number(String(row?.['pid']).split('\n')[0]);
  meters.set(
    'PostgreSQL',
    listChildPids(server).reduce((sum, pid) => sum + readCpuSeconds(pid), readCpuSeconds(server)),
  );
  const info = String(await redis.command('INFO'));
  const field = (name: string): number => Number(new RegExp(`^${name}:(.*)$`, 'm').exec(info)?.[1]);
  meters.set('Redis', field('used_cpu_user') + field('used_cpu_sys'));
  meters.set('transactions', Number(row?.['n']));
  meters.set('calls to Redis', field('total_commands_processed'));
  return meters;
}

const isCount = (name: string): boolean => name === 'transactions' || name === 'calls to Redis';

/** CPU seconds of all programs between two readings. */
export function computeCpuTime(before: Meters, after: Meters): number {
  let sum = 0;
  for (const [name, value] of after) if (!isCount(name)) sum += value - (before.get(name) ?? 0);
  return sum;
}

/** One line with the cost of each of `requests` requests between two readings. */
export function formatCosts(before: Meters, after: Meters, requests: number): string {
  const parts: string[] = [];
  const sum = computeCpuTime(before, after) / requests;
  for (const [name, value] of after) {
    const each = (value - (before.get(name) ?? 0)) / requests;
    parts.push(isCount(name) ? `${each.toFixed(2)} ${name}` : `${name} ${Math.round(each * 1e6)} µs`);
  }
  return `${Math.round(sum * 1e6)} µs of CPU a request without the client's: ${parts.join(', ')}`;
}

/** Settings for PostgreSQL with statement statistics. */
export const statementCounting = {
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.track_planning': 'on',
};

/** The statements of this database with the highest total time, with their number of calls. */
export async function readTopStatements({ postgres, databaseUrl }: Cluster): Promise<string[]> {
  await postgres.sql(databaseUrl, 'CREATE EXTENSION IF NOT EXISTS pg_stat_statements');
  const rows = await postgres.sql(
    databaseUrl,
    `SELECT calls, rows, round((total_exec_time + total_plan_time)::numeric) AS ms, query FROM pg_stat_statements
      WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database())
      ORDER BY total_exec_time + total_plan_time DESC LIMIT 25`,
  );
  return rows.map(
    ({ calls, rows: found, ms, query }) =>
      `${String(ms).padStart(6)} ms ${String(calls).padStart(7)} calls ${String(found).padStart(7)} rows  ${String(query).replaceAll(/\s+/g, ' ').slice(0, 140)}`,
  );
}
