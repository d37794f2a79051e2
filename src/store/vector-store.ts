import type { VectorStore } from '../ports/store/ai/vectors.ts';
import { writeAudited } from './audited-change.ts';
import type { Driver } from './driver.ts';

export function createVectorStore({ write, read, readLong }: Driver): VectorStore {
  return {
    upsert: (ownerId, upsert) => write('upsertVectors', ownerId, upsert),
    query: (ownerId, query) => readLong('queryVectors', ownerId, query),
    async removeDocuments(ownerId, collection, which) {
      let total = 0;
      for (;;) {
        const { removed, more } = await write('removeVectorDocuments', ownerId, collection, which);
        total += removed;
        if (!more) return total;
      }
    },
    list: (ownerId, search, offset, limit) =>
      readLong('listVectorCollections', ownerId, search, offset, limit),
    get: (ownerId, name) => read('getVectorCollection', ownerId, name),
    async remove(ownerId, name, event = null) {
      const isFound = await writeAudited(write, event, 'hideVectorCollection', ownerId, name);
      if (isFound) await removeHidden({ write });
      return isFound;
    },
  };
}

/** Deletes the documents of hidden collections, also after a crash. */
export async function removeHidden({ write }: Pick<Driver, 'write'>): Promise<void> {
  while (await write('removeHiddenVectors'));
}
