import type { LiveProcess, ProcessRow } from '../../ports/store/processes.ts';
import * as decisionMessages from '../queries/decisions/decision-messages.ts';
import * as packTriggers from '../queries/pack-triggers.ts';
import * as polls from '../queries/polling.ts';
import * as processes from '../queries/processes.ts';
import * as workers from '../queries/workers.ts';
import { selectAll, change, lock, type Transaction } from '../statement.ts';

type ProcessRecord = {
  id: string;
  place: number;
  role: string;
  version: string;
  host: string;
  pid: number;
  shares: number;
  started_at: number;
  alive_until: number;
};

/** Assigns a process the smallest slot number that no live process has, or keeps its current one. */
export function* registerProcess(row: ProcessRow, now: number): Transaction<number> {
  yield* lock('processes');
  const live = yield* selectAll<ProcessRecord>(processes.live, now);
  const own = live.find(({ id }) => id === row.id);
  let slot = own?.place ?? 0;
  if (own === undefined) while (live.some((other) => other.place === slot)) slot++;
  const { id, role, version, host, pid, startedAt, aliveUntil } = row;
  const shares = row.shares ? 1 : 0;
  yield* change(processes.put, id, slot, role, version, host, pid, shares, startedAt, aliveUntil);
  if (own === undefined) yield* change(processes.prune, now);
  return slot;
}

export function* liveProcesses(now: number): Transaction<LiveProcess[]> {
  return (yield* selectAll<ProcessRecord>(processes.live, now)).map((r) => ({
    id: r.id,
    slot: r.place,
    role: r.role,
    version: r.version,
    host: r.host,
    pid: r.pid,
    shares: r.shares === 1,
    startedAt: r.started_at,
    aliveUntil: r.alive_until,
  }));
}

export function* removeProcess(id: string): Transaction<void> {
  yield* change(processes.remove, id);
}

/**
 * For the only process on the database: all leases, slot numbers and claims of earlier processes are void.
 */
export function* forgetProcesses(): Transaction<void> {
  yield* change(workers.removeAll);
  yield* change(processes.removeAll);
  yield* change(polls.releaseAllClaims);
  yield* change(packTriggers.releaseAllClaims);
  yield* change(decisionMessages.releaseAllClaims);
}
