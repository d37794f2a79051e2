import { MAX_VISITOR_THREADS } from '../contract/ai/threads.ts';
import type { ThreadStore } from '../ports/store/ai/threads.ts';
import { writeAudited } from './audited-change.ts';
import type { Driver } from './driver.ts';

const MAX_PRUNED_THREADS = 20;

export function createThreadStore({ write, read, readLong }: Driver): ThreadStore {
  return {
    read: (owner, address, tokens, now) => read('readThread', owner, address, tokens, now),
    find: (owner, address, maxBytes, now) => read('findThread', owner, address, maxBytes, now),
    get: (ownerId, id, maxBytes, now) => read('getThread', ownerId, id, maxBytes, now),
    list: (ownerId, filter, offset, limit, now) =>
      readLong('listThreads', ownerId, filter, offset, limit, now),
    remove: (ownerId, id, event = null) => writeAudited(write, event, 'removeThread', ownerId, id),
  };
}

/** Deletes threads whose time is over, and those of visitors that are too many. */
export async function pruneThreads(
  { write, readLong }: Pick<Driver, 'write' | 'readLong'>,
  now: number,
): Promise<void> {
  while ((await write('pruneThreads', now, MAX_PRUNED_THREADS)) === MAX_PRUNED_THREADS);
  for (const place of await readLong('findCrowdedThreads', MAX_VISITOR_THREADS))
    while (
      (await write('removeSurplusThreads', place, MAX_VISITOR_THREADS, MAX_PRUNED_THREADS)) ===
      MAX_PRUNED_THREADS
    );
}
