import type { FileStore } from '../ports/files.ts';
import type { JournalRow, Store } from '../ports/store.ts';
import type { JournalEvent } from './journal.ts';
import { readEvents } from './stored-values.ts';

const page = 1_000;

/** All events of an execution in order, page by page, with their large values. */
export async function readJournal(
  deps: { store: Pick<Store, 'executions'>; files: FileStore },
  execution: { ownerId: string; id: string },
): Promise<JournalEvent[]> {
  const events: JournalEvent[] = [];
  let from = 0;
  for (;;) {
    const rows: JournalRow[] = await deps.store.executions.journal(
      execution.ownerId,
      execution.id,
      from,
      page,
    );
    for (const event of await readEvents(rows, deps.files)) events.push(event);
    if (rows.length < page) return events;
    from = rows.at(-1)!.seq + 1;
  }
}
