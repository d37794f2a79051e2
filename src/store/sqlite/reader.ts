import { begin } from '../transactions/registry.ts';
import type { Transaction } from '../statement.ts';
import { openForReading, type Connection } from './connection.ts';
import { toFailure } from './failure.ts';
import type { Job, Outcome, ServingSetup } from './writer/protocol.ts';
import type { ThreadWorker } from './writer/writer.ts';

const CACHE_KIB = 8_000;

/** Runs a read on one snapshot. */
function readOn<T>(connection: Connection, transaction: Transaction<T>): T {
  connection.exec('BEGIN');
  try {
    return connection.run(transaction);
  } finally {
    connection.exec('COMMIT');
  }
}

/** Runs long reads in a separate thread. */
export function createReader({ file }: ServingSetup): ThreadWorker {
  const connection = openForReading(file, CACHE_KIB);
  const runJob = (job: Job): Outcome => {
    try {
      if (job.kind !== 'transaction') throw new Error('The reader does not write.');
      return { id: job.id, value: readOn(connection, begin(job.name, job.args)) };
    } catch (error) {
      return { id: job.id, failure: toFailure(error) };
    }
  };
  return { run: (jobs) => jobs.map(runJob), close: () => void connection.db.close() };
}
