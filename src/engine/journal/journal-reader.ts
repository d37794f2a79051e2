import { WeftError } from '../../contract/errors.ts';
import type { FileStore } from '../../ports/files.ts';
import { limits } from '../../ports/limits.ts';
import type { Store } from '../../ports/store.ts';
import type { JournalRow } from '../../ports/store/execution-reads.ts';
import type { JournalEvent } from './journal.ts';
import { readEvents, type ByteCounter } from './event-encoder.ts';

const PAGE_SIZE = 1_000;
/** Journals whose first pages are read with one query. */
const JOURNALS_PER_QUERY = 25;

type Deps = { store: Pick<Store, 'executions'>; files: FileStore };

/**
 * Reads all events of an execution in order, page by page, with their large values.
 * @throws {WeftError} PAYLOAD_TOO_LARGE when they take more than `most` bytes.
 */
export async function readJournal(
  deps: Deps,
  execution: { ownerId: string; id: string },
  most: number,
): Promise<JournalEvent[]> {
  let left = most;
  return readFrom(deps, execution, [], 0, (bytes) => {
    left -= bytes;
    if (left < 0)
      throw new WeftError('PAYLOAD_TOO_LARGE', `The data of this execution is larger than ${most} bytes.`, {
        limit: most,
      });
  });
}

/**
 * Reads the events of several executions of one owner, in few statements.
 * @throws {WeftError} PAYLOAD_TOO_LARGE when several are requested and together exceed
 * `limits.journalReadBytes`.
 */
export async function readJournals(
  deps: Deps,
  ownerId: string,
  ids: readonly string[],
): Promise<Map<string, JournalEvent[]>> {
  let left: number = limits.journalReadBytes;
  const countBytes: ByteCounter = (bytes) => {
    left -= bytes;
    if (left < 0 && ids.length > 1)
      throw new WeftError(
        'PAYLOAD_TOO_LARGE',
        `The data of these ${ids.length} executions is larger than ${limits.journalReadBytes} bytes; request fewer at once.`,
        { limit: limits.journalReadBytes },
      );
  };
  const journals = new Map<string, JournalEvent[]>();
  for (let at = 0; at < ids.length; at += JOURNALS_PER_QUERY) {
    const piece = ids.slice(at, at + JOURNALS_PER_QUERY);
    for (const { executionId: id, rows } of await deps.store.executions.journals(ownerId, piece, PAGE_SIZE)) {
      const events = await readEvents(rows, deps.files, countBytes);
      const last = rows.at(-1);
      const isWhole = rows.length < PAGE_SIZE || last === undefined;
      journals.set(
        id,
        isWhole ? events : await readFrom(deps, { ownerId, id }, events, last.seq + 1, countBytes),
      );
    }
  }
  return journals;
}

async function readFrom(
  deps: Deps,
  execution: { ownerId: string; id: string },
  events: JournalEvent[],
  seq: number,
  countBytes?: ByteCounter,
): Promise<JournalEvent[]> {
  let from = seq;
  for (;;) {
    const rows: JournalRow[] = await deps.store.executions.journal(
      execution.ownerId,
      execution.id,
      from,
      PAGE_SIZE,
    );
    for (const event of await readEvents(rows, deps.files, countBytes)) events.push(event);
    if (rows.length < PAGE_SIZE) return events;
    from = rows.at(-1)!.seq + 1;
  }
}
