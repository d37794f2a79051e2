import { statfsSync } from 'node:fs';

/** Free bytes below which a disk counts as nearly full. */
const LITTLE = 16 * 1024 * 1024;
/** ms for which an answer holds. */
const HOLDS = 10;

/** Asks whether the disk of a folder is far from full. Quotas it does not know. */
export function createRoomCheck(folder: string, now: () => number = () => performance.now()): () => boolean {
  let hasRoom = false;
  let asked = -Infinity;
  return () => {
    if (now() - asked >= HOLDS) {
      asked = now();
      const { bavail, bsize } = statfsSync(folder);
      hasRoom = bavail * bsize >= LITTLE;
    }
    return hasRoom;
  };
}
