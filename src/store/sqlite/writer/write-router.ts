import type { Checkpoint, CheckpointResult } from '../../../ports/store/checkpoint.ts';
import type { Driver } from '../../driver.ts';
import type { Arguments, TransactionName, Result } from '../../transactions/registry.ts';
import { createDirectWriter, type DirectOutcome } from './direct-writer.ts';
import { toError } from '../failure.ts';
import { MainThreadWriteBudget } from './main-thread-write-budget.ts';
import type { Thread } from './thread.ts';

/** Maximum number of checkpoints in a batch that may be written directly. */
const MAX_DIRECT_BATCH_SIZE = 2;
/** Number of direct writes after which the writer thread checks the write-ahead log. */
const REPORT_EVERY_WRITES = 32;

export type WriteRouter = {
  readonly write: Driver['write'];
  /** The writer thread continues. */
  close(): void;
};

type WriteRouterOptions = {
  file: string;
  writer: Thread;
  /** Called before the outcome of a write becomes known. */
  written: () => void;
  onFatal: (error: Error) => void;
};

/**
 * One or two checkpoints are written on the event loop when the writer thread is idle; everything else goes
 * to the writer thread. In both cases, writes take effect in the order in which they were submitted.
 */
export function createWriteRouter({ file, writer, written, onFatal }: WriteRouterOptions): WriteRouter {
  const direct = createDirectWriter(file, new MainThreadWriteBudget());
  let unreported = 0;
  let broken: Error | null = null;
  let isClosed = false;

  const reportSometimes = (): void => {
    if (++unreported < REPORT_EVERY_WRITES) return;
    // The writer reports its errors itself.
    writer.reportWrites(unreported).catch(() => {});
    unreported = 0;
  };

  /** Null: the thread must write it. */
  const writeDirectly = (batch: readonly Checkpoint[]): DirectOutcome<CheckpointResult[]> => {
    if (isClosed || batch.length > MAX_DIRECT_BATCH_SIZE || !writer.isIdle()) return null;
    // A snapshot may be long.
    if (batch.some(({ snapshot }) => snapshot !== undefined && snapshot !== null)) return null;
    const outcome = direct.run('commit', [batch]);
    if (outcome !== null && 'value' in outcome) {
      written();
      reportSometimes();
    }
    return outcome;
  };

  const writeInThread = async <K extends TransactionName>(
    name: K,
    args: Arguments<K>,
  ): Promise<Result<K>> => {
    const result =
      name === 'commit'
        ? ((await writer.commit(args[0] as readonly Checkpoint[])) as Result<K>)
        : await writer.run(name, ...args);
    written();
    return result;
  };

  return {
    write(name, ...args) {
      if (broken !== null) return Promise.reject(broken);
      const outcome = name === 'commit' ? writeDirectly(args[0] as readonly Checkpoint[]) : null;
      if (outcome === null) return writeInThread(name, args);
      if ('value' in outcome) return Promise.resolve(outcome.value as Result<typeof name>);
      const error = toError(outcome.failure);
      if (outcome.failure.isFatal) onFatal((broken = error));
      return Promise.reject(error);
    },
    close() {
      isClosed = true;
      direct.close();
    },
  };
}
